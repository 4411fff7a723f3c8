"""Ends sessions that were idle or open for too long, and those whose login is over."""

from __future__ import annotations

import logging
import threading

from sqe.sessions.limits import Lifetimes
from sqe.sessions.store import SessionStore

_log = logging.getLogger(__name__)
_STOP_S = 5.0  # it may be waiting for Spark


class SessionReaper:
    """A thread of its own: freeing a session may take a while. Only a server has one; in a shell,
    the one session is its user's for as long as it is open."""

    def __init__(self, sessions: SessionStore, lifetimes: Lifetimes) -> None:
        self._sessions = sessions
        self._lifetimes = lifetimes
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def limit(self, lifetimes: Lifetimes) -> None:
        """From the next look on."""
        self._lifetimes = lifetimes

    def start(self) -> None:
        self._thread = threading.Thread(target=self._reap, name="session-reaper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_STOP_S)

    def _reap(self) -> None:
        while not self._stop.wait(self._lifetimes.look_every_s):
            try:
                count = self._sessions.expire(self._lifetimes)
            except Exception:  # noqa: BLE001  it must go on
                _log.exception("looking for expired sessions failed; the next look comes")
                continue
            if count:
                _log.info("%d sessions expired", count)
