"""A TCP proxy in front of a service, for faults: it delays, hangs, refuses, or cuts answers.

with Proxy(("127.0.0.1", 19000)) as proxy:
    client(proxy.address)
    proxy.fault = Cut(after=10_000)
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

_CHUNK = 16 * 1024
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Delay:
    """Every piece of an answer comes so much later."""

    seconds: float


@dataclass(frozen=True)
class Hang:
    """Requests are taken and never answered."""


@dataclass(frozen=True)
class Refuse:
    """Connections are reset at once, open ones too."""


@dataclass(frozen=True)
class Cut:
    """A connection breaks after so many bytes of answers, counted from when the fault began;
    ``times``: so many connections, then all is well again."""

    after: int
    times: int = 1_000_000


Fault = Delay | Hang | Refuse | Cut


class Proxy:
    """``fault`` may be changed at any time and counts for connections that are open too."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._fault: Fault | None = None
        self._since = 0  # changes with the fault
        self._cuts = 0
        self._open: set[socket.socket] = set()
        self.connections = 0
        self._closed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def fault(self) -> Fault | None:
        return self._fault

    @fault.setter
    def fault(self, fault: Fault | None) -> None:
        with self._lock:
            self._fault = fault
            self._since += 1
            self._cuts = 0
            left = list(self._open) if isinstance(fault, Refuse) else []
        for one in left:
            self._reset(one)

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        with self._lock:
            left = list(self._open)
        for one in left:
            self._reset(one)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if isinstance(self._fault, Refuse):
                self._reset(client)
                continue
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            upstream = socket.create_connection(self._target, timeout=10)
        except OSError:
            self._reset(client)
            return
        upstream.settimeout(None)
        with self._lock:
            self._open |= {client, upstream}
        requests = threading.Thread(target=self._requests, args=(client, upstream), daemon=True)
        requests.start()
        try:
            self._answers(upstream, client)
        except OSError:
            self._reset(client)
        finally:
            for one in (client, upstream):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            requests.join()
            with self._lock:
                self._open -= {client, upstream}
            client.close()
            upstream.close()

    def _requests(self, client: socket.socket, upstream: socket.socket) -> None:
        with suppress(OSError):
            while sent := client.recv(_CHUNK):
                upstream.sendall(sent)
            upstream.shutdown(socket.SHUT_WR)

    def _answers(self, upstream: socket.socket, client: socket.socket) -> None:
        passed, since = 0, self._since
        while answer := upstream.recv(_CHUNK):
            while isinstance(self._fault, Hang) and not self._closed.is_set():
                time.sleep(0.01)
            fault = self._fault
            if since != self._since:
                passed, since = 0, self._since
            if isinstance(fault, Delay):
                self._closed.wait(fault.seconds)
            if isinstance(fault, Cut) and passed + len(answer) > fault.after and self._may_cut():
                client.sendall(answer[: max(0, fault.after - passed)])
                raise ConnectionResetError
            client.sendall(answer)
            passed += len(answer)

    def _may_cut(self) -> bool:
        with self._lock:
            fault = self._fault
            if not isinstance(fault, Cut) or self._cuts >= fault.times:
                return False
            self._cuts += 1
            return True

    def _reset(self, one: socket.socket) -> None:
        """RST, as from a machine that has gone."""
        with suppress(OSError):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            one.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            one.close()
