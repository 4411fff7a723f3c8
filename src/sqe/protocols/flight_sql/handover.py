"""Lets a new listener take over a port while the old one still serves its connections.

Arrow fixes a server's certificates when it is made, and does not let two servers share a port. So
the old server's listening socket, one of this process, is shut: the kernel stops accepting for it,
and every connection goes on. The new server binds the port a few milliseconds later, and only then
is the old one shut down: its clients are told to connect again, and find the new one there. What
can fail is a connection attempt within those milliseconds.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress

_INTERNET = (socket.AF_INET, socket.AF_INET6)


def can_listen(host: str, port: int) -> bool:
    """Whether the address is this machine's and the port is free. IPv6 may be in [brackets]."""
    name = host.removeprefix("[").removesuffix("]")
    try:
        addresses = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, *_, address in addresses:
            with socket.socket(family, socket.SOCK_STREAM) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(address)
    except OSError:
        return False
    return True


def stop_listening(port: int) -> bool:
    """Ends listening on the port by this process. False if nothing of it could be found."""
    ended = False
    for descriptor in _descriptors():
        with descriptor as listener:
            if _listens(listener, port):
                listener.shutdown(socket.SHUT_RDWR)
                ended = True
    return ended


def hang_up(port: int) -> None:
    """Ends the connections of clients of the port: a call that waits for a client who never reads
    ends by nothing else."""
    for descriptor in _descriptors():
        with descriptor as connection, suppress(OSError):
            if connection.family in _INTERNET and connection.getsockname()[1] == port:
                connection.shutdown(socket.SHUT_RDWR)


def _descriptors() -> Iterator[socket.socket]:
    """All sockets of this process, by descriptors of their own: closing them closes nothing."""
    for name in os.listdir("/dev/fd"):
        try:
            copy = os.dup(int(name))
        except OSError:  # gone meanwhile, as is the one that listed them
            continue
        try:
            descriptor = socket.socket(fileno=copy)
        except OSError:
            os.close(copy)
            continue
        yield descriptor


def _listens(found: socket.socket, port: int) -> bool:
    try:
        if not found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return False
        return found.family in _INTERNET and found.getsockname()[1] == port
    except OSError:
        return False
