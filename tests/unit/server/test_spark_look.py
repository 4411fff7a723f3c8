"""What the metrics read of Spark's JVM: seldom, from a thread of its own, and never of another."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from sqe.engines.spark.activity import attach_socket
from sqe.engines.spark.server import SparkServer
from sqe.server.metrics import SparkLook

_HEAP = " garbage-first heap   total 2048K, used 1024K [0x1, 0x2)\n Metaspace  used 73K\n"
_THREADS = '"t" #1 tid=0x1 nid=1\n  at executor.Executor$TaskRunner.run(Executor.scala)\n'


class Jvm:
    """Answers at the socket of this process, as a JVM does at its own."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self._path = attach_socket(os.getpid())
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self._path))
        self._socket.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                request = connection.recv(4096)
                self.asked.append(request)
                answer = _HEAP if b"heap_info" in request else _THREADS
                connection.sendall(f"0\n{answer}".encode())

    def close(self) -> None:
        self._socket.close()
        self._path.unlink(missing_ok=True)


@pytest.fixture
def jvm() -> Iterator[Jvm]:
    made = Jvm()
    yield made
    made.close()


def _spark(pid: int | None) -> SparkServer:
    return cast(SparkServer, SimpleNamespace(pid=pid))


def _wait_for_heap(look: SparkLook) -> None:
    deadline = time.monotonic() + 30
    while not look.heap() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_the_jvm_is_asked_once_in_ten_seconds(jvm: Jvm) -> None:
    now = [0.0]
    look = SparkLook(_spark(os.getpid()), clock=lambda: now[0])
    _wait_for_heap(look)
    assert look.heap() == {("used",): 1024 * 1024, ("committed",): 2048 * 1024}
    assert look.tasks() == {("running",): 1, ("killed",): 0}
    for _ in range(100):
        look.heap()
    assert len(jvm.asked) == 2  # for the heap and for the threads
    now[0] += 11
    deadline = time.monotonic() + 30
    while len(jvm.asked) < 4 and time.monotonic() < deadline:
        assert look.heap()  # what was said last, meanwhile
        time.sleep(0.01)
    assert len(jvm.asked) == 4


def test_without_a_spark_there_is_nothing() -> None:
    look = SparkLook(_spark(None))
    assert look.heap() == {} and look.tasks() == {}


def test_a_jvm_that_says_nothing_keeps_no_scrape_waiting() -> None:
    look = SparkLook(_spark(2**22 + 1))  # no process has this number
    started = time.monotonic()
    assert look.heap() == {} and look.tasks() == {}
    assert time.monotonic() - started < 5
