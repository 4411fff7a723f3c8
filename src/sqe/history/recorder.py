"""Writes queries into the history: one thread, many rows at a time, never in a query's way."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqe.audit.events import QueryEvent, RuleEvent
from sqe.audit.redact import redact
from sqe.errors import SqeError
from sqe.model.access_event import AccessEvent
from sqe.model.query import QueryRecord
from sqe.store.history import HistoryStore, Process
from sqe.store.query_rows import row_of

_log = logging.getLogger(__name__)
_TEXT = 100_000  # characters of a statement that are kept
_AT_ONCE = 1_000  # rows of one transaction
_BEAT_S = 10.0  # how often a process with running queries says that it lives
_GONE_S = 90.0  # and how long after it has last done so it is taken for dead
_TIDY_S = 600.0
_LONGEST_WAIT_S = 30.0  # for a database that cannot be used
_CLOSE_S = 3.0
_PROGRESS = "progress"


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """0: no limit."""

    delay_s: float = 0.5
    waiting: int = 10_000
    keep_s: float = 0.0
    keep_bytes: int = 0


class HistoryRecorder:
    """Implements ``EventSink``. A query is written when it has ended, or has run for a while: what
    is not ended when the process dies is found by the next one of the same ``home``, and marked.
    What cannot be written waits, up to a limit; ``lost`` counts what was given up."""

    def __init__(
        self,
        store: HistoryStore,
        home: str,
        limits: HistoryLimits = HistoryLimits(),  # noqa: B008  frozen
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.lost = 0
        self._store = store
        self._limits = limits
        self._clock = clock
        self._process = Process(secrets.token_hex(8), home)
        self._lock = threading.Lock()
        self._waiting: dict[str, QueryRecord] = {}
        self._running: set[str] = set()  # those that the database has as running
        self._told_lost = 0
        self._beat_at = self._tidy_at = 0.0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Nothing is kept of what has happened before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="history", daemon=True)
            self._thread.start()

    def emit(self, event: QueryEvent) -> None:
        """On the query's own thread: it only leaves the record."""
        if event.name == _PROGRESS or self._thread is None:
            return
        record = event.record
        with self._lock:
            if len(self._waiting) >= self._limits.waiting and record.query_id not in self._waiting:
                self.lost += record.state.ended
                return
            self._waiting[record.query_id] = record

    def note_change(self, event: RuleEvent) -> None:
        return None

    def note_access(self, event: AccessEvent) -> None:
        return None

    def close(self) -> None:
        """Writes what waits, if the database takes it in time."""
        self._stop.set()
        if self._thread is None:
            return
        self._thread.join(_CLOSE_S)
        if self._thread.is_alive():
            _log.warning("the history could not be written to its end")

    def _run(self) -> None:
        wait = self._limits.delay_s
        while not self._stop.wait(wait):
            wait = self._limits.delay_s if self._work() else min(wait * 2, _LONGEST_WAIT_S)
        with self._lock:
            idle = not self._waiting
        if not idle:
            self._work()
        with self._lock:
            self.lost += sum(record.state.ended for record in self._waiting.values())
        self._tell_lost()

    def _work(self) -> bool:
        """False: the database cannot be used now. Nothing may end the thread."""
        try:
            self._tidy()
            self._write()
            self._beat()
        except Exception as error:  # noqa: BLE001
            _log.warning("the history cannot be written: %s", error)
            return False
        finally:
            self._tell_lost()
        return True

    def _write(self) -> None:
        while True:
            with self._lock:
                batch = dict(list(self._waiting.items())[:_AT_ONCE])
            if not batch:
                return
            written = self._write_batch(batch)
            with self._lock:
                for query_id, record in batch.items():
                    if self._waiting.get(query_id) is record:  # and not a newer one
                        del self._waiting[query_id]
            for query_id in written:
                ended = batch[query_id].state.ended
                (self._running.discard if ended else self._running.add)(query_id)

    def _write_batch(self, batch: Mapping[str, QueryRecord]) -> list[str]:
        """Which of them are written. Of several one may be at fault, and the others are not lost
        with it."""
        rows: dict[str, dict[str, Any]] = {}
        for query_id, record in batch.items():
            try:
                rows[query_id] = row_of(_redact(record), self._process.id)
            except (TypeError, ValueError):
                self.lost += 1
        try:
            self._store_rows(list(rows.values()))
            return list(rows)
        except SqeError as error:
            self._store_rows([])  # raises where it is the database that is at fault
            if len(batch) == 1:
                _log.warning("a query is missing in the history: %s", error)
                self.lost += 1
                return []
        halves = list(batch.items())
        middle = len(halves) // 2
        return [
            query_id
            for half in (halves[:middle], halves[middle:])
            for query_id in self._write_batch(dict(half))
        ]

    def _store_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        now = self._clock()
        self._store.write(self._process, now, rows)
        self._beat_at = now

    def _beat(self) -> None:
        if self._running and not 0 <= self._clock() - self._beat_at < _BEAT_S:
            self._store_rows([])

    def _tidy(self) -> None:
        """At the start and then now and again: what others have left, and what is too old."""
        now, limits = self._clock(), self._limits
        if 0 <= now - self._tidy_at < _TIDY_S:
            return
        lost = self._store.mark_lost(self._process, now - _GONE_S)
        if lost:
            _log.warning("%d queries ran when their server died; the history says so", lost)
        if limits.keep_s:
            self._store.delete_older(now - limits.keep_s)
        if limits.keep_bytes:
            self._store.shrink(limits.keep_bytes)
        self._tidy_at = now

    def _tell_lost(self) -> None:
        if self.lost > self._told_lost:
            _log.warning("%d queries are missing in the history", self.lost - self._told_lost)
            self._told_lost = self.lost


def _redact(record: QueryRecord) -> QueryRecord:
    """Without secrets. Cut last: half a secret does not look like one."""
    return replace(
        record,
        text=redact(record.text)[:_TEXT],
        error_message=redact(record.error_message)[:_TEXT],
    )
