"""The memory that all local queries share."""

from __future__ import annotations

import threading
import time
from collections import deque

from sqe.results.cancellation import Cancellation


class MemoryBudget:
    """Hands out parts of ``total`` bytes; who finds too little left waits for his turn."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._free = total
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
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return 0
                    self._changed.wait(left)
                cancellation.check()
                granted = max(floor, min(wanted, self._free // 2))
                self._free -= granted
                return granted
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def give_back(self, granted: int) -> None:
        with self._changed:
            self._free += granted
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
