"""Someone else's statement at a chosen moment of a query: no sleeping, no luck."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from sqe.audit.events import QueryEvent
from sqe.broker.catalog import BrokeredCatalog
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.model.query import QueryRequest
from tests.embedded.pipe.lake import Lake

# Keeps Spark busy for some seconds after the tables are read in, and is 0.
SLOW = "(SELECT count(*) FROM range(0, 200000000, 1, 8) WHERE hash(id) = 1 AND hash(id) = 2)"


def bound(event: QueryEvent) -> bool:
    """The statement is bound and decided on; the engine has not begun."""
    return event.name == "running"


def working(event: QueryEvent) -> bool:
    """Spark has analysed the statement and works on it."""
    return event.name == "progress" and event.record.progress.tasks > 0


def run(
    lake: Lake, sql: str, when: Callable[[QueryEvent], bool], do: Callable[[], None]
) -> list[tuple[Any, ...]]:
    """The statement's rows. ``do`` runs once, at the first event that fits; the query waits."""
    left = [do]

    def listener(event: QueryEvent) -> None:
        if left and when(event):
            left.pop()()

    query_id = lake.server.gateway.submit(QueryRequest(lake.session.id, sql), listener)
    with lake.server.gateway.fetch(query_id) as result:
        rows = [tuple(row.values()) for row in result.read_all().to_pylist()]
    assert not left, "the moment never came"
    return rows


def turns(monkeypatch: pytest.MonkeyPatch) -> threading.Lock:
    """Who holds it does several things that Spark sees as one: its catalog requests wait."""
    lock = threading.Lock()
    load, commit = BrokeredCatalog.load_table, BrokeredCatalog.commit_table

    def waiting_load(self: BrokeredCatalog, ident: Ident) -> Loaded:
        with lock:
            return load(self, ident)

    def waiting_commit(self: BrokeredCatalog, ident: Ident, request: Json) -> Loaded:
        with lock:
            return commit(self, ident, request)

    monkeypatch.setattr(BrokeredCatalog, "load_table", waiting_load)
    monkeypatch.setattr(BrokeredCatalog, "commit_table", waiting_commit)
    return lock
