"""Queries that run and queries that have ended, as far as a user may see them."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from sqe.catalog.listing import Condition
from sqe.errors import ErrorCode, UserError
from sqe.history.columns import HISTORY, RUNTIME, states_of_name
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord, QueryState
from sqe.store.history import HistoryStore, QueryFilter

_RECENT, _RECENT_S = 1_000, 86_400.0
_MOST = 100_000
_T = TypeVar("_T")
_MILLISECOND = 0.001  # moments are shown in whole ones


class Viewers(Protocol):
    """Who may see whose queries, and what of them."""

    def visible_users(self, identity: Identity, users: Iterable[str]) -> set[str]: ...
    def list_visible(
        self, identity: Identity, records: Collection[QueryRecord]
    ) -> list[QueryRecord]: ...


class QueryHistory:
    """``live``: the queries that this process knows of. ``store``: None where nothing is kept."""

    def __init__(
        self,
        live: Callable[[], Collection[QueryRecord]],
        viewers: Callable[[], Viewers],
        store: HistoryStore | None = None,
    ) -> None:
        self._live = live
        self._viewers = viewers
        self._store = store

    def list_recent(self, identity: Identity, conditions: Sequence[Condition]) -> list[QueryRecord]:
        """What runs, and the newest of what has ended within a day."""
        wanted = _filter_of(conditions, RUNTIME)
        since = max(wanted.since or 0.0, time.time() - _RECENT_S)
        return self._select(identity, replace(wanted, since=since), _RECENT)

    def list_kept(self, identity: Identity, conditions: Sequence[Condition]) -> list[QueryRecord]:
        """All that is kept. Raises where it is too much to be looked through at once."""
        found = self._select(identity, _filter_of(conditions, HISTORY), _MOST + 1)
        if len(found) > _MOST:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"More than {_MOST:,} queries of the history would have to be read.",
                hint="Say which with conditions on created, user, state or query_id, for example "
                "created > current_timestamp() - INTERVAL 1 DAY.",
            )
        return found

    def _select(self, identity: Identity, wanted: QueryFilter, most: int) -> list[QueryRecord]:
        viewers = self._viewers()
        live = {record.query_id: record for record in self._live()}  # newer than what is stored
        stored = self._search_store(identity, wanted, most)
        found = [record for record in stored if record.query_id not in live]
        found += [record for record in live.values() if wanted.admits(record)]
        return viewers.list_visible(identity, found)

    def _search_store(
        self, identity: Identity, wanted: QueryFilter, most: int
    ) -> list[QueryRecord]:
        if self._store is None:
            return []
        candidates = self._store.users() if wanted.users is None else wanted.users
        users = self._viewers().visible_users(identity, candidates)
        if len(users) < len(candidates) or len(users) == 1:
            wanted = replace(wanted, users=frozenset(users))
        return self._store.search(wanted, most)


def _filter_of(conditions: Sequence[Condition], relation: str) -> QueryFilter:
    """No more than the conditions admit, and perhaps less: the engine looks at each row again."""
    wanted = QueryFilter()
    for condition in conditions:
        names = _names(condition)
        match condition.column:
            case "user" if names is not None:
                wanted = replace(wanted, users=_both(wanted.users, names))
            case "query_id" if names is not None:
                wanted = replace(wanted, ids=_both(wanted.ids, names))
            case "state" if names is not None:
                states = frozenset(state for name in names for state in _states(name, relation))
                wanted = replace(wanted, states=_both(wanted.states, states))
            case "created":
                wanted = _within(wanted, condition)
            case "end" if condition.op == "isnull":
                wanted = replace(wanted, open=True)
    return wanted


def _names(condition: Condition) -> frozenset[str] | None:
    """The only ones that the column may have; None where that is not said."""
    if condition.op == "=":
        return frozenset({str(condition.value)})
    if condition.op == "in" and isinstance(condition.value, tuple):
        return frozenset(map(str, condition.value))
    return None


def _states(name: str, relation: str) -> frozenset[QueryState]:
    if relation == RUNTIME:
        return states_of_name(name)
    return frozenset({QueryState[name]} if name in QueryState.__members__ else ())


def _within(wanted: QueryFilter, condition: Condition) -> QueryFilter:
    if not isinstance(condition.value, datetime.datetime):
        return wanted
    moment = condition.value.timestamp()
    if condition.op in ("=", ">", ">="):
        wanted = replace(wanted, since=max(wanted.since or moment, moment))
    if condition.op in ("=", "<", "<="):
        until = moment + _MILLISECOND
        wanted = replace(wanted, until=min(wanted.until or until, until))
    return wanted


def _both(mine: frozenset[_T] | None, theirs: frozenset[_T]) -> frozenset[_T]:
    return theirs if mine is None else mine & theirs
