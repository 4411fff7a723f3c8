"""Starts and stops the server."""

from __future__ import annotations

import hashlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Protocol

from starlette.applications import Starlette

from sqe.server.health import Watched, health_app
from sqe.settings import Settings

_LOOK_S = 0.5
_STOP_S = 5.0  # after serve.drain_s


class Running(Watched, Protocol):
    """What is needed of the server that ``build`` makes."""

    def start(self, warm_spark: bool) -> None: ...
    def reread_settings(self) -> None: ...
    def listen(self, host: str | None, port: int | None) -> str: ...
    def listen_trino(self, host: str | None, port: int | None) -> str: ...
    def listen_iceberg(self) -> str: ...
    def warm_local(self) -> None: ...
    def drain(self, seconds: float) -> None: ...
    def close(self, within: float | None = None) -> None: ...


class Http(Protocol):
    """An HTTP server on a thread of its own."""

    def start(self) -> int: ...
    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where to listen: the health endpoint, and the protocols if not where the settings say."""

    host: str
    port: int
    flight_host: str | None = None
    flight_port: int | None = None
    trino_host: str | None = None
    trino_port: int | None = None


def serve(
    server: Running,
    http_server: Callable[[Starlette, str, int], Http],
    at: Addresses,
    announce: Callable[[str], None],
    drain_s: float = 0.0,
) -> bool:
    """Runs until SIGTERM or SIGINT, then queries have ``drain_s`` to end, while ``/readyz`` says
    that no new ones are welcome. False if closing took too long and was given up."""
    with _stop_signals() as stop, _reread_signals() as reread:
        http = http_server(health_app(server), at.host, at.port)
        try:
            server.start(warm_spark=True)
            port = http.start()
            flight = server.listen(at.flight_host, at.flight_port)
            trino = server.listen_trino(at.trino_host, at.trino_port)
            iceberg = server.listen_iceberg()
            shown = f"[{at.host}]" if ":" in at.host else at.host
            announce(f"sqe is ready on http://{shown}:{port}")
            if flight:
                announce(f"Flight SQL is at {flight}")
            if trino:
                announce(f"Trino's protocol is at {trino}")
            if iceberg:
                announce(f"Iceberg's REST catalog is at {iceberg}")
            server.warm_local()  # this thread has nothing else to do
            while not stop.wait(_LOOK_S):  # a signal that comes just before does not wake it
                if reread:
                    reread.clear()
                    server.reread_settings()
            announce("sqe is stopping")
        finally:
            closed = _close(server, http, drain_s)
    return closed


def _close(server: Running, http: Http, drain_s: float) -> bool:
    deadline = time.monotonic() + drain_s + _STOP_S

    def close() -> None:
        server.drain(drain_s)
        http.stop()
        server.close(deadline - time.monotonic())

    closing = threading.Thread(target=close, name="closing", daemon=True)
    closing.start()
    while closing.is_alive() and time.monotonic() < deadline:
        closing.join(_LOOK_S)  # a second signal does not wake it either
    return not closing.is_alive()


class EndedAtOnce(SystemExit):
    """By a second signal. Nothing is tidied up."""


@contextmanager
def _reread_signals() -> Iterator[list[int]]:
    """A list that SIGHUP makes not empty: nothing that a handler could have to wait for."""
    heard: list[int] = []
    previous = signal.signal(signal.SIGHUP, lambda number, frame: heard.append(number))
    try:
        yield heard
    finally:
        signal.signal(signal.SIGHUP, previous)


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set. A second signal ends the process at once."""
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise EndedAtOnce(128 + number)
        stop.set()

    numbers = (signal.SIGTERM, signal.SIGINT)
    previous = [signal.signal(number, on_signal) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, previous, strict=True):
            signal.signal(number, handler)


@dataclass(frozen=True, slots=True)
class JarState:
    name: str
    state: str  # "verified", "missing" or "damaged"


def describe_java(settings: Settings) -> str:
    """Which Java would run Spark, in words. Raises what starting Spark would raise."""
    from sqe.engines.spark.java import find_java

    java = find_java(Path(settings.spark.java) if settings.spark.java else None)
    return f"{java.version}, from {java.origin}: {java.executable}"


def list_jars(settings: Settings) -> list[JarState]:
    """The pinned jars and whether the cache has them, every byte checked."""
    from sqe.engines.spark.jars import JARS

    cache = settings.spark.jars or settings.home / "jars"
    states = []
    for jar in JARS:
        try:
            with (cache / jar.file_name).open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
        except OSError:
            states.append(JarState(jar.file_name, "missing"))
            continue
        good = digest == jar.sha256
        states.append(JarState(jar.file_name, "verified" if good else "damaged"))
    return states
