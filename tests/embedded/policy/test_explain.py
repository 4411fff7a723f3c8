"""Nothing is told of rows that are not shown: explanations, records, progress."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest

from sqe.model.decision import Restrict, RowFilter
from sqe.model.query import Progress, QueryRecord
from tests.embedded.pipe.lake import Lake, until
from tests.embedded.policy.quiet import Quiet, quiet_lake

READS = [
    "SELECT * FROM hr.emp",
    "SELECT count(*) FROM hr.emp WHERE id > 0",
    "SELECT d.id FROM hr.dept d LEFT JOIN hr.names n ON n.id = d.id",
    "SELECT (SELECT max(id) FROM lake.hr.emp)",
]
# Of the plan, of the files, of the condition.
TELLING = ("SCAN", "FILTER", "files", "bytes", "'it'", "dept =", "pay", "rows_", "PROJECTION")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quiet]:
    with quiet_lake(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.mark.parametrize("text", READS)
def test_an_explanation_has_ones_own_text_and_the_rule(quiet: Quiet, text: str) -> None:
    with quiet.hiding():
        told = quiet.lake.explained(f"EXPLAIN {text}")
    assert told.splitlines() == [
        "Engine: not shown",
        "Reason: it may depend on rows that you do not see",
        "Query:",
        f"  {text}",
        "Seen in part:",
        "  lake.hr.emp: only one's own department",
        "Plan:",
        "  Not shown: it would tell of what you do not see.",
    ]
    whole = quiet.lake.explained(f"EXPLAIN {text}")
    assert "Engine: local" in whole and "files" in whole


@pytest.mark.parametrize(
    ("text", "count"), [("SELECT * FROM hr.emp", 2), ("SELECT * FROM hr.names WHERE id > 1", 1)]
)
@pytest.mark.parametrize("engine", ["auto", "local"])
def test_of_what_was_run_there_is_the_number_of_ones_own_rows(
    quiet: Quiet, engine: str, text: str, count: int
) -> None:
    own = quiet.lake.another_session(engine=engine)
    with quiet.hiding():
        told = own.explained(f"EXPLAIN ANALYZE {text}")
    own.close()
    assert f"  {count} rows returned" in told.splitlines()
    assert not [word for word in TELLING if word in told]


def test_an_engine_that_was_asked_for_is_told(quiet: Quiet) -> None:
    own = quiet.lake.another_session(engine="local")
    with quiet.hiding():
        told = own.explained("EXPLAIN SELECT * FROM hr.emp")
    own.close()
    assert "Engine: local" in told and "the session asks for the local engine" in told


@pytest.mark.parametrize("text", ["EXPLAIN SELECT pay FROM hr.emp", "SELECT pay FROM hr.emp"])
def test_what_is_wrong_with_a_statement_is_said_all_the_same(quiet: Quiet, text: str) -> None:
    own = quiet.lake.another_session(engine="local")
    with quiet.hiding():
        error = own.fails(text)
        absent = own.fails(text.replace("pay", "absent"))
    own.close()
    assert error.message == "lake.hr.emp has no column pay."
    assert str(error).replace("pay", "absent") == str(absent)
    assert error.hint == "It has id, dept, ssn."


@pytest.mark.parametrize(
    "form", ["EXPLAIN", "EXPLAIN ANALYZE", "EXPLAIN (TYPE IO)", "EXPLAIN (FORMAT JSON)"]
)
def test_so_it_is_for_clients_of_trino(quiet: Quiet, form: str) -> None:
    with quiet.hiding():
        answer = quiet.trino.ask(f"{form} SELECT id FROM hr.emp")
    told = str(answer.data)
    assert not answer.error, answer.message
    assert not [word for word in TELLING if word in told]


def reported(lake: Lake, text: str) -> QueryRecord:
    query_id = lake.submit(text)
    with lake.server.gateway.fetch(query_id) as result:
        result.read_all()
    assert until(lambda: lake.record(query_id).state.ended)
    return lake.record(query_id)


def test_a_record_tells_nothing_of_how_it_was_read(quiet: Quiet) -> None:
    text = "SELECT count(*) AS how_many FROM hr.emp"
    whole = reported(quiet.lake, text)
    assert whole.shown_route is not None and "it reads" in whole.shown_route.reason
    with quiet.hiding():
        seen = reported(quiet.lake, text)
    assert seen.restricted and seen.rows == 1
    assert seen.shown_route is None
    assert seen.progress == Progress()


def listed(quiet: Quiet, query_id: str) -> dict[str, Any]:
    address = quiet.lake.server.listen_trino()
    request = Request(f"{address}/v1/query/{query_id}", headers={"X-Trino-User": "ann"})
    with urlopen(request) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_nor_does_trinos_list_of_queries(quiet: Quiet) -> None:
    text = "SELECT count(*) AS so_many FROM hr.emp"
    whole = listed(quiet, reported(quiet.lake, text).query_id)
    assert whole["engine"]["name"] == "local"
    with quiet.hiding():
        seen = listed(quiet, reported(quiet.lake, text).query_id)
    assert "engine" not in seen
    assert seen["queryStats"]["physicalInputBytes"] == 0


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.timeout(300)
@pytest.mark.parametrize("form", ["EXPLAIN", "EXPLAIN EXTENDED", "EXPLAIN COST", "EXPLAIN ANALYZE"])
def test_spark_tells_as_little(shared_lake: Lake, form: str) -> None:
    shared_lake.all(
        "CREATE SCHEMA IF NOT EXISTS explained",
        "CREATE OR REPLACE TABLE explained.t AS SELECT id, 'x' AS dept FROM range(1000)",
    )
    seen = Restrict("some rows", filters=(RowFilter("id < 7"),))
    with shared_lake.rules.on("lake.explained.t", seen):
        told = shared_lake.explained(f"{form} SELECT id FROM explained.t")
        record = reported(shared_lake, "SELECT id FROM explained.t")
    assert told.splitlines()[-1].strip() == "Not shown: it would tell of what you do not see."
    assert "lake.explained.t: some rows" in told and "the session asks for Spark" in told
    assert not [word for word in ("1000", "< 7", "Scan", "Filter", "bytes") if word in told]
    assert ("7 rows returned" in told) is (form == "EXPLAIN ANALYZE")
    assert record.progress == Progress() and record.rows == 7
