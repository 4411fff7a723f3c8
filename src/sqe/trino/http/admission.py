"""Lets a statement wait for its turn where the gateway would refuse it: too many are running."""

from __future__ import annotations

import threading
from collections import Counter

from sqe.errors import ErrorCode, ResourceError
from sqe.trino.http.bridge import Bell
from sqe.trino.http.errors import busy
from sqe.trino.http.options import TrinoOptions


class Admission:
    """Counts the statements of this protocol only: others may still take a statement's place, and
    then its client is told to try again."""

    def __init__(self, options: TrinoOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._bell = Bell()
        self._running: Counter[str] = Counter()

    async def enter(self, user: str) -> None:
        """Status 429 if no statement has ended for too long."""
        if not await self._bell.until(lambda: self._entered(user), self._options.queue_s):
            raise busy(ResourceError(ErrorCode.TOO_MANY_QUERIES, "Too many queries are running."))

    def leave(self, user: str) -> None:
        with self._lock:
            self._running[user] -= 1
            if self._running[user] <= 0:
                del self._running[user]
        self._bell.ring()

    def _entered(self, user: str) -> bool:
        with self._lock:
            room = self._running.total() < self._options.running
            if not room or self._running[user] >= self._options.running_per_user:
                return False
            self._running[user] += 1
            return True
