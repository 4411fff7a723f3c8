"""A port changes hands: connections of the old listener go on, the next one can bind."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from sqe.protocols.flight_sql.handover import stop_listening


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with listening(0) as found:
        yield found


def listening(port: int) -> socket.socket:
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", port))
    found.listen()
    return found


def test_the_next_listener_gets_the_port_and_old_connections_go_on(
    listener: socket.socket,
) -> None:
    port = listener.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)) as client:
        old, _ = listener.accept()
        assert stop_listening(port)
        with listening(port) as following, socket.create_connection(("127.0.0.1", port)) as other:
            new, _ = following.accept()
            for end, peer in ((client, old), (other, new)):
                end.sendall(b"ping")
                assert peer.recv(4) == b"ping"
                peer.sendall(b"pong")
                assert end.recv(4) == b"pong"
            new.close()
        old.close()


def test_other_ports_are_left_alone(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    with listening(0) as other:
        assert stop_listening(port)
        assert not stop_listening(port)
        with socket.create_connection(other.getsockname()) as client:
            accepted, _ = other.accept()
            accepted.sendall(b"here")
            assert client.recv(4) == b"here"
            accepted.close()


def test_a_port_nobody_listens_on(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()
    assert not stop_listening(port)
