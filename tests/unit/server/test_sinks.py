"""Where events go, by the settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqe.audit.jsonl import FIELDS
from sqe.errors import ErrorCode, UpstreamError, UserError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.server.sinks import SINKS
from sqe.settings import Settings, load_settings
from sqe.settings.events import SinkSettings
from sqe.settings.load import kinds_of

GRANT = "GRANT SELECT ON SCHEMA lake.default TO USER ann"


def run(home: Path, *statements: str, **settings: Any) -> None:
    """As an administrator, on a server of its own that ends then."""
    policy = {"sql": True, "administrators": ["root"]}
    server = build(Settings.model_validate({"home": home, "policy": policy, **settings}))
    try:
        session = server.gateway.open_session(Identity("root"))
        for sql in statements:
            with server.gateway.fetch(
                server.gateway.submit(QueryRequest(session.id, sql))
            ) as result:
                result.read_all()
    finally:
        server.close()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_kind_of_sink_can_be_made() -> None:
    assert set(kinds_of(SinkSettings)) == SINKS.keys()


def test_the_audit_log_is_in_the_home_unless_it_is_turned_off(tmp_path: Path) -> None:
    run(tmp_path / "on", "SHOW CATALOGS", GRANT)
    events = [line["event"] for line in lines(tmp_path / "on" / "logs" / "audit.jsonl")]
    assert events.count("finished") == 2 and "rule_changed" in events
    run(tmp_path / "off", "SHOW CATALOGS", log={"audit": False})
    assert not (tmp_path / "off" / "logs" / "audit.jsonl").exists()


def test_a_file_of_ones_own_has_the_same_lines(tmp_path: Path) -> None:
    trail = {"type": "file", "path": "trail/events.jsonl"}
    run(tmp_path, "SHOW CATALOGS", GRANT, events={"trail": trail})
    copied = tmp_path / "trail" / "events.jsonl"
    assert lines(copied) == lines(tmp_path / "logs" / "audit.jsonl")
    assert copied.stat().st_mode & 0o777 == 0o600


def test_the_log_has_the_lines_whatever_its_level(tmp_path: Path) -> None:
    events = {"collected": {"type": "log"}}
    run(tmp_path, "SHOW CATALOGS", GRANT, events=events, log={"level": "error"})
    logged = lines(tmp_path / "logs" / "sqe.log")
    audited = lines(tmp_path / "logs" / "audit.jsonl")
    assert [line["audit"] for line in logged] == [
        {name: value for name, value in line.items() if name != "chain"} for line in audited
    ]
    assert {name for line in audited for name in line} <= FIELDS.keys()


@pytest.mark.parametrize("required", [True, False])
def test_a_disk_without_room_refuses_queries_where_it_must_be_written(
    tmp_path: Path, required: bool
) -> None:
    trail = {"type": "file", "path": "/dev/full", "required": required}
    server = build(Settings.model_validate({"home": tmp_path, "events": {"trail": trail}}))
    try:
        session = server.gateway.open_session(Identity("ann"))
        request = QueryRequest(session.id, "SHOW CATALOGS")
        ready = {part.name: part.ready for part in server.parts()}
        if required:
            assert ready["audit"] is False
            with pytest.raises(UpstreamError) as raised:
                server.gateway.submit(request)
            assert raised.value.code is ErrorCode.AUDIT_UNAVAILABLE
        else:
            assert "audit" not in ready
            with server.gateway.fetch(server.gateway.submit(request)) as result:
                assert result.read_all().num_rows
    finally:
        server.close()


def test_the_audit_log_of_the_home_can_be_required(tmp_path: Path) -> None:
    required = {"home": tmp_path, "log": {"audit_required": True}}
    server = build(Settings.model_validate(required))
    try:
        assert {part.name: part.reason for part in server.parts()}["audit"] == "is written"
    finally:
        server.close()
    with pytest.raises(ValueError, match="needs audit = true"):
        Settings.model_validate({"log": {"audit": False, "audit_required": True}})


def test_a_sink_that_cannot_be_made_refuses_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"events\.trail.*file") as raised:
        run(tmp_path, events={"trail": {"type": "file", "path": "file/x"}})
    assert raised.value.code is ErrorCode.INVALID_SETTINGS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[events.trail]\npath = "x"\npaht = "x"', "events.trail.paht"),
        ('[events.trail]\ntype = "fax"', "events.trail"),
        ('[events.trail]\ntype = "file"', "events.trail.path"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "sqe.toml").write_text(text)
    with pytest.raises(UserError, match=told) as raised:
        load_settings(tmp_path / "sqe.toml", {}, {})
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
