"""The history in each kind of database."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import text

from sqe.model.query import (
    EngineKind,
    EngineWork,
    QueryOrigin,
    QueryRecord,
    QueryState,
    RelationUse,
    Route,
    RowsAffected,
    WrittenSnapshot,
)
from sqe.store.database import Database
from sqe.store.history import HistoryStore, Process, QueryFilter
from sqe.store.query_rows import row_of

ME, BEFORE, OTHER = Process("me", "home"), Process("before", "home"), Process("other", "there")
ENDED = QueryRecord("q1", "ann", "SELECT 1", QueryState.FINISHED, 100.0, ended=101.5)
RUNNING = replace(ENDED, query_id="q2", state=QueryState.RUNNING, created=200.0, ended=None)
FULL = replace(
    ENDED,
    query_id="q3",
    text="SELECT '\0\ud800 ä'",
    session_id="01234567",
    source="dbt",
    resource_group="global.etl",
    kind="query",
    route=Route(EngineKind.LOCAL, "small", hidden=True),
    stage_seconds={"parse": 0.25},
    rows=3,
    bytes=24,
    affected=RowsAffected(inserted=1),
    error_code="TIMEOUT",
    error_message="too long",
    restricted=True,
    groups=("a", "b"),
    dialect="trino",
    origin=QueryOrigin("trino", "192.0.2.1", "svc"),
    relations=(RelationUse("lake.s.t", "read", ("id",), 7, "a rule", "bob"),),
    written=(WrittenSnapshot("lake.s.t", 8, "append"),),
    work=EngineWork(files=1),
)


@pytest.fixture
def store(database: Database) -> HistoryStore:
    return HistoryStore(database)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What SQE logs, also where an earlier test has sent it elsewhere."""
    logger = logging.getLogger("sqe")
    logger.addHandler(caplog.handler)
    with caplog.at_level(logging.WARNING, logger="sqe"):
        yield caplog
    logger.removeHandler(caplog.handler)


def write(store: HistoryStore, *records: QueryRecord, by: Process = ME, now: float = 0.0) -> None:
    store.write(by, now, [row_of(record, by.id) for record in records])


def found(store: HistoryStore, wanted: QueryFilter = QueryFilter(), most: int = 99) -> list[str]:  # noqa: B008
    return [record.query_id for record in store.search(wanted, most)]


def test_a_record_comes_back_as_it_was(store: HistoryStore) -> None:
    write(store, FULL, ENDED)
    assert sorted(store.search(QueryFilter(), 9), key=lambda one: one.query_id) == [ENDED, FULL]


def test_a_later_record_of_a_query_takes_the_place_of_the_earlier(store: HistoryStore) -> None:
    write(store, RUNNING)
    ended = replace(RUNNING, state=QueryState.FINISHED, ended=205.0, rows=1)
    write(store, ended)
    assert store.search(QueryFilter(), 9) == [ended]


def test_what_is_looked_for_is_found_the_newest_first(store: HistoryStore) -> None:
    others = [replace(ENDED, query_id=f"b{n}", user="bob", created=300.0 + n) for n in range(3)]
    write(store, ENDED, RUNNING, *others)
    assert found(store) == ["b2", "b1", "b0", "q2", "q1"]
    assert found(store, most=2) == ["b2", "b1"]
    assert found(store, QueryFilter(users=frozenset({"ann"}))) == ["q2", "q1"]
    assert found(store, QueryFilter(users=frozenset())) == []
    assert found(store, QueryFilter(ids=frozenset({"q1", "b1", "x"}))) == ["b1", "q1"]
    assert found(store, QueryFilter(states=frozenset({QueryState.RUNNING}))) == ["q2"]
    assert found(store, QueryFilter(since=200.0, until=301.0)) == ["b1", "b0", "q2"]
    assert found(store, QueryFilter(open=True)) == ["q2"]
    assert store.users() == ["ann", "bob"]


def test_there_are_no_users_where_there_is_nothing(store: HistoryStore) -> None:
    assert (store.users(), found(store)) == ([], [])


def test_what_ran_in_a_process_that_is_gone_has_failed(store: HistoryStore) -> None:
    write(store, replace(RUNNING, query_id="killed"), ENDED, by=BEFORE, now=230.0)
    write(store, replace(RUNNING, query_id="elsewhere"), by=OTHER, now=290.0)
    write(store, replace(RUNNING, query_id="mine"), by=ME, now=300.0)
    assert store.mark_lost(ME, alive=250.0) == 1
    records = {record.query_id: record for record in store.search(QueryFilter(), 9)}
    assert records["killed"].state is QueryState.FAILED
    assert records["killed"].error_code == "SERVER_LOST"
    assert records["killed"].error_message == "SQE itself ended while the query was running."
    assert records["killed"].ended == 230.0  # when it was last heard of
    assert records["q1"] == ENDED
    assert [records[name].state for name in ("elsewhere", "mine")] == [QueryState.RUNNING] * 2
    assert store.mark_lost(ME, alive=295.0) == 1  # the other one says nothing any more
    assert store.mark_lost(ME, alive=295.0) == 0


def test_a_process_that_was_taken_for_dead_tells_what_became_of_its_query(
    store: HistoryStore,
) -> None:
    write(store, RUNNING, by=OTHER, now=200.0)
    assert store.mark_lost(ME, alive=400.0) == 1
    ended = replace(RUNNING, state=QueryState.FINISHED, ended=500.0)
    write(store, ended, by=OTHER, now=500.0)
    assert store.search(QueryFilter(), 9) == [ended]


def test_old_queries_are_deleted_and_running_ones_stay(store: HistoryStore) -> None:
    write(store, *(replace(ENDED, query_id=f"a{n}", created=float(n)) for n in range(6)))
    write(store, replace(RUNNING, created=1.0))
    assert store.delete_older(4.0) == 4
    assert found(store) == ["a5", "a4", "q2"]


def test_the_oldest_are_deleted_when_all_take_too_much(store: HistoryStore) -> None:
    records = [replace(ENDED, query_id=f"a{n}", created=float(n)) for n in range(6)]
    write(store, *records, replace(RUNNING, created=0.5))
    each = row_of(records[0], ME.id)["size"]
    assert store.shrink(7 * each) == 0
    assert store.shrink(4 * each) == 3
    assert found(store) == ["a5", "a4", "a3", "q2"]
    assert store.shrink(0) == 3  # what runs stays, and nobody waits for it
    assert found(store) == ["q2"]


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"user": 1}', "null"])
def test_a_damaged_row_is_left_out_and_told_of(
    database: Database, store: HistoryStore, body: str, logged: pytest.LogCaptureFixture
) -> None:
    write(store, ENDED, RUNNING)
    with database.begin() as connection:
        update = text("UPDATE query_history SET body = :body WHERE query_id = 'q2'")
        connection.execute(update, {"body": body})
    assert found(store) == ["q1"]
    assert "1 damaged rows" in logged.text
