"""One query's cancel switch: anyone may pull it, whoever does the work is told."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sqe.errors import ErrorCode, SqeError, UserError


class Cancellation:
    """Thread-safe. ``error`` is what the query's owner is told; by default CANCELLED."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._error: SqeError | None = None

    @property
    def error(self) -> SqeError | None:
        return self._error

    def cancel(self, error: SqeError | None = None) -> bool:
        """True for the call that cancelled; later calls change nothing."""
        with self._lock:
            if self._error is not None:
                return False
            self._error = error or UserError(ErrorCode.CANCELLED, "The query was cancelled.")
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
        return True

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
