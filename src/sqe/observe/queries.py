"""What becomes of queries, logins and sessions, counted from their events."""

from __future__ import annotations

import threading

from sqe.audit.events import QueryEvent, RuleEvent
from sqe.errors import ErrorCode
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.query import QueryRecord, RouteCause
from sqe.observe import families
from sqe.observe.metrics import Metrics

_NOT_PLANNING = ("start", "rows")  # stages of the pipe that come after the choice of an engine
_MOST_KINDS = 300
_MOST_USERS = 1_000
_OPERATIONS = ("append", "overwrite", "replace", "delete")
_SESSIONS = {
    AccessKind.SESSION_OPENED: "opened",
    AccessKind.SESSION_REFUSED: "refused",
    AccessKind.SESSION_ENDED: "closed",
}
_FALLBACKS = {
    RouteCause.UNPROVEN: "unproven",
    RouteCause.SIZE: "size",
    RouteCause.TURNED_OFF: "turned_off",
    RouteCause.GAVE_UP: "gave_up",
    RouteCause.FAILED: "failed",
}


class QueryMetrics:
    """Implements ``EventSink``. All times are of clocks that never jump."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._kinds = _Bounded(_MOST_KINDS)
        self._users = _Bounded(_MOST_USERS)

    def emit(self, event: QueryEvent) -> None:
        record = event.record
        if record.state.ended:
            self._note_end(record)
        elif event.name == "queued":
            self._metrics.count(families.QUERIES_STARTED, (record.origin.protocol,))
        elif event.name == "planning":
            self._metrics.observe(families.WAITING_SECONDS, record.elapsed_s)

    def note_change(self, event: RuleEvent) -> None:
        return None

    def note_access(self, event: AccessEvent) -> None:
        if event.kind is AccessKind.LOGIN:
            self._metrics.count(families.LOGINS, (event.method, "accepted"))
        elif event.kind is AccessKind.LOGIN_FAILED:
            self._metrics.count(families.LOGINS, (event.method, event.reason))
        elif event.kind in _SESSIONS:
            self._metrics.count(families.SESSIONS, (event.reason or _SESSIONS[event.kind],))

    def close(self) -> None:
        return None

    def _note_end(self, record: QueryRecord) -> None:
        metrics, state = self._metrics, record.state.value
        engine = record.route.engine.value if record.route is not None else "none"
        kind = self._kinds.of(record.kind or "unknown")
        error = _category(record.error_code)
        metrics.count(families.QUERIES, (state, kind, engine, record.origin.protocol, error))
        if record.error_code:
            code = record.error_code if error != "none" else "unknown"
            metrics.count(families.QUERY_ERRORS, (code,))
        if metrics.has(families.USER_QUERIES):
            metrics.count(families.USER_QUERIES, (self._users.of(record.user), state))
        metrics.observe(families.QUERY_SECONDS, record.elapsed_s, (engine, state))
        planned = [s for name, s in record.stage_seconds.items() if name not in _NOT_PLANNING]
        if planned:
            metrics.observe(families.PLANNING_SECONDS, sum(planned), (engine,))
        if record.first_row_s is not None:
            metrics.observe(families.FIRST_ROW_SECONDS, record.first_row_s, (engine,))
        if not record.error_code:
            metrics.observe(families.QUERY_ROWS, record.rows, (engine,))
            metrics.observe(families.QUERY_BYTES, record.bytes, (engine,))
        self._note_work(record, engine)
        self._note_writes(record)

    def _note_work(self, record: QueryRecord, engine: str) -> None:
        if record.work.bytes:
            self._metrics.count(families.SCANNED_BYTES, (engine,), record.work.bytes)
        if record.work.spilled_bytes:
            self._metrics.count(families.SPILLED_BYTES, (engine,), record.work.spilled_bytes)
        fallback = _FALLBACKS.get(record.route.cause) if record.route is not None else None
        if fallback is not None:
            self._metrics.count(families.FALLBACKS, (fallback,))

    def _note_writes(self, record: QueryRecord) -> None:
        for snapshot in record.written:
            known = snapshot.operation in _OPERATIONS
            operation = snapshot.operation if known else "unknown"
            self._metrics.count(families.COMMITS, (operation,))
            self._metrics.count(families.WRITTEN_FILES, amount=max(0, snapshot.files))
            self._metrics.count(families.WRITTEN_BYTES, amount=max(0, snapshot.bytes))
        conflicted = record.error_code == ErrorCode.COMMIT_CONFLICT.name
        if record.reruns:
            self._metrics.count(families.RERUNS, amount=record.reruns)
        if record.reruns or conflicted:
            self._metrics.count(families.CONFLICTS, amount=record.reruns + conflicted)


class _Bounded:
    """The first values stay what they are; all later ones are one. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._values: set[str] = set()

    def of(self, value: str) -> str:
        if value in self._values:
            return value
        with self._lock:
            if len(self._values) >= self._most and value not in self._values:
                return "other"
            self._values.add(value)
        return value


def _category(code: str) -> str:
    """The category of an error's code; ``none`` where there is no such code."""
    known = ErrorCode.__members__.get(code)
    return known.category.value if known is not None else "none"
