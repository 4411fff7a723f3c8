"""Where events go, by the settings."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from sqe.audit.fields import FIELDS
from sqe.errors import ErrorCode, UpstreamError, UserError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.server.sinks import SINKS
from sqe.settings import Settings, load_settings
from sqe.settings.events import SinkSettings
from sqe.settings.load import kinds_of
from tests.unit.audit.test_sent_lines import Service, wait_until

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


def test_stdout_of_a_command_is_for_its_answers() -> None:
    settings = Settings.model_validate({"events": {"out": {"type": "stdout", "required": True}}})
    assert settings.for_command().events["out"].type == "log"


@pytest.mark.parametrize(
    ("sink", "why"),
    [
        ({"type": "syslog", "address": "udp://logs.example"}, "read on the way"),
        ({"type": "syslog", "address": "tcp://logs.example:601"}, "read on the way"),
        ({"type": "syslog", "address": "udp://127.0.0.1", "required": True}, "cannot be required"),
        ({"type": "syslog", "address": "unix://dev/log"}, "unix:///path"),
        ({"type": "syslog", "address": "logs.example:514"}, "does not begin with"),
        ({"type": "syslog", "address": "tls://logs.example:many"}, "Port"),
        ({"type": "syslog", "address": "tls://logs.example", "facility": "local9"}, "local7"),
        ({"type": "http", "url": "http://siem.example/x"}, "use https"),
        ({"type": "http", "url": "https://u:p@siem.example/x"}, "no password"),
        ({"type": "http", "url": "https://siem.example", "headers": {"A b": "c"}}, "not a header"),
    ],
)
def test_an_address_that_would_not_do_is_refused(sink: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Settings.model_validate({"events": {"siem": sink}})


def test_a_required_service_gets_a_query_before_it_runs(tmp_path: Path) -> None:
    with contextlib.closing(Service()) as service:
        siem = {"type": "http", "url": service.url, "required": True, "timeout_s": 20}
        settings = {"home": tmp_path, "events": {"siem": siem}}
        server = build(Settings.model_validate(settings))
        try:
            session = server.gateway.open_session(Identity("ann"))
            request = QueryRequest(session.id, "SHOW CATALOGS")
            with server.gateway.fetch(server.gateway.submit(request)) as result:
                assert result.read_all().num_rows
            told = [(line["event"], line.get("state")) for line in service.lines]
            assert ("planning", "planning") in told
            service.status = 503
            with pytest.raises(UpstreamError) as raised:
                for _ in range(3):  # the end of the query above may have arrived before
                    server.gateway.open_session(Identity("ann"))
            assert raised.value.code is ErrorCode.AUDIT_UNAVAILABLE
            assert {part.name: part.ready for part in server.parts()}["audit"] is False
            service.status = 200
            wait_until(lambda: all(part.ready for part in server.parts() if part.name == "audit"))
        finally:
            server.close()
        assert "hidden" not in (tmp_path / "logs" / "sqe.log").read_text()
