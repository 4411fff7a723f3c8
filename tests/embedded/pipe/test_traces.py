"""One trace for a query: from its client through engines, the broker and a catalog over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pytest
import trino

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.errors import SqeError
from sqe.model.query import EngineKind, QueryRecord, QueryRequest
from sqe.model.spans import ERROR, PREFIX, SPANS
from sqe.settings import Settings
from tests.collector import Collector, Received, grpc_collector
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake, until
from tests.unit.catalog.remote.serving import Served, served

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
# Names and values that must not get out are spelled like this.
MARK = "zqx"
RULES = {
    "tables": [
        {
            "catalog": "lake",
            "schema": "zqx_shop",
            "table": "zqx_people",
            "privileges": ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP"],
            "user": "zqx_ann",
            "filter": "zqx_name <> 'zqx_filtered'",
            "columns": [
                {"name": "zqx_hidden", "allow": False},
                {"name": "zqx_ssn", "mask": "'zqx_masked'"},
            ],
        },
        {"privileges": ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP"]},
    ]
}


@dataclass
class Traced:
    """A server whose only catalog is behind HTTP, and the collector of its traces."""

    owner: Lake
    collector: Collector
    catalog: Served

    def ask(self, lake: Lake, sql: str) -> QueryRecord:
        """Runs the statement, whatever becomes of it."""
        query_id = lake.submit(sql)
        try:
            with lake.server.gateway.fetch(query_id) as result:
                result.read_all()
        except SqeError:
            pass
        assert until(lambda: lake.record(query_id).state.ended)
        return lake.record(query_id)

    def last(self, text: str) -> QueryRecord:
        """The last query of this text that has ended."""
        records = self.owner.server.gateway.records
        assert until(lambda: any(r.text == text and r.state.ended for r in records()))
        return [record for record in records() if record.text == text][-1]


@pytest.fixture
def traced(another: Another, tmp_path: Path) -> Iterator[Traced]:
    collector = Collector()
    collector.well.set()
    files = tmp_path / "files"
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(RULES))
    lakehouse = EmbeddedCatalog(files / "lake.db", files / "warehouse")
    with served({"": lakehouse}) as catalog, grpc_collector(collector) as address:
        remote = {"type": "rest", "uri": catalog.url, "auth": "none", "delegation": "none"}
        settings = {
            "default_schema": "zqx_shop",
            "catalogs": {"lake": remote},
            "flight": {"port": 0},
            "trino": {"port": 0, "administrators": ["ann"]},
            "log": {"level": "debug"},
            "policy": {"file": {"path": rules}},
            "traces": {
                "enabled": True,
                "endpoint": address,
                "headers": {"api-key": "zqx-secret"},
            },
        }
        owner = another(Settings.model_validate(settings))
        owner.all(
            "CREATE SCHEMA lake.zqx_shop",
            "CREATE TABLE zqx_people (id INT, zqx_name STRING, zqx_ssn STRING, zqx_hidden INT)",
        )
        yield Traced(owner, collector, catalog)
        owner.server.close()
    lakehouse.close()


def check(spans: list[Received], above: str = "") -> dict[str, list[Received]]:
    """One tree, whose names and attributes are on the list. The spans by their names."""
    listed = {PREFIX + kind.name: kind for kind in SPANS}
    ids = {span.id: span for span in spans}
    assert len(ids) == len(spans) and len({span.trace for span in spans}) == 1
    assert [span.name for span in spans if span.parent not in ids] == ["sqe.query"]
    assert next(s for s in spans if s.name == "sqe.query").parent == above
    by_name: dict[str, list[Received]] = {}
    for span in spans:
        kind = listed[span.name]
        allowed = {PREFIX + name for name in (*kind.attributes, *ERROR)}
        assert span.attributes.keys() <= allowed, span
        assert span.kind == kind.kind.value
        by_name.setdefault(span.name.removeprefix(PREFIX), []).append(span)
    return by_name


def parent_names(spans: dict[str, list[Received]], name: str) -> set[str]:
    names = {span.id: other for other, those in spans.items() for span in those}
    return {names[span.parent] for span in spans[name]}


def test_a_write_of_spark_is_one_trace(traced: Traced) -> None:
    """From a Flight client that has a trace of its own, to the catalog that gets it."""
    sql = "INSERT INTO zqx_people VALUES (1, 'zqx_a', 'zqx_1', 7), (2, 'b', 'zqx_2', 8)"
    header = {"adbc.flight.sql.rpc.call_header.traceparent": TRACEPARENT}
    address = traced.owner.server.listen()
    with (
        adbc.connect(address, autocommit=True, db_kwargs=header) as client,
        client.cursor() as asks,
    ):
        asks.execute("SET SESSION sqe.engine = 'spark'")
        traced.catalog.seen.clear()
        asks.execute(sql)
    record = traced.last(sql)
    assert record.trace_id == TRACE and record.route is not None
    assert record.route.engine is EngineKind.SPARK and record.error_code == ""
    of_trace = traced.collector.trace_of(record.query_id)
    [query] = [s for s in of_trace if s.attributes.get("sqe.query_id") == record.query_id]
    spans = check(below(of_trace, query), PARENT)
    assert {"queue", "translate", "parse", "bind", "decide", "guard", "route"} <= spans.keys()
    assert {"start", "rows", "first_row"} <= spans.keys()
    assert parent_names(spans, "spark") == {"query"}
    for part in ("spark.session", "spark.analyze", "spark.execute", "broker"):
        assert parent_names(spans, part) == {"spark"}
    assert parent_names(spans, "commit") == {"broker"}
    # The catalog was asked for by SQE itself, and by Spark through the broker.
    assert {"bind", "broker", "commit"} <= parent_names(spans, "catalog")
    operations = {span.attributes["sqe.operation"] for span in spans["broker"]}
    assert {"load_table", "commit_table"} <= operations
    assert query.attributes["sqe.engine"] == "spark"
    assert query.attributes["sqe.protocol"] == "flight"
    # What the catalog heard is the trace, and the very spans.
    heard = {h["traceparent"][:-2] for _, _, h in traced.catalog.seen if "traceparent" in h}
    assert {f"00-{TRACE}-{span.id}-" for span in spans["catalog"]} <= heard
    assert all(header.startswith(f"00-{TRACE}-") for header in heard)
    assert_recorded(traced, record)


def test_a_local_read_is_one_trace(traced: Traced) -> None:
    """From a client of Trino's."""
    traced.owner.run("INSERT INTO zqx_people VALUES (1, 'zqx_a', 'zqx_1', 7)")
    sql = "SELECT id, zqx_name FROM zqx_people WHERE zqx_name = 'zqx_a'"
    url = traced.owner.server.listen_trino()
    headers = {"traceparent": TRACEPARENT, "tracestate": "vendor=1", "X-Trino-Trace-Token": "t-1"}
    with trino.dbapi.Connection(
        host="127.0.0.1",
        port=int(url.rpartition(":")[2].strip("/")),
        user="zqx_bob",
        catalog="lake",
        schema="zqx_shop",
        http_headers=headers,
    ) as client:
        cursor = client.cursor()
        cursor.execute(sql)
        assert cursor.fetchall() == [[1, "zqx_a"]]
    record = traced.last(sql)
    assert record.route is not None and record.route.engine is EngineKind.LOCAL
    of_trace = traced.collector.trace_of(record.query_id)
    [query] = [s for s in of_trace if s.attributes.get("sqe.query_id") == record.query_id]
    spans = check(below(of_trace, query), PARENT)
    assert parent_names(spans, "local") == {"query"} and "spark" not in spans
    assert parent_names(spans, "catalog") <= {"translate", "bind"}  # Trino's house looks first
    assert query.state == "vendor=1" and query.attributes["sqe.trace_token"] == "t-1"
    assert query.attributes["sqe.rows"] == 1 and query.attributes["sqe.dialect"] == "trino"
    assert_recorded(traced, record)


def below(spans: list[Received], root: Received) -> list[Received]:
    """The span and those under it."""
    found, before = {root.id}, 0
    while len(found) > before:
        before = len(found)
        found |= {span.id for span in spans if span.parent in found}
    return [span for span in spans if span.id in found]


def assert_recorded(traced: Traced, record: QueryRecord) -> None:
    """The trace is named by the log, the audit log and the history."""
    logs = traced.owner.home / "logs"
    lines = [json.loads(line) for line in (logs / "audit.jsonl").read_text().splitlines()]
    assert {line["trace_id"] for line in lines if line.get("query_id") == record.query_id} == {
        TRACE
    }
    log = [json.loads(line) for line in (logs / "sqe.log").read_text().splitlines()]
    assert any(line.get("trace_id") == TRACE and record.query_id in line["message"] for line in log)
    asked = f"SELECT trace_id FROM system.history.queries WHERE query_id = '{record.query_id}'"
    assert until(lambda: traced.owner.rows(asked) == [(TRACE,)])


STATEMENTS = [
    "SELECT zqx_name AS zqx_alias, count(*) FROM zqx_people /* zqx comment */ GROUP BY 1",
    "SELECT zqx_ssn FROM zqx_people WHERE id = 1",
    "SELECT zqx_hidden FROM zqx_people",  # ann must not know of it
    "SELECT * FROM zqx_missing",
    "SELECT * FROM zqx_catalog.zqx_schema.zqx_table",
    "SELEC zqx",
    "SELECT CAST('zqx_value' AS INT)",
    "SELECT raise_error('zqx_error')",
    "SELECT assert_true(zqx_name = 'zqx_other', 'zqx_message') FROM zqx_people",
    "INSERT INTO zqx_people VALUES (3, 'zqx_c', 'zqx_3', 9)",
    "DELETE FROM zqx_people WHERE zqx_name = 'zqx_c'",
    "CREATE OR REPLACE VIEW zqx_view AS SELECT zqx_name FROM zqx_people",
    "SELECT * FROM zqx_view",
    "CREATE SCHEMA zqx_more",
    "EXPLAIN SELECT zqx_name FROM zqx_people",
    "SHOW TABLES IN zqx_shop",
    "DESCRIBE zqx_people",
    "SET SESSION zqx_property = 'zqx_setting'",
    "COPY INTO zqx_people FROM '/zqx/file.csv'",
]


def test_nothing_that_is_secret_gets_out(traced: Traced) -> None:
    """Whatever is asked, by who sees all and who sees a part, on every engine: every byte that the
    collector gets is looked at."""
    traced.owner.run("INSERT INTO zqx_people VALUES (1, 'zqx_a', 'zqx_1', 7)")
    asked: list[QueryRecord] = []
    for engine in ("auto", "spark"):
        for user in ("zqx_ann", "zqx_bob"):
            lake = traced.owner.another_session(user, engine)
            asked += [traced.ask(lake, sql) for sql in STATEMENTS]
            lake.close()
    request = QueryRequest(traced.owner.session.id, "SELECT 1", source="zqx_source")
    gateway = traced.owner.server.gateway
    described = gateway.describe(replace(request, text="SELECT 'zqx_literal' AS zqx_column"))
    assert described.columns[0].name == "zqx_column"
    assert {record.state.value for record in asked} == {"finished", "failed"}
    for record in asked:
        spans = check(traced.collector.trace_of(record.query_id))
        [root] = spans["query"]
        assert root.failed == bool(record.error_code)
        assert root.attributes.get("sqe.error", "") == record.error_code
    gateway.close()
    traced.owner.server.close()  # sends what is left
    bodies: list[Any] = traced.collector.bodies
    assert bodies and not any(MARK.encode() in body.lower() for body in bodies)
    assert all(headers["api-key"] == "zqx-secret" for headers in traced.collector.headers)
