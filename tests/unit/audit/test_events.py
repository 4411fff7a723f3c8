"""Events reach every sink, and no sink can fail a query."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.audit.events import Events, QueryEvent, RuleEvent
from sqe.audit.fields import FIELDS, event_fields
from sqe.audit.jsonl import AuditFile
from sqe.audit.logs import log_to, stop_logging
from sqe.gateway.tracker import QueryTracker
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.identity import Identity
from sqe.model.query import (
    EngineKind,
    EngineWork,
    QueryOrigin,
    QueryRecord,
    QueryRequest,
    QueryState,
    RelationUse,
    Route,
    RowsAffected,
    WrittenSnapshot,
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

    def note_change(self, event: RuleEvent) -> None:
        raise OSError("disk gone")

    def note_access(self, event: AccessEvent) -> None:
        raise OSError("disk gone")

    def close(self) -> None:
        raise OSError("disk gone")


class Kept:
    def __init__(self) -> None:
        self.events: list[QueryEvent | RuleEvent | AccessEvent] = []
        self.closed = False

    def emit(self, event: QueryEvent) -> None:
        self.events.append(event)

    def note_change(self, event: RuleEvent) -> None:
        self.events.append(event)

    def note_access(self, event: AccessEvent) -> None:
        self.events.append(event)

    def close(self) -> None:
        self.closed = True


def test_a_sink_that_fails_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    kept = Kept()
    events = Events([Broken(), kept])
    query, rule = QueryEvent("finished", 12.5, RECORD), RuleEvent("root", 12.5, "GRANT")
    events.emit(query)
    events.note_change(rule)
    login = AccessEvent(AccessKind.LOGIN, 12.5, "ann")
    events.note_access(login)
    events.close()
    assert (kept.events, kept.closed) == ([query, rule, login], True)


def test_a_change_of_the_rules_is_a_line_without_secrets(tmp_path: Path) -> None:
    log = AuditFile(tmp_path / "audit.jsonl")
    log.note_change(RuleEvent("root", 12.5, "GRANT SELECT ON TABLE t ROWS WHERE (token = 'abc')"))
    log.close()
    (line,) = (tmp_path / "audit.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert len(fields.pop("chain")) == 64
    assert fields == {
        "time": "1970-01-01T00:00:12.500+00:00",
        "event": "rule_changed",
        "user": "root",
        "what": "GRANT SELECT ON TABLE t ROWS WHERE (token = '****')",
    }


def test_a_line_says_what_happened(tmp_path: Path) -> None:
    log = AuditFile(tmp_path / "logs" / "audit.jsonl")
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


def test_every_field_of_a_line_has_a_meaning(tmp_path: Path) -> None:
    log = AuditFile(tmp_path / "audit.jsonl", most_bytes=1)
    full = replace(
        RECORD,
        state=QueryState.FAILED,
        resource_group="global.ann",
        relations=(RelationUse("lake.s.t", "read", in_part=True), RelationUse("lake.s.u", "write")),
        affected=RowsAffected(inserted=1),
        written=(WrittenSnapshot("lake.s.t", 7, "append"),),
        work=EngineWork(files=1),
        error_code="TIMEOUT",
        origin=QueryOrigin("trino", "192.0.2.1", "svc"),
        trace_id="0af7651916cd43dd8448eb211c80319c",
    )
    log.emit(QueryEvent("failed", 12.5, full))
    log.note_change(RuleEvent("root", 12.5, "GRANT"))
    access = AccessEvent(
        AccessKind.KILL, 12.5, "ann", full.origin, "api_key", "denied", "k", "s", "q1", "bob", 2
    )
    log.note_access(access)
    log.note_access(
        AccessEvent(
            AccessKind.CREDENTIAL_USED, 12.5, "ann", credential="books.bucket", place="s3://b/t"
        )
    )
    log.close()
    texts = [file.read_text() for file in tmp_path.glob("audit.jsonl*")]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    of_datagrams = {"cut"}
    assert {name for line in lines for name in line} == FIELDS.keys() - of_datagrams


def test_a_line_says_what_was_written_and_how_much_work_it_was(tmp_path: Path) -> None:
    log = AuditFile(tmp_path / "audit.jsonl")
    tracker = QueryTracker(Events([log]))
    query = tracker.begin(QueryRequest("s", "COMMIT"), Identity("ann"))
    query.wrote([WrittenSnapshot("lake.s.t", 7, "append", "q0")])
    query.note_work(EngineWork(files=2, bytes=10))
    query.note_work(EngineWork(files=1, bytes=5, spilled_bytes=3))
    query.finish_description()
    log.close()
    [first, line] = [
        json.loads(text) for text in (tmp_path / "audit.jsonl").read_text().splitlines()
    ]
    assert "written" not in first
    snapshot = {"table": "lake.s.t", "snapshot_id": 7, "operation": "append", "query_id": "q0"}
    assert line["written"] == [snapshot]
    assert line["work"] == {"files": 3, "bytes": 15, "spilled_bytes": 3}


def test_the_audit_log_says_what_was_read_and_written_under_which_rule(tmp_path: Path) -> None:
    log = AuditFile(tmp_path / "audit.jsonl")
    tracker = QueryTracker(Events([log]))
    query = tracker.begin(QueryRequest("s", "INSERT INTO u SELECT id FROM t"), Identity("ann"))
    read = RelationUse("lake.s.t", "read", ("id",), 7, "rule 1", "owner")
    query.note_statement("insert", relations=(RelationUse("lake.s.u", "write", rule="all"), read))
    query.note_route(Route(EngineKind.SPARK, "Spark runs every insert"))
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


@pytest.mark.parametrize(
    ("kind", "access", "copies"),
    [
        ("insert", "write", True),
        ("create table as", "create", True),
        ("unload", "read", True),
        ("create view", "create", False),
        ("query", "read", False),
    ],
)
def test_a_copy_of_what_is_seen_in_part_is_named(kind: str, access: str, copies: bool) -> None:
    relations = (
        RelationUse("lake.hr.mine", access),
        RelationUse("lake.hr.emp", "read", in_part=True),
        RelationUse("lake.hr.dept", "read"),
    )
    record = replace(RECORD, kind=kind, relations=relations)
    fields = event_fields(QueryEvent("finished", 12.5, record))
    assert fields.get("copy_of") == (["lake.hr.emp"] if copies else None)
