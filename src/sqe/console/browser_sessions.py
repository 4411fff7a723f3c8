"""Who has logged in, each in a browser of their own; what they run, and when they are gone."""

from __future__ import annotations

import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from sqe.client.transport import Transport
from sqe.console.runs import Limits, Run
from sqe.errors import ErrorCode, ResourceError, SqeError, UserError
from sqe.model.query import Parameter

_MOST_SESSIONS = 1_000
_MOST_RUNS = 20  # of one session; the oldest that has ended makes room
_MOST_RUNNING = 8
_LOOKUP_ROWS = 20_000


def _do_nothing() -> None:
    return None


class BrowserSession:
    """One login: two sessions at the gateway (what they ask, what the pages look up) and the
    results that are kept for them. Thread-safe."""

    def __init__(
        self,
        open_session: Callable[[str], Transport],
        limits: Limits,
        forget_login: Callable[[], None] = _do_nothing,
    ) -> None:
        self._open_session = open_session
        self._limits = limits
        self._forget_login = forget_login
        self._asks = open_session("sqe-console")
        self._lookups: Transport | None = None
        self.user = self._asks.user()
        self.seen = time.monotonic()
        self._folder = Path(mkdtemp(prefix="sqe-console-"))
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._lock = threading.Lock()

    def start_run(self, text: str) -> Run:
        """TOO_MANY_QUERIES if that many are under way."""
        with self._lock:
            running = [run for run in self._runs.values() if not run.ended]
            if len(running) >= _MOST_RUNNING:
                raise ResourceError(
                    ErrorCode.TOO_MANY_QUERIES,
                    f"{len(running)} of your statements are running in the console.",
                    hint="Wait for one of them, or cancel it.",
                )
            run = Run(self._asks, text, self._folder, self._limits)
            self._runs[run.id] = run
            ended = [run.id for run in self._runs.values() if run.ended]
            left = [self._runs.pop(name) for name in ended[: max(0, len(self._runs) - _MOST_RUNS)]]
        for old in left:
            old.close()
        return run

    def run(self, name: str) -> Run:
        """QUERY_NOT_FOUND for one that is not this session's, or is not kept any more."""
        with self._lock:
            run = self._runs.get(name)
        if run is None:
            raise UserError(
                ErrorCode.QUERY_NOT_FOUND,
                "This result is not kept any more.",
                hint="Run the statement again.",
            )
        return run

    def drop_run(self, name: str) -> None:
        with self._lock:
            run = self._runs.pop(name, None)
        if run is not None:
            run.close()

    def look_up(self, text: str, parameters: list[Parameter]) -> tuple[list[Any], list[Any]]:
        """The columns and the first rows of a small answer, for the pages."""
        from sqe.console.cells import page_of

        with self._lock:
            if self._lookups is None:
                self._lookups = self._open_session("sqe-console-pages")
        rows: list[Any] = []
        with self._lookups.execute(text, parameters).result() as stream:
            kinds = [column.type for column in stream.columns]
            for batch in stream:
                rows += page_of(batch.slice(0, _LOOKUP_ROWS - len(rows)), kinds)
                if len(rows) >= _LOOKUP_ROWS:
                    break
        return [[column.name, column.type] for column in stream.columns], rows

    def close(self) -> None:
        """Everything of it ends; what still runs is cancelled."""
        with self._lock:
            runs, self._runs = list(self._runs.values()), OrderedDict()
        for run in runs:
            run.close()
        for transport in (self._asks, self._lookups):
            if transport is not None:
                with suppress(SqeError):
                    transport.close()
        with suppress(SqeError):
            self._forget_login()
        shutil.rmtree(self._folder, ignore_errors=True)


class BrowserSessions:
    """By the secret in their cookie. Those who were idle too long are shown out."""

    def __init__(self, idle_s: float) -> None:
        self._idle_s = idle_s
        self._sessions: dict[str, BrowserSession] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="console-idle", daemon=True)
        self._thread.start()

    def add(self, session: BrowserSession) -> str:
        """The cookie's value: a new one for each login, so that nobody can fix it beforehand."""
        name = secrets.token_urlsafe(32)
        with self._lock:
            full = len(self._sessions) >= _MOST_SESSIONS
            if not full:
                self._sessions[name] = session
        if full:
            session.close()
            raise ResourceError(
                ErrorCode.TOO_MANY_SESSIONS,
                "Too many people have the console open.",
                hint="Try again later.",
            )
        return name

    def find(self, name: str) -> BrowserSession | None:
        with self._lock:
            session = self._sessions.get(name)
            if session is not None:
                session.seen = time.monotonic()
        return session

    def end(self, name: str) -> None:
        with self._lock:
            session = self._sessions.pop(name, None)
        if session is not None:
            session.close()

    def close(self) -> None:
        self._stop.set()
        with self._lock:
            names = list(self._sessions)
        for name in names:
            self.end(name)

    def _watch(self) -> None:
        while not self._stop.wait(min(30.0, self._idle_s)):
            end = time.monotonic() - self._idle_s
            with self._lock:
                idle = [name for name, session in self._sessions.items() if session.seen < end]
            for name in idle:
                self.end(name)
