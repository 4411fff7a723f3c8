"""The memory that all local queries share."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from sqe.results.cancellation import Cancellation


class MemoryBudget:
    """Hands out parts of ``total`` bytes; who finds too little left waits for his turn, unless
    ``reclaim`` frees something that is not in use. It answers whether it did, through
    ``give_back``."""

    def __init__(self, total: int, reclaim: Callable[[], bool] = lambda: False) -> None:
        self._total = total
        self._free = total
        self._reclaim = reclaim
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()  # who came first is served first

    @property
    def used_memory(self) -> int:
        return self._total - self._free

    @property
    def waiting_count(self) -> int:
        """How many wait for memory."""
        return len(self._waiting)

    def take(self, floor: int, wanted: int, wait_s: float, cancellation: Cancellation) -> int:
        """Between ``floor`` and ``wanted`` bytes: a query takes at most half of what is left, so
        that a big one does not keep everybody else waiting. 0 if there is not enough in time."""
        deadline = time.monotonic() + wait_s
        cancellation.on_cancel(self._wake)
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                while self._waiting[0] is not ticket or self._free < floor:
                    cancellation.check()
                    if self._waiting[0] is ticket and self._reclaim():
                        continue
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return 0
                    self._changed.wait(left)
                cancellation.check()
                granted = self._share(floor, wanted)
                self._free -= granted
                return granted
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def share(self, floor: int, wanted: int) -> int:
        """What ``take`` would give now, if it gave anything."""
        with self._changed:
            return self._share(floor, wanted)

    def _share(self, floor: int, wanted: int) -> int:
        return max(floor, min(wanted, self._free // 2))

    def try_take(self, size: int) -> bool:
        """Exactly that much, at once, and before nobody who waits."""
        with self._changed:
            if self._waiting or self._free < size:
                return False
            self._free -= size
            return True

    def give_back(self, granted: int) -> None:
        with self._changed:
            self._free += granted
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
