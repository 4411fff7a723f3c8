"""A bounded store of what a catalog has answered, each answer to one login alone."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class TtlCache(Generic[_T]):
    """``seconds``: how long an answer is good; None: until it is pushed out. ``most``: weight of
    all that is kept; what was not used for longest goes first. Thread-safe."""

    def __init__(
        self,
        seconds: float | None,
        most: int,
        weight: Callable[[_T], int] = lambda value: 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._weight = weight
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[_T, float, int]] = OrderedDict()
        self._total = 0
        self._epoch = 0
        self._hits = self._misses = 0

    @property
    def looks(self) -> tuple[int, int]:
        """How many found something, and how many did not."""
        return self._hits, self._misses

    def get(self, key: Hashable) -> _T | None:
        with self._lock:
            value = self._get(key)
            if value is None:
                self._misses += 1
            else:
                self._hits += 1
            return value

    def _get(self, key: Hashable) -> _T | None:
        cached = self._kept.get(key)
        if cached is None:
            return None
        value, since, _ = cached
        if self._seconds is not None and self._clock() - since >= self._seconds:
            self._remove(key)
            return None
        self._kept.move_to_end(key)
        return value

    def put(self, key: Hashable, value: _T) -> None:
        with self._lock:
            self._put(key, value)

    def get_or_ask(self, key: Hashable, ask: Callable[[], _T]) -> _T:
        """What is kept, or else what ``ask`` answers. An answer from before a ``clear`` may be
        older than the change that it was for, so it is not kept."""
        cached = self.get(key)
        if cached is not None:
            return cached
        epoch = self._epoch
        value = ask()
        with self._lock:
            if epoch == self._epoch:
                self._put(key, value)
        return value

    def clear(self) -> None:
        with self._lock:
            self._epoch += 1
            self._kept.clear()
            self._total = 0

    def _put(self, key: Hashable, value: _T) -> None:
        self._remove(key)
        weight = self._weight(value)
        if weight > self._most or self._seconds == 0:
            return
        self._kept[key] = (value, self._clock(), weight)
        self._total += weight
        while self._total > self._most:
            self._remove(next(iter(self._kept)))

    def _remove(self, key: Hashable) -> None:
        removed = self._kept.pop(key, None)
        if removed is not None:
            self._total -= removed[2]
