"""One query's cancel switch: anyone may set it, and the thread that runs the query sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqe.errors import ErrorCode, SqeError, UserError


class Cancellation:
    """Thread-safe. ``error`` is what the query's owner is told; by default CANCELLED."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._error: SqeError | None = None
        self._held = 0
        self._waiting: SqeError | None = None
        self._too_late = False

    @property
    def error(self) -> SqeError | None:
        return self._error

    def cancel(self, error: SqeError | None = None) -> bool:
        """True for the call that cancelled; later calls change nothing."""
        error = error or UserError(ErrorCode.CANCELLED, "The query was cancelled.")
        with self._lock:
            if self._error is not None:
                return False
            if self._held:
                self._waiting = self._waiting or error
                return True
            if not self._too_late:
                self._error = error
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:  # too late or not, the work may stop
            callback()
        return not self._too_late

    @contextmanager
    def hold(self, *, final: bool) -> Iterator[None]:
        """Around a commit: a cancelled query does not begin it, and a cancel meanwhile waits.

        When the commit is there and it was the ``final`` one, the query has succeeded: nobody is
        told any more that it was cancelled.
        """
        with self._lock:
            if self._error is not None:
                raise self._error
            self._held += 1
        done = False
        try:
            yield
            done = True
        finally:
            with self._lock:
                self._held -= 1
                self._too_late = self._too_late or (done and final)
                waiting, self._waiting = (
                    (None, self._waiting) if self._held else (self._waiting, None)
                )
            if waiting is not None:
                self.cancel(waiting)

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Calls back when cancelled, or at once if that has happened already."""
        with self._lock:
            if self._error is None:
                self._callbacks.append(callback)
                return
        callback()

    def check(self) -> None:
        """Raises if cancelled. Called between stages, so that a cancel is seen soon."""
        if self._error is not None:
            raise self._error
