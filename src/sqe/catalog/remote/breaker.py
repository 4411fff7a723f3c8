"""Keeps queries from waiting, one after the other, for a service that hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqe.errors import ErrorCode, Unanswered

_TIMEOUTS = 5  # in a row
_REST_S = 5.0


class Breaker:
    """After some timeouts in a row calls fail at once for a few seconds; then one is let through,
    and if that is answered, all are. Thread-safe."""

    def __init__(
        self,
        what: str,
        timeouts: int = _TIMEOUTS,
        rest_s: float = _REST_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._most = timeouts
        self._rest_s = rest_s
        self._clock = clock
        self._lock = threading.Lock()
        self._timeouts = 0
        self._closed_until = 0.0
        self._probing = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Around each call. Any answer is one, and so is a connection that is refused at once."""
        probes = self._admit()
        timed_out = False
        try:
            yield
        except Unanswered as failure:
            timed_out = failure.timed_out
            raise
        finally:
            self._note_end(timed_out, probes)

    def _admit(self) -> bool:
        """Whether this call is the one that finds out."""
        with self._lock:
            if self._timeouts < self._most:
                return False
            if self._probing or self._clock() < self._closed_until:
                raise Unanswered(
                    ErrorCode.CATALOG_UNAVAILABLE,
                    f"{self._what} has not answered for a while, so it is not asked just now.",
                    timed_out=False,
                    maybe_done=False,
                )
            self._probing = True
            return True

    def _note_end(self, timed_out: bool, probed: bool) -> None:
        with self._lock:
            if probed:
                self._probing = False
            if not timed_out:
                self._timeouts = 0
                return
            self._timeouts += 1
            if self._timeouts >= self._most:
                self._closed_until = self._clock() + self._rest_s
