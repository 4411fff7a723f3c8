"""The bounded buffer between the thread that runs a query and whoever reads its result."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator

import pyarrow as pa

from sqe.errors import SqeError


class BatchBuffer:
    """Holds at most ``limit`` batches: a slow reader makes the engine wait, not the memory grow."""

    def __init__(self, limit: int = 2) -> None:
        self._limit = limit
        self._batches: deque[pa.RecordBatch] = deque()
        self._changed = threading.Condition()
        self._finished = False
        self._closed = False
        self._error: SqeError | None = None

    def put(self, batch: pa.RecordBatch) -> bool:
        """Waits for room. False if the reader has gone away: stop producing."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._batches) < self._limit or self._closed or self._error
            )
            if self._closed or self._error:
                return False
            self._batches.append(batch)
            self._changed.notify_all()
            return True

    def finish(self) -> None:
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def fail(self, error: SqeError) -> None:
        """The reader gets the error at its next step, ahead of batches still waiting."""
        with self._changed:
            if self._error is None and not self._finished:
                self._error = error
                self._batches.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """The reader is done, whether it read everything or not."""
        with self._changed:
            self._closed = True
            self._batches.clear()
            self._changed.notify_all()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._batches or self._finished or self._error or self._closed
                )
                if self._error is not None:
                    raise self._error
                if self._closed or not self._batches:
                    return
                batch = self._batches.popleft()
                self._changed.notify_all()
            yield batch
