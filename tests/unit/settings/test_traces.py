"""Settings of traces: addresses, headers, and what a start says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sqe.errors import ErrorCode, UserError
from sqe.model.tracing import UNTRACED
from sqe.server.config_check import check_parts
from sqe.server.traces import tracer_of
from sqe.settings import Settings, load_settings
from sqe.settings.shown import show_settings
from sqe.settings.traces import TraceSettings


def settings(home: Path, **traces: Any) -> Settings:
    return Settings.model_validate({"home": home, "traces": {"enabled": True, **traces}})


def test_off_unless_it_is_said(tmp_path: Path) -> None:
    assert tracer_of(Settings(home=tmp_path)) is UNTRACED
    assert tracer_of(settings(tmp_path).for_command()) is UNTRACED


def test_the_address_is_the_protocol_s_own_place() -> None:
    assert TraceSettings().address == "http://127.0.0.1:4317"
    assert TraceSettings(protocol="http").address == "http://127.0.0.1:4318/v1/traces"
    assert TraceSettings(endpoint="https://c.test:1/").address == "https://c.test:1"


@pytest.mark.parametrize(
    "wrong",
    [
        {"endpoint": "http://collector.test:4317"},
        {"endpoint": "https://ann:hunter2@collector.test"},
        {"endpoint": "collector:4317"},
        {"protocol": "kafka"},
        {"ratio": 1.5},
        {"timeout_s": 0},
        {"headers": {"content-type": "x"}},
        {"headers": {"two words": "x"}},
        {"headers": {"key": "two\nlines"}},
        {"service_name": ""},
        {"sampler": "x"},
    ],
)
def test_what_is_wrong_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TraceSettings.model_validate(wrong)


def test_a_header_comes_from_the_environment_and_is_not_shown(tmp_path: Path) -> None:
    environment = {"SQE_HOME": str(tmp_path), "SQE_TRACES__HEADERS__AUTHORIZATION": "opensesame"}
    loaded = load_settings(environ=environment)
    assert loaded.traces.headers["authorization"].get_secret_value() == "opensesame"
    assert "opensesame" not in show_settings(loaded) + repr(loaded)


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_authorities_that_are_not_there_refuse_the_start(tmp_path: Path, protocol: str) -> None:
    wrong = settings(
        tmp_path, protocol=protocol, endpoint="https://c.test:1", authorities="gone.pem"
    )
    with pytest.raises(UserError) as raised:
        tracer_of(wrong)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    errors = {part.name: part.error for part in check_parts(wrong)}
    assert str(errors["traces"]) == str(raised.value)


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_a_start_asks_nobody(tmp_path: Path, protocol: str) -> None:
    tracer = tracer_of(settings(tmp_path, protocol=protocol, endpoint="https://c.test:1"))
    assert tracer is not UNTRACED
    tracer.close()
