"""What becomes of queries is counted, with labels of few values, and nothing of it is negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sqe.audit.events import Events, QueryEvent, RuleEvent
from sqe.errors import ErrorCategory, ErrorCode
from sqe.model.access_event import AccessEvent
from sqe.model.identity import Identity
from sqe.model.query import (
    EngineKind,
    EngineWork,
    QueryOrigin,
    QueryRecord,
    QueryRequest,
    QueryState,
    Route,
    RouteCause,
    WrittenSnapshot,
)
from sqe.observe import families
from sqe.observe.metrics import Metrics
from sqe.observe.queries import QueryMetrics
from sqe.server.build import build
from sqe.settings import Settings

RECORD = QueryRecord(
    query_id="q1",
    user="zoe",
    text="SELECT secret FROM hidden",
    state=QueryState.FINISHED,
    created=100.0,
    ended=90.0,  # the clock was set back
    kind="query",
    origin=QueryOrigin("trino", "192.0.2.7", "root-of-zoe"),
    route=Route(EngineKind.LOCAL, "because"),
    stage_seconds={"parse": 0.25, "bind": 0.5, "start": 7.0, "rows": 9.0},
    elapsed_s=17.0,
    first_row_s=8.0,
    rows=3,
    bytes=2_000,
)


class Counted:
    """The metrics of some events. ``value`` of a series by its labels."""

    def __init__(self, *records: QueryRecord, users: bool = False) -> None:
        self.metrics = Metrics(users=users)
        self.sink = QueryMetrics(self.metrics)
        for record in records:
            self.end(record)

    def end(self, record: QueryRecord) -> None:
        self.sink.emit(QueryEvent(record.state.value, record.created, record))

    @property
    def text(self) -> str:
        return self.metrics.exposition()[0].decode()

    def value(self, name: str, **labels: str) -> float:
        for family in text_string_to_metric_families(self.text):
            for sample in family.samples:
                if sample.name == name and sample.labels.items() >= labels.items():
                    return sample.value
        return 0.0


def test_an_ended_query_is_counted_by_what_it_was() -> None:
    counted = Counted(RECORD)
    labels = {"kind": "query", "engine": "local", "protocol": "trino", "error": "none"}
    assert counted.value("sqe_queries_total", state="finished", **labels) == 1
    assert counted.value("sqe_query_seconds_sum", engine="local") == 17
    assert counted.value("sqe_query_planning_seconds_sum", engine="local") == 0.75
    assert counted.value("sqe_query_first_row_seconds_sum") == 8
    assert counted.value("sqe_query_rows_sum") == 3
    assert counted.value("sqe_query_bytes_sum") == 2_000


def test_waiting_ends_when_planning_begins() -> None:
    counted = Counted()
    record = replace(RECORD, state=QueryState.PLANNING, elapsed_s=0.75)
    counted.sink.emit(QueryEvent("queued", 100.0, replace(record, state=QueryState.QUEUED)))
    counted.sink.emit(QueryEvent("planning", 90.0, record))
    assert counted.value("sqe_queries_started_total", protocol="trino") == 1
    assert counted.value("sqe_query_waiting_seconds_sum") == 0.75


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_has_its_category(code: ErrorCode) -> None:
    failed = replace(RECORD, state=QueryState.FAILED, error_code=code.name, route=None)
    counted = Counted(failed)
    error = code.category.value
    assert counted.value("sqe_queries_total", error=error, engine="none", state="failed") == 1
    assert counted.value("sqe_query_errors_total", code=code.name) == 1
    assert error in {category.value for category in ErrorCategory}


def test_writes_are_counted_with_files_conflicts_and_reruns() -> None:
    written = (
        WrittenSnapshot("lake.s.t", 1, "append", files=2, bytes=500),
        WrittenSnapshot("lake.s.t", 2, "something new", files=-5, bytes=-5),
    )
    counted = Counted(
        replace(RECORD, written=written, reruns=2),
        replace(RECORD, state=QueryState.FAILED, error_code="COMMIT_CONFLICT", reruns=1),
    )
    assert counted.value("sqe_commits_total", operation="append") == 1
    assert counted.value("sqe_commits_total", operation="unknown") == 1
    assert counted.value("sqe_written_files_total") == 2
    assert counted.value("sqe_written_bytes_total") == 500
    assert counted.value("sqe_reruns_total") == 3
    assert counted.value("sqe_commit_conflicts_total") == 4


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (RouteCause.UNPROVEN, "unproven"),
        (RouteCause.SIZE, "size"),
        (RouteCause.TURNED_OFF, "turned_off"),
        (RouteCause.GAVE_UP, "gave_up"),
        (RouteCause.FAILED, "failed"),
    ],
)
def test_fallbacks_are_counted_by_reason(cause: RouteCause, reason: str) -> None:
    counted = Counted(replace(RECORD, route=Route(EngineKind.SPARK, "long words", cause=cause)))
    assert counted.value("sqe_local_fallbacks_total", reason=reason) == 1
    assert "long words" not in counted.text


def test_work_is_counted_where_the_engine_tells() -> None:
    counted = Counted(replace(RECORD, work=EngineWork(bytes=70, spilled_bytes=30)), RECORD)
    assert counted.value("sqe_scanned_bytes_total", engine="local") == 70
    assert counted.value("sqe_spilled_bytes_total", engine="local") == 30


def test_no_name_and_no_text_is_in_the_metrics() -> None:
    counted = Counted(replace(RECORD, source="laptop-of-zoe", session_id="s-1"))
    samples = [line for line in counted.text.splitlines() if not line.startswith("#")]
    for word in ("zoe", "192.0", "secret", "hidden", "q1", "s-1", "because"):
        assert not [line for line in samples if word in line]


def test_users_are_counted_where_the_settings_say_so() -> None:
    records = [replace(RECORD, user=f"user-{number}") for number in range(1_010)]
    counted = Counted(*records, users=True)
    assert counted.value("sqe_user_queries_total", user="user-0", state="finished") == 1
    assert counted.value("sqe_user_queries_total", user="other") == 10


def test_labels_have_a_bounded_number_of_values() -> None:
    records = [replace(RECORD, kind=f"kind {number}") for number in range(1_000)]
    counted = Counted(*records)
    assert counted.value("sqe_queries_total", kind="other") == 700


def test_clocks_that_jump_give_no_negative_observation() -> None:
    counted = Counted(replace(RECORD, elapsed_s=-5.0, first_row_s=-1.0))
    for name in ("sqe_query_seconds_sum", "sqe_query_first_row_seconds_sum"):
        assert counted.value(name) == 0


class _Broken:
    def emit(self, event: QueryEvent) -> None:
        raise OSError("disk gone")

    def note_change(self, event: RuleEvent) -> None: ...
    def note_access(self, event: AccessEvent) -> None: ...
    def close(self) -> None: ...


def test_a_sink_that_fails_is_counted_and_keeps_nobody_else_from_counting() -> None:
    counted = Counted()
    events = Events([_Broken(), counted.sink])
    counted.metrics.read(
        families.SINK_ERRORS, lambda: {(name,): n for name, n in events.failures.items()}
    )
    events.emit(QueryEvent("finished", 1.0, RECORD))
    assert counted.value("sqe_event_sink_errors_total", sink="_Broken") == 1
    assert counted.value("sqe_event_sink_errors_total", sink="QueryMetrics") == 0
    assert counted.value("sqe_queries_total", state="finished") == 1


@pytest.fixture
def ran(tmp_path: Path) -> Callable[[str], str]:
    """Runs a statement on a server without Spark: what ``/metrics`` says afterwards."""

    def run(text: str) -> str:
        given: dict[str, Any] = {"home": tmp_path}
        server = build(Settings.model_validate(given))
        try:
            session = server.gateway.open_session(Identity("ann"), origin=QueryOrigin("flight"))
            query = server.gateway.submit(QueryRequest(session.id, text))
            with server.gateway.fetch(query) as result:
                assert sum(batch.num_rows for batch in result) == 3
            server.gateway.drain(10)
            exposition = server.exposition()
        finally:
            server.close()
        assert exposition is not None
        return exposition[0].decode()

    return run


def test_a_real_query_is_seen_by_all_parts(ran: Callable[[str], str]) -> None:
    text = ran("SELECT * FROM VALUES (1), (2), (3)")
    ended = 'sqe_queries_total{engine="local",error="none",kind="query",protocol="flight"'
    assert f'{ended},state="finished"}} 1.0' in text
    assert 'sqe_query_rows_sum{engine="local"} 3.0' in text
    assert 'sqe_query_first_row_seconds_count{engine="local"} 1.0' in text
    assert 'sqe_sessions_total{outcome="opened"} 1.0' in text
    for gauge in ("sqe_open_sessions 1.0", "sqe_draining 1.0", "sqe_ready 0.0"):
        assert f"\n{gauge}\n" in text
    assert 'sqe_catalog_call_seconds_count{catalog="lake",outcome="ok"}' in text
    assert 'sqe_local_instances{state="running"} 0.0' in text
    assert 'sqe_spark_up{state="stopped"} 1.0' in text
