"""Syslog as RFC 5424 has it, in datagrams or over a connection (RFC 6587, RFC 5425)."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqe.audit.sent_lines import Line, SentLines

FACILITIES = {
    **{name: number for number, name in enumerate(("kern", "user", "mail", "daemon", "auth"))},
    "authpriv": 10,
    "audit": 13,
    **{f"local{number}": 16 + number for number in range(8)},
}
_WARNING, _INFO = 4, 6
_DATAGRAM = 60_000  # bytes of a line; IP has room for some more
_NOTHING = "-"


@dataclass(frozen=True, slots=True)
class SyslogPlace:
    """``scheme``: udp, tcp, tls or unix. Of a unix socket ``host`` is its path."""

    scheme: str
    host: str
    port: int = 0
    authorities: Path | None = None


class SyslogTransport:
    """A connection that has ended is made anew; lines whose end was not seen are sent again."""

    def __init__(self, place: SyslogPlace, facility: str, timeout_s: float) -> None:
        self._place = place
        self._facility = FACILITIES[facility]
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None
        self._host = socket.gethostname()[:255] or _NOTHING
        self.longest = _DATAGRAM if place.scheme in ("udp", "unix") else 0

    def send(self, lines: Sequence[Line]) -> None:
        try:
            connection = self._connection()
            if connection.type & socket.SOCK_DGRAM:
                for line in lines:
                    connection.send(self._message(line))
            else:
                messages = map(self._message, lines)
                connection.sendall(b"".join(b"%d %s" % (len(m), m) for m in messages))
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        connection, self._socket = self._socket, None
        if connection is not None:
            connection.close()

    def _message(self, line: Line) -> bytes:
        severity = _WARNING if line.event.endswith(("failed", "refused", "lost")) else _INFO
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        priority = self._facility * 8 + severity
        head = f"<{priority}>1 {now} {self._host} sqe {os.getpid()} {line.event[:32]} -"
        return head.encode("ascii", "replace") + b" " + line.body

    def _connection(self) -> socket.socket:
        if self._socket is not None:
            if _has_ended(self._socket):
                self.close()
            else:
                self._socket.settimeout(self._timeout_s)
        if self._socket is None:
            self._socket = self._connect()
        return self._socket

    def _connect(self) -> socket.socket:
        place = self._place
        if place.scheme == "unix":
            return self._connect_unix()
        if place.scheme == "udp":
            family, kind, *_, address = socket.getaddrinfo(
                place.host, place.port, type=socket.SOCK_DGRAM
            )[0]
            made = socket.socket(family, kind)
            made.settimeout(self._timeout_s)
            made.connect(address)
            return made
        made = socket.create_connection((place.host, place.port), self._timeout_s)
        if place.scheme == "tcp":
            return made
        try:
            context = ssl.create_default_context(cafile=place.authorities)
            return context.wrap_socket(made, server_hostname=place.host)
        except BaseException:
            made.close()
            raise

    def _connect_unix(self) -> socket.socket:
        """Of datagrams, as /dev/log is, or else of a stream."""
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            made = socket.socket(socket.AF_UNIX, kind)
            made.settimeout(self._timeout_s)
            try:
                made.connect(self._place.host)
            except OSError as error:
                made.close()
                if error.errno != errno.EPROTOTYPE or kind == socket.SOCK_STREAM:
                    raise
            else:
                return made
        raise AssertionError("one of both has raised")


def _has_ended(connection: socket.socket) -> bool:
    """The other side has hung up: what is written now would be lost without a word."""
    if connection.type & socket.SOCK_DGRAM:
        return False
    connection.settimeout(0)
    try:
        return connection.recv(1) == b""
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        return True


class AuditToSyslog(SentLines):
    pass
