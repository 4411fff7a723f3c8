"""What parts of SQE say of their work: calls of catalogs, requests of Spark, its stages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sqe.auth.oidc.provider import Client, Provider, ProviderOptions
from sqe.broker.broker import Broker
from sqe.broker.handles import GrantedTable
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.catalog.rest.routes import catalog_app
from sqe.engines.spark.connection import StageProgress
from sqe.engines.spark.execution_spans import trace_execution
from sqe.errors import SqeError
from sqe.model.identity import Secret
from sqe.model.names import RelationName, SchemaName
from sqe.model.spans import SPARK
from sqe.model.tracing import NO_SPAN, NO_TRACE, activate, trace
from sqe.sql.statement import Access
from tests.collector import Collector, Received, tracing
from tests.unit.auth.oidc.issuer import PUBLIC, issuing
from tests.unit.broker.emp import EMP, SCHEMA
from tests.unit.catalog.remote.serving import opened, person, served, service


@pytest.fixture
def collector() -> Collector:
    collector = Collector()
    collector.well.set()
    return collector


@pytest.fixture
def lakehouse(tmp_path: Path) -> Any:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    catalog.create_namespace(EMP.namespace, {})
    catalog.create_table(EMP.namespace, {"name": EMP.name, "schema": SCHEMA})
    yield catalog
    catalog.close()


def named(collector: Collector, name: str) -> list[Received]:
    return [span for span in collector.spans if span.name == f"sqe.{name}"]


def test_a_catalog_is_told_of_the_trace(collector: Collector, lakehouse: EmbeddedCatalog) -> None:
    with served({"ann": lakehouse}) as there, service(there.url) as made:
        remote = opened(made, person("ann"))
        with tracing(collector) as tracer:
            query = tracer.begin(NO_TRACE)
            with activate(query):
                remote.load_table(EMP)
                with pytest.raises(SqeError):
                    remote.load_table(Ident(EMP.namespace, "absent"))
            query.end()
            remote.list_tables(EMP.namespace)  # for nobody's query
    calls = named(collector, "catalog")
    assert [span.attributes for span in calls] == [
        {"sqe.catalog": "lake", "sqe.operation": operation, "sqe.status": status}
        for operation, status in (("tell", 200), ("load", 200), ("load", 404))
    ]
    heard = [headers.get("traceparent", "") for _, _, headers in there.seen]
    sent = [f"00-{query.trace_id}-{span.id}-" for span in calls]
    assert [header[:-2] for header in heard] == [*sent, ""]


def test_a_catalog_that_is_not_there_is_an_error(collector: Collector) -> None:
    with service("http://127.0.0.1:1") as made, tracing(collector) as tracer:
        query = tracer.begin(NO_TRACE)
        with activate(query), pytest.raises(SqeError):
            opened(made, person("ann")).list_tables(("s",))
        query.end()
    calls = named(collector, "catalog")
    assert calls and all(span.failed and "sqe.status" not in span.attributes for span in calls)
    assert {span.attributes["sqe.error"] for span in calls} == {"CATALOG_UNAVAILABLE"}


def test_a_call_for_a_token_says_the_grant(collector: Collector) -> None:
    with issuing() as issuer, tracing(collector) as tracer:
        provider = Provider(ProviderOptions(issuer.url, Client(PUBLIC[0])))
        query = tracer.begin(NO_TRACE)
        with activate(query), pytest.raises(SqeError):
            provider.log_in("ann", Secret("hunter2"))
        query.end()
        provider.close()
    [call] = named(collector, "token")
    assert call.attributes["sqe.grant"] == "password"
    assert not any(b"hunter2" in body for body in collector.bodies)


def test_a_request_of_spark_is_its_query_s(
    collector: Collector, lakehouse: EmbeddedCatalog
) -> None:
    """The handle says which; what is no handle is nobody's."""
    broker = Broker()
    session = broker.open_session()
    name = RelationName(SchemaName("lake", EMP.namespace), EMP.name)
    with tracing(collector) as tracer, TestClient(catalog_app(lambda _: session.catalog)) as spark:
        query = tracer.begin(NO_TRACE)
        with activate(query), trace(SPARK) as engine:
            table = GrantedTable(name, EMP, lakehouse, frozenset({Access.WRITE}))
        assert table.span is engine
        with session.grant([table]) as grant:
            _, handle, _ = grant.spell(name)
            assert spark.get(f"/v1/namespaces/{handle}/tables/{EMP.name}").status_code == 200
            assert spark.get(f"/v1/namespaces/{handle}/tables/else").status_code == 404
            assert spark.get(f"/v1/namespaces/q_0_1/tables/{EMP.name}").status_code == 404
        query.end()
    broker.close()
    loaded, absent = named(collector, "broker")
    [spark_span] = named(collector, "spark")
    assert loaded.parent == absent.parent == spark_span.id
    assert loaded.attributes == {"sqe.operation": "load_table", "sqe.status": 200}
    assert absent.attributes == {"sqe.operation": "load_table", "sqe.error": "TABLE_NOT_FOUND"}
    assert [span.parent for span in named(collector, "catalog")] == [loaded.id]


def test_stages_of_spark_are_spans(collector: Collector) -> None:
    with tracing(collector) as tracer:
        query = tracer.begin(NO_TRACE)
        with trace_execution(query) as watch:
            assert watch is not None
            watch([StageProgress(1, tasks=4, tasks_done=1, done=False)])
            watch([StageProgress(1, 4, 4, True), StageProgress(2, 2, 0, False)])
            watch([StageProgress(1, 4, 4, True), StageProgress(2, 2, 1, False)])
        query.end()
    [execution] = named(collector, "spark.execute")
    stages = named(collector, "spark.stage")
    assert {span.parent for span in stages} == {execution.id}
    assert sorted(tuple(span.attributes.values()) for span in stages) == [(2, 1), (4, 4)]


def test_an_execution_that_fails_is_an_error_and_one_that_is_left_is_none(
    collector: Collector,
) -> None:
    with tracing(collector) as tracer:
        query = tracer.begin(NO_TRACE)
        with pytest.raises(RuntimeError), trace_execution(query):
            raise RuntimeError("zqx")

        def items() -> Any:
            with trace_execution(query):
                yield 1

        left = items()
        next(left)
        left.close()
        query.end()
    assert [span.failed for span in named(collector, "spark.execute")] == [True, False]


def test_without_a_trace_spark_s_stages_are_not_looked_at() -> None:
    with trace_execution(NO_SPAN) as watch:
        assert watch is None
