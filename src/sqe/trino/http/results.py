"""A query's rows on their way from the thread that reads them to the requests that ask for them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import SqeError
from sqe.model.query import Outcome
from sqe.trino.http.bridge import Bell
from sqe.trino.http.segments import Packing

_AHEAD = 2  # pages made before anyone asks for them
# Every page is a request, with a handful of handovers between threads and processes: a busy machine
# takes longer for those than for the rows. So the pages of a large result become larger.
_GROWTH, _LARGEST = 2, 8  # times the page before, the first page


@dataclass(frozen=True, slots=True)
class Part:
    """What is new for a page. ``data`` is JSON, empty without rows; nothing is after ``last``."""

    data: bytes = b""
    last: bool = False
    error: SqeError | None = None


@dataclass(frozen=True, slots=True)
class _Gathered:
    texts: list[bytes]
    rows: int
    offset: int


class Results:
    """One thread reads the query and fills it, requests empty it. It holds a few pages at most:
    a client that does not ask makes the engine wait."""

    def __init__(self, packing: Packing, page_bytes: int) -> None:
        self.bell = Bell()
        self.packing = packing
        self.columns = b""  # as JSON; empty until they are known, and of statements without
        self.outcome = Outcome()
        self.rows = 0
        self.update_count: int | None = None
        self.error: SqeError | None = None
        self._largest = page_bytes * _LARGEST
        self.page_bytes = page_bytes  # of the page that is being filled
        self._changed = threading.Condition()
        self._sealed: deque[bytes] = deque()
        self._texts: list[bytes] = []
        self._size = self._count = 0
        self._opened = self._finished = self._stopped = False
        self._close: Callable[[], None] | None = None

    @property
    def opened(self) -> bool:
        """The columns are known, or there will be none."""
        return self._opened or self._finished

    def open(self, outcome: Outcome, close: Callable[[], None]) -> None:
        """``close`` ends the reading, from any thread."""
        with self._changed:
            self.outcome = outcome
            self._close = close
        if self._stopped:
            close()

    def tell_columns(self, columns: bytes) -> None:
        """What the rows to come are."""
        with self._changed:
            self.columns = columns
            self._opened = True
        self.bell.ring()

    def put(self, text: bytes, rows: int) -> bool:
        """Waits for room. False if nobody wants rows any more."""
        with self._changed:
            full = bool(self._texts) and self._size + len(text) > self.page_bytes
            if full:
                self._changed.wait_for(lambda: len(self._sealed) < _AHEAD or self._stopped)
            if self._stopped:
                return False
            waiting = self._gather() if full else None
        if waiting is not None:
            data = self._pack(waiting)  # without the lock: requests must not wait for it
            with self._changed:
                self._sealed.append(data)
                self.page_bytes = min(self.page_bytes * _GROWTH, self._largest)
            self.bell.ring()
        with self._changed:
            self._texts.append(text)
            self._size += len(text) + 1
            self._count += rows
        return True

    def finish(self, update_count: int | None = None) -> None:
        with self._changed:
            self.update_count = update_count
            self._finished = True
        self.bell.ring()

    def fail(self, error: SqeError) -> None:
        """What was not asked for yet is dropped: the client hears of the error next. Not of one
        that comes too late: a write that has happened is not called cancelled."""
        with self._changed:
            left = self._sealed or self._texts
            if self._finished and (self.outcome.update_type or not left):
                return
            self.error = error
            self._finished = True
            self._sealed.clear()
            self._gather()
        self.bell.ring()

    def stop(self) -> None:
        """Nobody wants more rows."""
        with self._changed:
            self._stopped = True
            close = self._close
            self._changed.notify_all()
        if close is not None:
            close()
        self.bell.ring()

    @property
    def ready(self) -> bool:
        """There is a whole page, or the end."""
        return bool(self._sealed) or self._finished

    def take(self) -> Part:
        """What there is, even if it is little or nothing."""
        with self._changed:
            if self.error is not None:
                return Part(last=True, error=self.error)
            if self._sealed:
                data = self._sealed.popleft()
            else:
                waiting = self._gather()
                data = self._pack(waiting) if waiting is not None else b""
            last = self._finished and not self._sealed and not self._texts
            self._changed.notify_all()
            return Part(data, last)

    def _gather(self) -> _Gathered | None:
        """Takes out what waits to become a page."""
        if not self._texts:
            return None
        gathered = _Gathered(self._texts, self._count, self.rows)
        self.rows += self._count
        self._texts, self._size, self._count = [], 0, 0
        return gathered

    def _pack(self, gathered: _Gathered) -> bytes:
        return self.packing.pack(b",".join(gathered.texts), gathered.rows, gathered.offset)
