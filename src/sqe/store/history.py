"""Queries that have run, and those that are running in processes that share the database."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.errors import ErrorCode
from sqe.model.query import QueryRecord, QueryState
from sqe.store.database import Database
from sqe.store.query_rows import COLUMNS, record_of

_log = logging.getLogger(__name__)
_AT_ONCE = 5_000  # rows that are deleted in one transaction: others write meanwhile
_OPEN = frozenset(state.value for state in QueryState if not state.ended)

_WRITE = (
    f"INSERT INTO query_history ({', '.join(COLUMNS)})"  # noqa: S608  names of our own
    f" VALUES ({', '.join(':' + name for name in COLUMNS)}) ON CONFLICT (query_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
)
_BEAT = (
    "INSERT INTO history_processes (id, home, seen_at) VALUES (:id, :home, :now)"
    " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at"
)
# One look into the index for each name, however many rows there are.
_USERS = """
WITH RECURSIVE names(name) AS (
    SELECT min(user_name) FROM query_history
    UNION ALL
    SELECT (SELECT min(user_name) FROM query_history WHERE user_name > names.name)
    FROM names WHERE names.name IS NOT NULL
)
SELECT name FROM names WHERE name IS NOT NULL
"""
_LOST = """
UPDATE query_history SET
    state = :failed,
    error_code = :code,
    ended_at = coalesce(
        (SELECT seen_at FROM history_processes
            WHERE id = query_history.process AND seen_at > query_history.created_at),
        created_at)
WHERE ended_at IS NULL AND process <> :id AND process NOT IN
    (SELECT id FROM history_processes WHERE home <> :home AND seen_at >= :alive)
"""
_GONE = "DELETE FROM history_processes WHERE id <> :id AND (home = :home OR seen_at < :alive)"
_OLD = (
    "DELETE FROM query_history WHERE query_id IN (SELECT query_id FROM query_history"
    " WHERE created_at < :before AND ended_at IS NOT NULL ORDER BY created_at LIMIT :most)"
)
_SIZE = "SELECT coalesce(sum(size), 0) FROM query_history"
_OLDEST = (
    "SELECT created_at, size FROM query_history WHERE ended_at IS NOT NULL"
    " ORDER BY created_at LIMIT :most"
)


@dataclass(frozen=True, slots=True)
class Process:
    """Who writes. Of one ``home`` there is one process at a time."""

    id: str
    home: str


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """None: any. Moments are those at which queries began. ``open``: only what has not ended."""

    users: frozenset[str] | None = None
    ids: frozenset[str] | None = None
    states: frozenset[QueryState] | None = None
    since: float | None = None
    until: float | None = None
    open: bool = False

    def admits(self, record: QueryRecord) -> bool:
        return (
            (self.users is None or record.user in self.users)
            and (self.ids is None or record.query_id in self.ids)
            and (self.states is None or record.state in self.states)
            and (self.since is None or record.created >= self.since)
            and (self.until is None or record.created <= self.until)
            and not (self.open and record.state.ended)
        )


class HistoryStore:
    """Thread-safe. Raises STORE_UNAVAILABLE or DISK_FULL where the database cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, process: Process, now: float, rows: Sequence[Mapping[str, Any]] = ()) -> None:
        """The process lives, and has these rows, each in the place of an earlier one of its query.
        All of them are written, or none."""
        from sqlalchemy import text

        with self._database.begin() as connection:
            beat = {"id": process.id, "home": process.home, "now": now}
            connection.execute(text(_BEAT), beat)
            if rows:
                connection.execute(text(_WRITE), list(rows))

    def mark_lost(self, process: Process, alive: float) -> int:
        """What ran in processes that are gone, and was not ended by them, has failed: those of the
        same home, and those that were not seen since ``alive``. How many there were."""
        values = {"id": process.id, "home": process.home, "alive": alive}
        failed = {"failed": QueryState.FAILED.value, "code": ErrorCode.SERVER_LOST.name}
        lost = self._execute(_LOST, {**values, **failed})
        self._execute(_GONE, values)
        return lost

    def users(self) -> list[str]:
        from sqlalchemy import text

        with self._database.begin() as connection:
            return [str(name) for name in connection.execute(text(_USERS)).scalars()]

    def search(self, wanted: QueryFilter, most: int) -> list[QueryRecord]:
        """The newest first. Rows that are damaged are left out, and logged."""
        from sqlalchemy import text

        conditions, values = _conditions(wanted)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        sql = f"SELECT * FROM query_history{where} ORDER BY created_at DESC LIMIT :most"  # noqa: S608
        with self._database.begin() as connection:
            rows = connection.execute(text(sql), {**values, "most": most}).mappings().all()
        return _records(rows)

    def delete_older(self, before: float) -> int:
        """Those that began before that and have ended; how many."""
        deleted = 0
        while True:
            count = self._execute(_OLD, {"before": before, "most": _AT_ONCE})
            deleted += count
            if count < _AT_ONCE:
                return deleted

    def shrink(self, most: int) -> int:
        """Deletes the oldest until the rest takes no more than ``most`` bytes; how many."""
        from sqlalchemy import text

        deleted = 0
        while True:
            with self._database.begin() as connection:
                excess = int(connection.execute(text(_SIZE)).scalar_one()) - most
                if excess <= 0:
                    return deleted
                oldest = connection.execute(text(_OLDEST), {"most": _AT_ONCE}).all()
            if not oldest:  # what is left has not ended
                return deleted
            deleted += self.delete_older(_cutoff(oldest, excess))

    def _execute(self, sql: str, values: Any) -> int:
        from sqlalchemy import text

        with self._database.begin() as connection:
            return int(connection.execute(text(sql), values).rowcount)


def _cutoff(oldest: Sequence[Any], excess: int) -> float:
    """The moment before which queries take ``excess`` bytes, or all of these."""
    before = 0.0
    for created_at, size in oldest:
        before = created_at + 1e-6
        excess -= size
        if excess <= 0:
            break
    return before


def _conditions(wanted: QueryFilter) -> tuple[list[str], dict[str, Any]]:
    conditions: list[str] = []
    values: dict[str, Any] = {}
    states = None if wanted.states is None else frozenset(state.value for state in wanted.states)
    for column, names in (("user_name", wanted.users), ("query_id", wanted.ids), ("state", states)):
        if names is not None:
            keys = {f"{column}_{number}": name for number, name in enumerate(sorted(names))}
            conditions.append(f"{column} IN ({', '.join(':' + key for key in keys) or 'NULL'})")
            values |= keys
    if wanted.open or (states is not None and states <= _OPEN):
        conditions.append("ended_at IS NULL")
    for name, op in (("since", ">="), ("until", "<=")):
        moment = getattr(wanted, name)
        if moment is not None:
            conditions.append(f"created_at {op} :{name}")
            values[name] = moment
    return conditions, values


def _records(rows: Iterable[Any]) -> list[QueryRecord]:
    records, damaged = [], 0
    for row in rows:
        try:
            records.append(record_of(row))
        except (ValueError, KeyError, TypeError, AttributeError):
            damaged += 1
    if damaged:
        _log.warning("the history has %d damaged rows, which are left out", damaged)
    return records
