"""``sqe why``: the engine, the reason, and what would change it."""

from __future__ import annotations

import json

from sqe.cli.exit_codes import ExitCode
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind, Route
from tests.unit.cli.fakes import FakeGateway, run

SQL = "SELECT 1"
TO_SPARK = Route(EngineKind.SPARK, "rlike is not on the list", "Write it without that.")


def test_the_engine_the_reason_and_the_remedy_are_said_and_nothing_is_run() -> None:
    gateway = FakeGateway({SQL: TO_SPARK})
    result = run(gateway, "why", f"{SQL};")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "engine:  spark",
        "reason:  rlike is not on the list",
        "change:  Write it without that.",
    ]
    assert gateway.texts == []


def test_without_a_remedy_none_is_shown() -> None:
    result = run(FakeGateway({SQL: Route(EngineKind.LOCAL, "it is proven")}), "why", SQL)
    assert "change" not in result.stdout


def test_programs_get_json() -> None:
    result = run(FakeGateway({SQL: TO_SPARK}), "why", SQL, "--json")
    assert json.loads(result.stdout) == {
        "engine": "spark",
        "reason": "rlike is not on the list",
        "change": "Write it without that.",
    }


def test_an_error_of_the_statement_is_shown_as_always() -> None:
    error = UserError(ErrorCode.TABLE_NOT_FOUND, "Table lake.default.t does not exist.")
    result = run(FakeGateway({SQL: error}), "why", SQL)
    assert result.exit_code == ExitCode.USER_ERROR
    assert "does not exist" in result.stderr


def test_one_statement_is_asked_about() -> None:
    result = run(FakeGateway(), "why", "SELECT 1; SELECT 2")
    assert result.exit_code == ExitCode.USAGE
