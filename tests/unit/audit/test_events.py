"""Events reach every sink, and no sink can fail a query."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from sqe.audit.events import Events, QueryEvent, RuleEvent
from sqe.audit.jsonl import AuditLog
from sqe.audit.logs import log_to, stop_logging
from sqe.gateway.tracker import QueryLimits, QueryTracker
from sqe.model.query import (
    EngineKind,
    QueryRecord,
    QueryRequest,
    QueryState,
    RelationUse,
    Route,
)

RECORD = QueryRecord(
    query_id="q1",
    user="ann",
    text="SELECT 1",
    state=QueryState.FINISHED,
    created=10.0,
    session_id="0123456789abcdef",
    route=Route(EngineKind.SPARK, "because"),
    stage_seconds={"parse": 0.5},
    ended=12.5,
    rows=3,
)


class Broken:
    def emit(self, event: QueryEvent) -> None:
        raise OSError("disk gone")


class Kept:
    def __init__(self) -> None:
        self.events: list[QueryEvent] = []

    def emit(self, event: QueryEvent) -> None:
        self.events.append(event)


def test_a_sink_that_fails_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    kept = Kept()
    Events([Broken(), kept]).emit(QueryEvent("finished", 12.5, RECORD))
    assert [event.name for event in kept.events] == ["finished"]


def test_a_change_of_the_rules_is_a_line_without_secrets(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    log.changed(RuleEvent("root", 12.5, "GRANT SELECT ON TABLE t ROWS WHERE (token = 'abc')"))
    log.close()
    (line,) = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:12.500+00:00",
        "event": "rule_changed",
        "user": "root",
        "what": "GRANT SELECT ON TABLE t ROWS WHERE (token = '****')",
    }


def test_a_line_says_what_happened(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "logs" / "audit.jsonl")
    log.emit(QueryEvent("finished", 12.5, RECORD))
    log.emit(QueryEvent("progress", 12.5, RECORD))
    log.close()
    log.emit(QueryEvent("finished", 12.5, RECORD))  # after the end: no error, no line
    (line,) = (tmp_path / "logs" / "audit.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert fields["seconds"] == 2.5
    assert fields["stages"] == {"parse": 0.5}
    assert fields["engine"] == "spark"
    assert fields["session_id"] == "01234567"
    assert (tmp_path / "logs" / "audit.jsonl").stat().st_mode & 0o777 == 0o600


def test_the_log_is_json_without_secrets(tmp_path: Path) -> None:
    handler = log_to(tmp_path / "sqe.log", "info")
    try:
        raise ValueError("password='hunter2'")
    except ValueError:
        logging.getLogger("sqe.test").exception("token='abc' failed")
    stop_logging(handler)
    text = (tmp_path / "sqe.log").read_text()
    fields = json.loads(text)
    assert (fields["level"], fields["message"]) == ("error", "token='****' failed")
    assert "hunter2" not in text


def test_the_audit_log_says_what_was_read_and_written_under_which_rule(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    tracker = QueryTracker(Events([log]), QueryLimits())
    query = tracker.begin(QueryRequest("s", "INSERT INTO u SELECT id FROM t"), "ann")
    read = RelationUse("lake.s.t", "read", ("id",), 7, "rule 1", "owner")
    query.understood("insert", relations=(RelationUse("lake.s.u", "write", rule="all"), read))
    query.routed(Route(EngineKind.SPARK, "Spark runs every insert"))
    log.close()
    [_, line] = [json.loads(text) for text in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert line["relations"] == [
        {"name": "lake.s.u", "access": "write", "rule": "all"},
        {
            "name": "lake.s.t",
            "access": "read",
            "rule": "rule 1",
            "columns": ["id"],
            "snapshot_id": 7,
            "as_user": "owner",
        },
    ]
