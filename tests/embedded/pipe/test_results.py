"""Results, descriptions, explanations and records."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from sqe.audit.events import QueryEvent
from sqe.model.query import QueryRequest, QueryState
from tests.embedded.pipe.lake import Lake, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

TYPES = {
    "true": pa.bool_(),
    "1Y": pa.int8(),
    "1S": pa.int16(),
    "1": pa.int32(),
    "1L": pa.int64(),
    "CAST(1.5 AS FLOAT)": pa.float32(),
    "1.5D": pa.float64(),
    "1.50BD": pa.decimal128(3, 2),
    "CAST(1 AS DECIMAL(38, 10))": pa.decimal128(38, 10),
    "'x'": pa.string(),
    "X'00FF'": pa.binary(),
    "DATE '2024-02-29'": pa.date32(),
    "TIMESTAMP '2024-02-29 01:02:03.456789'": pa.timestamp("us", tz="UTC"),
    "TIMESTAMP_NTZ '2024-02-29 01:02:03'": pa.timestamp("us"),
    "array(1, NULL)": pa.list_(pa.int32()),
    "named_struct('a', 1, 'b', 'x')": pa.struct([("a", pa.int32()), ("b", pa.string())]),
    "INTERVAL '1' DAY": pa.duration("us"),
}


def test_every_type_comes_as_its_arrow_type(lake: Lake) -> None:
    items = ", ".join(f"{text} AS c{index}" for index, text in enumerate(TYPES))
    full = lake.run(f"SELECT {items}, map('k', 1) AS m, NULL AS n")
    empty = lake.run(f"SELECT {items}, map('k', 1) AS m, NULL AS n WHERE false")
    for index, (text, wanted) in enumerate(TYPES.items()):
        kind = full.schema.field(index).type
        assert kind.id == wanted.id, text
        assert pa.types.is_nested(wanted) or kind == wanted, text
    assert full.num_rows == 1
    assert (empty.num_rows, empty.schema.types) == (0, full.schema.types)
    assert empty.schema.names == full.schema.names


def test_an_empty_result_keeps_its_columns(tables: Lake) -> None:
    result = tables.run("SELECT * FROM s.t WHERE false")
    assert result.schema.names == ["a", "b"]
    assert result.schema.types == [pa.int32(), pa.string()]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a, b AS other, count(*) FROM s.t GROUP BY a, b",
        "SHOW TABLES",
        "SELECT * FROM information_schema.tables",
        "EXPLAIN SELECT 1",
    ],
)
def test_describe_gives_the_columns_of_run(tables: Lake, sql: str) -> None:
    gateway, request = tables.server.gateway, QueryRequest(tables.session.id, sql)
    described = gateway.describe(request)
    with gateway.fetch(gateway.submit(request)) as result:
        names = [(column.name, column.type) for column in result.columns]
        schema = result.schema
    assert [(column.name, column.type) for column in described.columns] == names
    assert described.schema.equals(schema)
    assert not described.changes


def test_explain_shows_real_names_and_the_route(tables: Lake) -> None:
    for mode in ("", "EXTENDED", "FORMATTED", "COST"):
        plan = tables.explained(f"EXPLAIN {mode} SELECT t.a FROM s.t JOIN s2.t u USING (a)")
        assert plan.startswith("Engine: spark\nReason: ")
        assert "SELECT t.a FROM lake.s.t JOIN lake.s2.t u USING (a)" in plan
        assert "lake.s.t" in plan.split("Plan:")[1]
        assert "q_" not in plan
        assert "sqe" not in plan


def test_explain_analyze_shows_rows_and_files_read_and_pruned(tables: Lake) -> None:
    tables.run("CREATE OR REPLACE TABLE s.files AS SELECT 1 AS a")
    tables.run("INSERT INTO s.files VALUES (100)")
    plan = tables.explained("EXPLAIN ANALYZE SELECT * FROM s.files WHERE a > 50")
    assert "1 rows returned" in plan
    (scan,) = [line for line in plan.splitlines() if "BatchScan" in line]
    assert "lake.s.files" in scan
    assert "files read 1" in scan
    assert "files pruned 1" in scan
    tables.run("DROP TABLE s.files")


def submit_and_listen(lake: Lake, sql: str) -> tuple[str, list[str]]:
    events: list[QueryEvent] = []
    gateway = lake.server.gateway
    query_id = gateway.submit(QueryRequest(lake.session.id, sql, "tests"), events.append)
    try:
        with gateway.fetch(query_id) as result:
            result.read_all()
    except Exception:  # noqa: BLE001  the record says what happened
        pass
    assert until(lambda: lake.record(query_id).state.ended)
    assert until(lambda: events and events[-1].record.state.ended)
    return query_id, [event.name for event in events if event.name != "progress"]


def test_a_query_leaves_a_record_and_its_events(tables: Lake) -> None:
    query_id, events = submit_and_listen(tables, "SELECT a FROM s.t")
    record = tables.record(query_id)
    assert events == ["queued", "planning", "running", "finished"]
    assert (record.user, record.source, record.kind) == ("ann", "tests", "query")
    assert record.route is not None
    assert record.route.engine.value == "spark"
    assert record.route.reason
    assert (record.rows, record.error_code, record.state) == (3, "", QueryState.FINISHED)
    assert record.bytes > 0
    assert {"parse", "bind", "decide", "guard", "route", "start"} <= set(record.stage_seconds)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT * FROM nope", "TABLE_NOT_FOUND"),
        ("CACHE TABLE s.t", "NOT_SUPPORTED"),
        ("", "EMPTY_STATEMENT"),
        ("SELECT 1/0", "DIVISION_BY_ZERO"),
    ],
)
def test_a_refused_query_has_a_record_too(tables: Lake, sql: str, code: str) -> None:
    query_id, events = submit_and_listen(tables, sql)
    record = tables.record(query_id)
    assert (events[0], events[-1]) == ("queued", "failed")
    assert (record.text, record.error_code) == (sql, code)
    assert record.ended is not None
    assert audit_lines(tables, query_id)[-1]["error_code"] == code


def audit_lines(lake: Lake, query_id: str) -> list[dict[str, Any]]:
    lines = (lake.home / "logs" / "audit.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event.get("query_id") == query_id]


def test_the_audit_log_has_a_line_for_each_change(tables: Lake) -> None:
    query_id, _ = submit_and_listen(tables, "SELECT a FROM s.t")
    lines = audit_lines(tables, query_id)
    assert [line["event"] for line in lines] == ["queued", "planning", "running", "finished"]
    assert lines[-1]["engine"] == "spark"
    assert lines[-1]["rows"] == 3
    assert lines[-1]["text"] == "SELECT a FROM s.t"
    assert lines[-1]["stages"]["parse"] >= 0
