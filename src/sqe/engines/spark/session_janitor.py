"""Looks after Spark sessions from time to time, on a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import SqeError

_log = logging.getLogger(__name__)
_LONGEST_WAIT_S = 10.0
_STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class SparkLimits:
    """``idle_s`` and ``recycle_after`` of 0: never."""

    sessions: int = 200
    sessions_per_user: int = 50
    idle_s: float = 1800.0
    recycle_after: int = 1000
    clock: Callable[[], float] = time.monotonic

    def too_idle(self, seconds: float) -> bool:
        return 0 < self.idle_s < seconds

    @property
    def look_every_s(self) -> float:
        return min(_LONGEST_WAIT_S, self.idle_s / 4 or _LONGEST_WAIT_S)


class SessionJanitor:
    """``tidy`` may take a while: it can start a server."""

    def __init__(self, tidy: Callable[[], None], limits: SparkLimits) -> None:
        self._tidy = tidy
        self._limits = limits
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """At the first session; later ones change nothing."""
        with self._lock:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="spark-upkeep", daemon=True)
                self._thread.start()

    def hurry(self) -> None:
        """There is something to do now."""
        self._wake.set()

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join(_STOP_S)

    def _run(self) -> None:
        while True:
            self._wake.wait(self._limits.look_every_s)
            self._wake.clear()
            if self._stopping:
                return
            try:
                self._tidy()
            except SqeError as error:
                if not self._stopping:
                    _log.warning("looking after Spark sessions failed: %s", error)
            except Exception:  # noqa: BLE001  it must go on
                _log.exception("looking after Spark sessions failed; the next look comes")
