"""The server's life: it runs until a signal comes."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest
from starlette.applications import Starlette

from sqe.server.run import Addresses, serve
from sqe.server.state import Part


class Server:
    closed = False
    reread = 0

    def start(self, warm_spark: bool) -> None: ...

    def listen(self, host: str | None, port: int | None) -> str:
        return ""

    def listen_iceberg(self) -> str:
        return ""

    def listen_trino(self, host: str | None, port: int | None) -> str:
        return ""

    def reread_settings(self) -> None:
        self.reread += 1

    def warm_local(self) -> None: ...

    def drain(self, seconds: float) -> None: ...

    def close(self, within: float | None = None) -> None:
        self.closed = True

    listening = True

    def status(self) -> dict[str, Any]:
        return {}

    def parts(self) -> list[Part]:
        return []

    def exposition(self, accept: str = "") -> tuple[bytes, str] | None:
        return None


class Http:
    def __init__(self, app: Starlette, host: str, port: int) -> None: ...

    def start(self) -> int:
        return 1

    def stop(self) -> None: ...


@pytest.mark.timeout(30)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_whichever_thread_gets_it(number: signal.Signals) -> None:
    """Python's main thread is not woken by a signal that another thread gets."""
    server, said = Server(), []
    waits = threading.Event()

    def announce(line: str) -> None:
        said.append(line)
        waits.set()

    def send() -> None:
        waits.wait(10)
        threading.Event().wait(0.2)  # by now the main thread waits
        signal.pthread_kill(threading.get_ident(), number)

    sender = threading.Thread(target=send)
    sender.start()
    assert serve(server, Http, Addresses("127.0.0.1", 0), announce)
    sender.join()
    assert said == ["sqe is ready on http://127.0.0.1:1", "sqe is stopping"]
    assert server.closed


@pytest.mark.timeout(30)
def test_a_hangup_reads_the_settings_again_and_goes_on() -> None:
    server = Server()
    waits = threading.Event()

    def send() -> None:
        waits.wait(10)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGHUP)
        while not server.reread:
            threading.Event().wait(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    sender = threading.Thread(target=send)
    sender.start()
    assert serve(server, Http, Addresses("127.0.0.1", 0), lambda line: waits.set())
    sender.join()
    assert (server.reread, server.closed) == (1, True)
