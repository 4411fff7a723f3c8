"""Answers that are kept: for one identity, one question and one version of every source."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_T = TypeVar("_T")
MOST = 5_000  # answers; a key with a table of 100 columns is some 10 kB


class Answers(Generic[_T]):
    """``seconds``: how long an answer is good; 0: nothing is kept. Thread-safe.

    Whatever may change an answer is in its key, but for what the sources do not tell of: that is
    what the time is for.
    """

    def __init__(
        self, seconds: float, most: int = MOST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[Hashable, tuple[_T, float]] = {}

    def get(self, key: Hashable) -> _T | None:
        cached = self._kept.get(key)
        if cached is None or self._clock() >= cached[1]:
            return None
        return cached[0]

    def put(self, key: Hashable, value: _T) -> None:
        if self._seconds <= 0:
            return
        with self._lock:
            # Anew, so that the order is by age: the oldest goes first.
            self._kept.pop(key, None)
            self._kept[key] = (value, self._clock() + self._seconds)
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
