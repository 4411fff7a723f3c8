from __future__ import annotations

import stat
from pathlib import Path

import pyarrow as pa
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from sqe.cli.formats import OutputFormat
from sqe.cli.invocation import Invocation
from sqe.cli.shell.completion import SqlCompleter
from sqe.cli.shell.names import Names
from sqe.cli.shell.repl import Shell
from sqe.cli.shell.state import ShellState
from sqe.client.embedded import EmbeddedTransport
from sqe.errors import ErrorCode, UserError
from tests.unit.cli.fakes import FakeGateway, nothing, run

ONE = pa.table({"x": [1]})


def names_table(*names: str) -> pa.Table:
    return pa.table({"namespace": ["demo"] * len(names), "tableName": list(names)})


LAKE = {
    "SHOW CATALOGS": pa.table({"catalog": ["lake"]}),
    "SHOW SCHEMAS IN lake": pa.table({"namespace": ["default", "demo"]}),
    "SHOW TABLES IN lake.default": names_table(),
    "SHOW TABLES IN lake.demo": names_table("orders", "order lines"),
    "SHOW COLUMNS IN demo.orders": pa.table({"col_name": ["order_id", "ordered_on"]}),
}


def embedded(gateway: FakeGateway) -> EmbeddedTransport:
    return EmbeddedTransport(gateway, gateway.session, "tests")


def type_into_shell(gateway: FakeGateway, typed: str, history: Path) -> None:
    def session(pipe: PipeInput) -> None:
        with create_app_session(input=pipe, output=DummyOutput()):
            Shell(embedded(gateway), ShellState(OutputFormat.CSV), history, Invocation()).run()

    with create_pipe_input() as pipe:
        pipe.send_text(typed)
        session(pipe)


def test_statements_run_at_their_semicolon_and_the_shell_ends(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gateway = FakeGateway({"SELECT\n1": ONE, "USE demo": nothing})
    history = tmp_path / "home" / "shell_history"
    type_into_shell(gateway, "SELECT\r1;\rUSE demo;\r\\q\r", history)
    assert gateway.texts == ["SELECT\n1", "USE demo"]
    assert b"x\r\n1\r\n" in capsysbinary.readouterr().out
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "USE demo;" in history.read_text()


def test_an_error_does_not_end_the_shell(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    wrong = UserError(ErrorCode.SYNTAX_ERROR, "No.")
    gateway = FakeGateway({"BAD": wrong, "WORSE": RuntimeError("boom"), "A": ONE})
    type_into_shell(gateway, "BAD;\rWORSE;\r\x03A;\r\x04", tmp_path / "history")
    captured = capsysbinary.readouterr()
    assert b"error[SYNTAX_ERROR] No." in captured.err
    assert b"error[INTERNAL_ERROR]" in captured.err
    assert b"x\r\n1\r\n" in captured.out


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("SEL", ["SELECT"]),
        ("sel", ["select"]),
        ("SELECT * FROM dem", ["demo", "demo.orders", "demo.`order lines`"]),
        ("SELECT * FROM lake.demo.o", ["lake.demo.orders"]),
        ("SELECT * FROM demo.orders WHERE ordered", ["ordered_on"]),
        ("SELECT * FROM demo.orders o WHERE o.order_", ["o.order_id"]),
        ("\\t", ["\\timing"]),
        ("SELECT 1 \\w", ["\\watch"]),
        ("\\x a", ["auto"]),
        ("\\plot ", ["bar", "line"]),
        ("\\d demo.or", ["demo.orders"]),
    ],
)
def test_completion_offers_keywords_and_names(typed: str, expected: list[str]) -> None:
    gateway = FakeGateway(dict(LAKE))
    completer = SqlCompleter(Names(embedded(gateway)))
    offered = completer.get_completions(Document(typed), CompleteEvent())
    assert [completion.text for completion in offered] == expected


def test_names_are_remembered_and_a_failure_is_no_name() -> None:
    gateway = FakeGateway({"SHOW TABLES IN x": UserError(ErrorCode.SCHEMA_NOT_FOUND, "No.")})
    names = Names(embedded(gateway))
    assert names.tables_in("x") == names.tables_in("x") == []
    assert gateway.texts == ["SHOW TABLES IN x"]


def test_a_pipe_makes_the_shell_a_script_runner() -> None:
    result = run(FakeGateway({"A": ONE}), "shell", "-o", "csv", stdin="A;")
    assert (result.exit_code, result.stdout_bytes) == (0, b"x\r\n1\r\n")
