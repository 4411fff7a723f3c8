"""A record knows what its query has written, and how much work it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sqe.errors import SqeError
from sqe.model.query import QueryRecord, QueryRequest, WrittenSnapshot
from sqe.settings import Settings
from sqe.settings.history import HistorySettings
from tests.embedded.concurrency.meanwhile import SLOW, working
from tests.embedded.concurrency.meanwhile import run as run_meanwhile
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def records(shared_lake: Lake) -> Iterator[Lake]:
    own = shared_lake.another_session()
    own.all("CREATE SCHEMA records", "USE records")
    own.run("CREATE TABLE three AS SELECT id, id * 2 AS v FROM range(3)")
    yield own
    own.close()


def recorded(lake: Lake, sql: str, transaction: str = "") -> QueryRecord:
    """The record of a statement that has ended, however it did."""
    gateway = lake.server.gateway
    query_id = gateway.submit(QueryRequest(lake.session.id, sql, transaction=transaction))
    try:
        with gateway.fetch(query_id) as result:
            result.read_all()
    except SqeError:
        pass
    assert until(lambda: gateway.record(query_id).state.ended)
    return gateway.record(query_id)


def audited(lake: Lake, query_id: str) -> dict[str, Any]:
    """The last line about the query."""
    lines = (lake.home / "logs" / "audit.jsonl").read_text().splitlines()
    about: list[dict[str, Any]] = [
        line for line in map(json.loads, lines) if line.get("query_id") == query_id
    ]
    return about[-1]


def snapshots(lake: Lake, table: str) -> list[WrittenSnapshot]:
    rows = lake.rows(f"SELECT snapshot_id, operation FROM {table}.snapshots ORDER BY committed_at")
    return [WrittenSnapshot(f"lake.records.{table}", *row) for row in rows]


def test_each_write_names_the_snapshot_it_made(records: Lake) -> None:
    writes = (
        "CREATE TABLE each AS SELECT id, id * 2 AS v FROM range(10)",
        "INSERT INTO each VALUES (10, 20)",
        "UPDATE each SET v = 0 WHERE id = 1",
        "MERGE INTO each USING three ON each.id = three.id WHEN MATCHED THEN DELETE",
        "DELETE FROM each",
    )
    ended = [recorded(records, sql) for sql in writes]
    assert [list(record.written) for record in ended] == [
        [snapshot] for snapshot in snapshots(records, "each")
    ]
    assert [record.written[0].operation for record in ended] == [
        *("append", "append", "overwrite", "overwrite", "delete")
    ]
    inserted = ended[1].written[0]
    assert (inserted.files, inserted.bytes > 100) == (1, True)


def test_the_audit_log_has_the_snapshots_and_the_work(records: Lake) -> None:
    record = recorded(records, "CREATE TABLE audited AS SELECT * FROM three")
    [snapshot] = snapshots(records, "audited")
    line = audited(records, record.query_id)
    assert line["written"] == [
        {
            "table": "lake.records.audited",
            "snapshot_id": snapshot.snapshot_id,
            "operation": "append",
        }
    ]
    assert line["work"] == record.work.figures


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM three",
        "CREATE TABLE empty_one (a INT)",
        "EXPLAIN INSERT INTO three VALUES (1, 1)",
    ],
)
def test_what_adds_no_snapshot_names_none(records: Lake, sql: str) -> None:
    assert recorded(records, sql).written == ()


def test_what_spark_did_is_kept_of_slow_and_failed_queries(another: Another) -> None:
    lake = another(Settings(history=HistorySettings(slow_s=0)))
    lake.run("CREATE TABLE three AS SELECT id, id * 2 AS v FROM range(3)")
    slow = recorded(lake, "SELECT /*+ REPARTITION(2) */ v FROM three WHERE id < 7654321").profile
    assert "id < cast(7654321" in slow.plan.replace("#", "") and "Aggregate" not in slow.plan
    assert "lake.default.three" in slow.plan and "q_" not in slow.plan + slow.operators
    assert "BatchScan" in slow.operators and "rows 3" in slow.operators
    assert "7654321" not in slow.operators
    failed = recorded(lake, "INSERT INTO three SELECT id, raise_error('no') FROM three").profile
    assert "raise_error" in failed.plan


def test_a_write_that_fails_has_written_nothing(records: Lake) -> None:
    before = snapshots(records, "three")
    record = recorded(records, "INSERT INTO three SELECT id, 1 DIV (id - id) FROM three")
    assert (record.error_code, record.written) == ("DIVISION_BY_ZERO", ())
    assert "written" not in audited(records, record.query_id)
    assert snapshots(records, "three") == before


def test_in_a_transaction_the_commit_writes(records: Lake) -> None:
    gateway, session_id = records.server.gateway, records.session.id
    records.run("CREATE TABLE together AS SELECT 1L AS id")
    before = snapshots(records, "together")
    transaction = gateway.begin(session_id)
    inserts = ("INSERT INTO together VALUES (2)", "INSERT INTO together VALUES (3)")
    ended = [recorded(records, sql, transaction) for sql in inserts]
    assert [record.written for record in ended] == [(), ()]
    gateway.commit(session_id, transaction)
    commit = records.last_record()
    assert commit.text == "COMMIT"
    made = {replace(snapshot, query_id="") for snapshot in commit.written}
    assert made == set(snapshots(records, "together")) - set(before)
    assert [snapshot.query_id for snapshot in commit.written] == [r.query_id for r in ended]


def test_what_is_rolled_back_was_never_written(records: Lake) -> None:
    gateway, session_id = records.server.gateway, records.session.id
    transaction = gateway.begin(session_id)
    assert recorded(records, "INSERT INTO three VALUES (9, 9)", transaction).written == ()
    gateway.rollback(session_id, transaction)
    assert records.last_record().written == ()


def test_a_write_that_is_run_again_tells_of_the_run_that_counted(records: Lake) -> None:
    records.run("CREATE TABLE twice AS SELECT id, 0L AS v FROM range(3)")
    text = f"INSERT INTO twice SELECT 9L, {SLOW} WHERE EXISTS (SELECT 1 FROM twice)"
    other = records.another_session()
    run_meanwhile(
        records, text, working, lambda: other.all("INSERT INTO records.twice VALUES (7, 7)")
    )
    other.close()
    record = next(one for one in records.server.gateway.records() if one.text == text)
    assert record.route is not None and "run again after a conflict" in record.route.reason
    _, meanwhile, last = snapshots(records, "twice")
    assert record.written == (last,)
    [read] = [use for use in record.relations if use.access == "read"]
    assert read.snapshot_id == meanwhile.snapshot_id


@pytest.mark.parametrize("engine", ["spark", "local"])
def test_a_read_tells_what_it_read(records: Lake, engine: str) -> None:
    own = records.another_session(engine=engine)
    [(files, size)] = records.rows("SELECT count(*), sum(file_size_in_bytes) FROM three.files")
    work = recorded(own, "SELECT sum(v) FROM records.three").work
    own.close()
    assert (work.files, work.bytes, work.rows) == (files, size, 3)


def test_a_write_tells_what_it_read(records: Lake) -> None:
    work = recorded(records, "CREATE TABLE copied AS SELECT * FROM three").work
    assert work.bytes_read is not None and work.bytes_read > 0
