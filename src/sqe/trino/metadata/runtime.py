"""``system.runtime``: the queries of this process that a user may see, and its one node."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqe.catalog.transaction import current
from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord, QueryState

_STATES = {QueryState.CANCELLED: "FAILED"}  # the others have Trino's names
_ANALYSIS = ("parse", "bind", "decide", "guard")
_PLANNING = ("route", "start")


@dataclass(frozen=True, slots=True)
class ServerNode:
    """This process as clients reach it."""

    id: str
    uri: str
    version: str


@dataclass(frozen=True)
class Runtime:
    """What the process tells about itself. ``records`` are those that a user may see."""

    records: Callable[[Identity], Iterable[QueryRecord]]
    node: Callable[[], ServerNode]
    error: Callable[[ErrorCode], tuple[str, str]]  # Trino's type and name for a code


# Of a process that serves nobody.
NO_RUNTIME = Runtime(
    lambda identity: (), lambda: ServerNode("sqe", "", ""), lambda code: ("", code.name)
)


def node_rows(runtime: Runtime) -> Iterator[tuple[Any, ...]]:
    node = runtime.node()
    yield node.id, node.uri, node.version, True, "active"


def query_rows(runtime: Runtime, identity: Identity) -> Iterator[tuple[Any, ...]]:
    for record in runtime.records(identity):
        code = ErrorCode.__members__.get(record.error_code)
        error = runtime.error(code) if code is not None else (None, None)
        started = record.created + record.stage_seconds.get("queue", 0.0)
        yield (
            record.query_id,
            _STATES.get(record.state, record.state.name),
            record.user,
            record.source or None,
            record.text,
            ["global"],
            _milliseconds(record, ("queue",)),
            _milliseconds(record, _ANALYSIS),
            _milliseconds(record, _PLANNING),
            _moment(record.created),
            _moment(started),
            _moment(record.ended or started),
            _moment(record.ended),
            *error,
        )


def transaction_rows() -> Iterator[tuple[Any, ...]]:
    """The one that the statement is part of. When it began is not kept."""
    transaction = current()
    if transaction is not None:
        began = (None, None)
        catalogs = (None, None)
        yield transaction.id, "READ UNCOMMITTED", transaction.read_only, False, *began, *catalogs


def _milliseconds(record: QueryRecord, stages: tuple[str, ...]) -> int:
    return round(1000 * sum(record.stage_seconds.get(stage, 0.0) for stage in stages))


def _moment(seconds: float | None) -> datetime.datetime | None:
    """In milliseconds, as Trino keeps it."""
    if seconds is None:
        return None
    whole = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    return whole + datetime.timedelta(milliseconds=int(seconds % 1 * 1000))
