"""A real collector of OpenTelemetry gets one connected trace of a query of Spark's on the stack."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import yaml

from dev.stack.collector import collector_program
from dev.stack.messages import StackError
from dev.stack.places import Places
from sqe.engines.spark.addresses import EmbeddedAddress
from tests.collector import Collector, Received, http_collector
from tests.embedded.pipe.lake import until
from tests.stack.prometheus import free_port
from tests.stack.serving import Serving
from tests.unit.observe.test_deploy import DEPLOY

pytestmark = [pytest.mark.spark, pytest.mark.java]

CONFIGURATION = DEPLOY / "opentelemetry" / "collector.yaml"


@pytest.fixture(scope="module")
def program(stack_environ: Mapping[str, str]) -> Path:
    try:
        return collector_program(Places.of(stack_environ).cache)
    except StackError as error:
        pytest.skip(f"There is no collector of OpenTelemetry: {error}")


@contextmanager
def collecting(program: Path, folder: Path, forward: str) -> Iterator[tuple[dict[str, str], Path]]:
    """The collector as `deploy/` configures it, on other ports, that also hands on what it gets.
    Its endpoints by protocol, and what it prints."""
    ports = {"grpc": free_port(), "http": free_port()}
    configuration = yaml.safe_load(CONFIGURATION.read_text())
    protocols = configuration["receivers"]["otlp"]["protocols"]
    for name, port in ports.items():
        assert protocols[name]["endpoint"].startswith("127.0.0.1:")
        protocols[name]["endpoint"] = f"127.0.0.1:{port}"
    forwarding = {"traces_endpoint": forward, "compression": "none"}
    configuration["exporters"]["otlp_http"] = {**forwarding, "sending_queue": {"enabled": False}}
    configuration["service"]["pipelines"]["traces"]["exporters"].append("otlp_http")
    file, printed = folder / "collector.yaml", folder / "collector.log"
    file.write_text(yaml.safe_dump(configuration))
    with (
        printed.open("w") as log,
        subprocess.Popen([program, f"--config=file:{file}"], stdout=log, stderr=log) as process,
    ):
        try:
            assert until(lambda: "Everything is ready" in printed.read_text()), printed.read_text()
            endpoints = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
            yield {**endpoints, "http": f"{endpoints['http']}/v1/traces"}, printed
        finally:
            process.terminate()
            process.wait(20)


def parent_of(span: Received, spans: list[Received]) -> str:
    return next(other.name for other in spans if other.id == span.parent)


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_a_query_of_spark_is_one_connected_trace(
    program: Path,
    lakehouse: Serving,
    another_sqe: Callable[..., AbstractContextManager[Serving]],
    tmp_path: Path,
    protocol: str,
) -> None:
    assert lakehouse.server.spark is not None
    remote = EmbeddedAddress(lakehouse.server.spark).reach().url.reveal()
    heard = Collector()
    heard.well.set()
    table = f"nessie.ns2.t_{uuid.uuid4().hex[:8]}"
    with (
        http_collector(heard) as forward,
        collecting(program, tmp_path, forward) as (endpoints, printed),
        another_sqe(
            spark={"remote": remote},
            traces={"enabled": True, "protocol": protocol, "endpoint": endpoints[protocol]},
        ) as serving,
        serving.connected("bob") as bob,
    ):
        sql = f"CREATE TABLE {table} AS SELECT id FROM range(10)"
        bob.execute(sql)
        [record] = [one for one in serving.server.gateway.records() if one.text == sql]
        spans = heard.trace_of(record.query_id)
        bob.execute(f"DROP TABLE {table}")
        assert until(lambda: record.trace_id in printed.read_text())
    names = {span.name for span in spans}
    assert {"sqe.query", "sqe.spark.execute", "sqe.broker", "sqe.catalog", "sqe.commit"} <= names
    ids = {span.id for span in spans}
    assert [span.name for span in spans if span.parent not in ids] == ["sqe.query"]
    broker = [span for span in spans if span.name == "sqe.broker"]
    assert {parent_of(span, spans) for span in broker} == {"sqe.spark"}
    catalog = {parent_of(span, spans) for span in spans if span.name == "sqe.catalog"}
    assert catalog & {"sqe.broker", "sqe.commit"}
    assert table.rpartition(".")[2] not in printed.read_text()
