"""The columns of ``system.runtime.queries`` and ``system.history.queries``, and their values.

The first has Trino's columns; the second all that is kept.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from typing import Any

from sqe.errors import ErrorCode
from sqe.model.query import Column, QueryRecord, QueryState

Row = tuple[Any, ...]
SYSTEM, RUNTIME, HISTORY, QUERIES = "system", "runtime", "history", "queries"
_ANALYSIS = ("parse", "bind", "decide", "guard")
_PLANNING = ("route", "start")
_MERGED = {QueryState.CANCELLED: QueryState.FAILED}  # in Trino's words; the others are the same


def _columns(kind: str, *names: str) -> tuple[Column, ...]:
    return tuple(Column(name, kind) for name in names)


RESOURCE_GROUP = Column("resource_group_id", "array<string>")
RUNTIME_COLUMNS = (
    *_columns("string", "query_id", "state", "user", "source", "query"),
    RESOURCE_GROUP,
    *_columns("bigint", "queued_time_ms", "analysis_time_ms", "planning_time_ms"),
    *_columns("timestamp", "created", "started", "last_heartbeat", "end"),
    *_columns("string", "error_type", "error_code"),
)
HISTORY_COLUMNS = (
    *_columns("string", "query_id", "state", "user", "groups", "principal"),
    *_columns("string", "protocol", "client_address", "source", "session_id"),
    *_columns("string", "resource_group"),
    *_columns("string", "dialect", "kind", "query", "engine", "engine_reason"),
    *_columns("timestamp", "created", "started", "end"),
    *_columns("bigint", "elapsed_time_ms", "queued_time_ms", "analysis_time_ms"),
    *_columns("bigint", "planning_time_ms"),
    *_columns("string", "stages"),
    *_columns("bigint", "rows", "bytes", "rows_inserted", "rows_updated", "rows_deleted"),
    *_columns("string", "tables_read", "columns_read", "snapshots_read"),
    *_columns("string", "tables_written", "snapshots_written"),
    *_columns("bigint", "files_scanned", "bytes_scanned", "rows_scanned", "bytes_spilled"),
    *_columns("string", "error_type", "error_code", "error_message"),
    *_columns("string", "trace_id", "plan", "operators"),
)


def states_of_name(name: str) -> frozenset[QueryState]:
    """Those that ``system.runtime.queries`` shows by this name."""
    return frozenset(state for state in QueryState if _MERGED.get(state, state).name == name)


def runtime_row(record: QueryRecord, error: tuple[str | None, str | None]) -> Row:
    """``error``: type and name of its error, in the words of the dialect."""
    started = record.created + record.stage_seconds.get("queue", 0.0)
    return (
        record.query_id,
        _MERGED.get(record.state, record.state).name,
        record.user,
        record.source or None,
        record.text,
        (record.resource_group or "global").split("."),
        *_times(record),
        _moment(record.created),
        _moment(started),
        _moment(record.ended or started),
        _moment(record.ended),
        *error,
    )


def error_of(record: QueryRecord) -> tuple[str | None, str | None]:
    code = ErrorCode.__members__.get(record.error_code)
    return (code.category.name, code.name) if code is not None else (None, None)


def history_row(record: QueryRecord) -> Row:
    route, origin, work = record.route, record.origin, record.work
    ended = record.ended
    affected = record.affected.counts if record.affected is not None else {}
    read = [use for use in record.relations if use.access == "read"]
    changed = [use.name for use in record.relations if use.access not in ("read", "describe")]
    return (
        record.query_id,
        record.state.name,
        record.user,
        _join_names(record.groups),
        origin.principal or record.user,
        origin.protocol,
        origin.address or None,
        record.source or None,
        record.session_id[:8] or None,
        record.resource_group or None,
        record.dialect,
        record.kind or None,
        record.text,
        route.engine.value if route is not None else None,
        route.reason if route is not None else None,
        _moment(record.created),
        _moment(record.created + record.stage_seconds.get("queue", 0.0)),
        _moment(ended),
        None if ended is None else max(0, round(1000 * (ended - record.created))),
        *_times(record),
        json.dumps({name: round(1000 * s, 3) for name, s in record.stage_seconds.items()}),
        record.rows,
        record.bytes,
        *(affected.get(name) for name in ("inserted", "updated", "deleted")),
        _join_names(use.name for use in read),
        _join_names(f"{use.name}.{column}" for use in read for column in use.columns),
        _join_names(f"{use.name}@{use.snapshot_id}" for use in read if use.snapshot_id is not None),
        _join_names(changed),
        _join_names(f"{snapshot.table}@{snapshot.snapshot_id}" for snapshot in record.written),
        work.files,
        work.bytes,
        work.rows,
        work.spilled_bytes,
        *error_of(record),
        record.error_message or None,
        record.trace_id or None,
        record.profile.plan or None,
        record.profile.operators or None,
    )


def _times(record: QueryRecord) -> tuple[int, int, int]:
    """Queued, analysed, planned; in milliseconds."""
    stages = record.stage_seconds
    return (
        _milliseconds(stages, ("queue",)),
        _milliseconds(stages, _ANALYSIS),
        _milliseconds(stages, _PLANNING),
    )


def _milliseconds(seconds: dict[str, float], stages: tuple[str, ...]) -> int:
    return round(1000 * sum(seconds.get(stage, 0.0) for stage in stages))


def _join_names(names: Iterable[str]) -> str | None:
    """As one text: lists are columns that only Spark reads."""
    return ", ".join(dict.fromkeys(names)) or None


def _moment(seconds: float | None) -> datetime.datetime | None:
    """In milliseconds, as Trino keeps it."""
    if seconds is None:
        return None
    whole = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    return whole + datetime.timedelta(milliseconds=int(seconds % 1 * 1000))
