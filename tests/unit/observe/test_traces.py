"""Spans on their way to a collector that is there, down, hanging; what clients say of traces."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.spans import CATALOG, COMMIT, PREFIX, QUERY, SPANS
from sqe.model.tracing import (
    NO_SPAN,
    NO_TRACE,
    UNTRACED,
    ClientTrace,
    activate,
    client_trace_of,
    current_span,
    trace,
)
from sqe.observe import otlp
from sqe.observe.otlp import OtlpOptions
from sqe.observe.traces import OtlpTracer, TraceOptions
from tests.collector import COLLECTORS, Collector, tracing
from tests.embedded.pipe.lake import until

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def collector() -> Collector:
    collector = Collector()
    collector.well.set()
    return collector


def run_query(tracer: OtlpTracer, query_id: str = "q1", client: ClientTrace = NO_TRACE) -> str:
    span = tracer.begin(client, protocol="flight")
    span.note(query_id=query_id)
    with activate(span), trace(COMMIT), trace(CATALOG, catalog="lake", operation="load"):
        pass
    span.end()
    return span.trace_id


@pytest.mark.parametrize("protocol", COLLECTORS)
def test_spans_arrive_as_one_trace(collector: Collector, protocol: str) -> None:
    with tracing(collector, protocol) as tracer:
        trace_id = run_query(tracer)
        assert until(lambda: tracer.counts["sent"] == 3, 30)
    by_name = {span.name: span for span in collector.spans}
    query, commit, catalog = (by_name[f"sqe.{name}"] for name in ("query", "commit", "catalog"))
    assert {span.trace for span in collector.spans} == {trace_id}
    assert (query.parent, commit.parent, catalog.parent) == ("", query.id, commit.id)
    assert (query.kind, commit.kind, catalog.kind) == ("server", "internal", "client")
    assert catalog.attributes == {"sqe.catalog": "lake", "sqe.operation": "load"}
    assert query.service == "lake house" and not query.failed
    assert collector.headers[0]["api-key"] == "opensesame"
    assert tracer.counts == {"sent": 3, "dropped": 0}


def test_what_is_left_is_sent_at_the_end(collector: Collector) -> None:
    with tracing(collector) as tracer:
        run_query(tracer)
    assert len(collector.spans) == 3


@pytest.mark.parametrize("protocol", COLLECTORS)
def test_nothing_of_the_environment_is_taken(
    collector: Collector, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "stray=1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=stray")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with tracing(collector, protocol) as tracer:
        run_query(tracer)
    assert "stray" not in collector.headers[0]
    assert [span.service for span in collector.spans] == ["lake house"] * 3


def test_a_client_s_trace_goes_on_here(collector: Collector) -> None:
    client = ClientTrace(PARENT, "vendor=abc, other@x=1", "token-7/a")
    with tracing(collector, ratio=0) as tracer:
        span = tracer.begin(client)
        headers = span.start(CATALOG).headers
        assert run_query(tracer, "q1", client) == TRACE
        span.end()
    query = next(s for s in collector.spans if s.attributes.get("sqe.query_id") == "q1")
    assert (query.trace, query.parent) == (TRACE, "b7ad6b7169203331")
    assert query.attributes["sqe.trace_token"] == "token-7/a"
    assert query.state == "vendor=abc,other@x=1"
    assert headers["tracestate"] == "vendor=abc,other@x=1"
    assert headers["traceparent"].startswith(f"00-{TRACE}-")
    assert headers["traceparent"] != PARENT


def test_a_trace_that_nobody_records_is_passed_on(collector: Collector) -> None:
    with tracing(collector) as tracer:
        span = tracer.begin(ClientTrace(PARENT[:-1] + "0"))
        below = span.start(CATALOG, catalog="lake")
        assert span.trace_id == TRACE
        assert below.headers["traceparent"].startswith(f"00-{TRACE}-")
        assert below.headers["traceparent"].endswith("-00")
        below.end()
        span.end()
    assert collector.spans == []


@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_the_ratio_is_of_queries_that_are_in_no_trace(collector: Collector, ratio: float) -> None:
    with tracing(collector, ratio=ratio) as tracer:
        for number in range(20):
            assert run_query(tracer, f"q{number}")
    assert len(collector.spans) == 60 * ratio


HOSTILE = [
    "",
    "x" * 100_000,
    PARENT.upper(),
    PARENT + "\n",
    " " + PARENT,
    PARENT + "-more",  # of version 00 there is no more
    "ff" + PARENT[2:],
    PARENT.replace(TRACE, "0" * 32),
    PARENT.replace("b7ad6b7169203331", "0" * 16),
    PARENT.replace("-", ""),
    PARENT[:-2],
    PARENT.replace("0af7", "0ag7"),
    "\u0660" * 2 + PARENT[2:],  # digits, but not ours
    "00-' OR 1=1 --",
    "\0" * 55,
]


def test_a_hostile_traceparent_is_none(collector: Collector) -> None:
    with tracing(collector) as tracer:
        for hostile in HOSTILE:
            headers = {"traceparent": hostile}
            span = tracer.begin(client_trace_of(lambda name: headers.get(name, "")))  # noqa: B023
            assert span.trace_id not in (TRACE, "0" * 32, "")
            span.end()
    assert [span.parent for span in collector.spans] == [""] * len(HOSTILE)


@pytest.mark.parametrize(
    "state",
    ["a=1,a=2", "A=1", "a=1,,b=2", "a", "a=\x01", "a=1," * 40 + "b=1", "a=" + "x" * 600, "é=1"],
)
def test_a_hostile_tracestate_is_none(
    collector: Collector, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    with tracing(collector) as tracer:
        span = tracer.begin(ClientTrace(PARENT, state))
        assert "tracestate" not in span.headers and span.trace_id == TRACE
        span.end()
    assert not caplog.records


def test_a_trace_token_is_a_word(collector: Collector) -> None:
    with tracing(collector) as tracer:
        for token in ("", "two words", "x" * 129, "SELECT 1", "o'hare", "é"):
            tracer.begin(ClientTrace(token=token)).end()
    assert all("sqe.trace_token" not in span.attributes for span in collector.spans)


def test_what_a_client_says_is_cut() -> None:
    said = client_trace_of(lambda name: name * 10_000)
    assert max(map(len, (said.parent, said.state, said.token))) < 600
    assert client_trace_of(lambda name: "") is NO_TRACE


def test_nothing_gets_out_but_what_the_list_has(collector: Collector) -> None:
    with tracing(collector) as tracer:
        query = tracer.begin(NO_TRACE, protocol="SELECT 1")
        query.note(text="x", user="ann", query_id="q1", kind="it's", rows=3)
        query.start(COMMIT, catalog="lake", status=7).end("SELECT secret")
        query.end("TABLE_NOT_FOUND")
        query.note(rows=4)  # too late
        query.end("INTERNAL_ERROR")
    commit, root = sorted(collector.spans, key=lambda span: span.name)
    assert root.attributes == {
        "sqe.query_id": "q1",
        "sqe.rows": 3,
        "sqe.error": "TABLE_NOT_FOUND",
    }
    assert commit.attributes == {} and commit.failed and root.failed


def test_an_error_is_its_code_and_never_its_text(collector: Collector) -> None:
    with tracing(collector) as tracer:
        root = tracer.begin(NO_TRACE)
        with activate(root):
            for error in (UserError(ErrorCode.TABLE_NOT_FOUND, "hr.salaries"), KeyError("salary")):
                with pytest.raises(type(error)), trace(COMMIT):
                    raise error
        root.end()
    errors = [span.attributes.get("sqe.error") for span in collector.spans]
    assert sorted(filter(None, errors)) == ["TABLE_NOT_FOUND", "failed"]
    assert not any(b"salar" in body for body in collector.bodies)


def test_a_query_has_so_many_spans_and_no_more(collector: Collector) -> None:
    with tracing(collector) as tracer:
        root = tracer.begin(NO_TRACE)
        with activate(root):
            for _ in range(1_010):
                with trace(CATALOG) as span:
                    assert span.headers["traceparent"]
                    assert span.trace_id == root.trace_id
        root.end()
    [query] = [span for span in collector.spans if span.name == "sqe.query"]
    assert query.attributes["sqe.left_out"] == 11
    assert len(collector.spans) == 1_000


@pytest.mark.parametrize("protocol", COLLECTORS)
def test_a_collector_that_is_down_costs_spans_and_one_line(
    collector: Collector, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    collector.well.clear()
    with tracing(collector, protocol) as tracer:
        for dropped in (3, 6):
            run_query(tracer)
            assert until(lambda dropped=dropped: tracer.counts["dropped"] == dropped, 30)  # type: ignore[misc]
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "opensesame" not in caplog.text
        collector.well.set()
        run_query(tracer)
        assert until(lambda: tracer.counts["sent"] == 3, 30)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert caplog.records[1].getMessage().endswith("6 were dropped")


@pytest.mark.parametrize("protocol", COLLECTORS)
def test_a_collector_that_hangs_holds_nobody_up(
    collector: Collector, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    collector.hung.set()
    with tracing(collector, protocol, timeout_s=600.0) as tracer:
        run_query(tracer)
        assert until(lambda: collector.asked == 1, 30)
        for _ in range(2_000):
            run_query(tracer)
        # What waits is bounded; the rest is counted.
        assert tracer.counts["dropped"] == 3 * 2_001 - otlp._MOST
        tracer.close()  # returns, though the collector still hangs
        assert not collector.released.is_set()
        run_query(tracer)  # nobody takes them any more
        assert tracer.counts["dropped"] >= 3 * 2_002 - otlp._MOST
    warnings = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 1 and "come faster" in warnings[0].getMessage()


def test_no_collector_at_all() -> None:
    options = OtlpOptions("http://127.0.0.1:1", timeout_s=0.5)
    tracer = OtlpTracer(TraceOptions(options))
    run_query(tracer)
    assert until(lambda: tracer.counts["dropped"] == 3, 30)
    tracer.close()


def test_work_of_nobody_s_query_is_no_span() -> None:
    assert current_span() is NO_SPAN and UNTRACED.begin(NO_TRACE) is NO_SPAN
    with trace(CATALOG, catalog="lake") as span:
        assert span is NO_SPAN and span.headers == {} and span.trace_id == ""
        assert span.start(COMMIT) is NO_SPAN


def test_a_thread_works_for_what_it_is_told(collector: Collector) -> None:
    seen: list[object] = []
    with tracing(collector) as tracer:
        root = tracer.begin(NO_TRACE)
        with activate(root):
            thread = threading.Thread(target=lambda: seen.append(current_span()))
            thread.start()
            thread.join()
            assert current_span() is root
        assert seen == [NO_SPAN] and current_span() is NO_SPAN
        root.end()


def test_the_list_is_in_order() -> None:
    names = [span.name for span in SPANS]
    assert len(names) == len(set(names)) and PREFIX + QUERY.name == "sqe.query"
    assert all(span.meaning.endswith(".") and all(span.attributes.values()) for span in SPANS)
    banned = {"user", "text", "sql", "table", "schema", "column", "name", "message"}
    assert not banned & {name for span in SPANS for name in span.attributes}


def test_without_traces_nothing_of_opentelemetry_is_imported() -> None:
    code = (
        "import sys, sqe.server.build, sqe.server.run;"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
