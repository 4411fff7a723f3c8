"""Where the event loop meets threads: the only file that knows both.

Requests are handled on the event loop; the gateway is synchronous. What may take a while is handed
to a thread, and what threads have made ready is waited for without one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")
_THREADS = 32


class Bridge:
    """A few threads for everything that must not keep the event loop waiting."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="trino")

    async def call(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class Bell:
    """Rung by threads, heard on event loops (there are two while a certificate is changed)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = set()

    def ring(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, set()
        for loop, future in waiting:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_wake, future)

    async def until(self, ready: Callable[[], bool], timeout_s: float) -> bool:
        """Waits until ``ready`` says so; it is asked whenever the bell rings. False if it took
        too long."""
        loop = asyncio.get_running_loop()
        deadline = time.monotonic() + timeout_s
        while True:
            future: asyncio.Future[None] = loop.create_future()
            entry = (loop, future)
            with self._lock:
                self._waiting.add(entry)
            try:
                if ready():
                    return True
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                await asyncio.wait([future], timeout=left)
            finally:
                with self._lock:
                    self._waiting.discard(entry)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
