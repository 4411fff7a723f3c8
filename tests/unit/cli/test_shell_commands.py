"""Backslash commands, in a shell without a terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput

from sqe.cli.formats import Expanded, OutputFormat
from sqe.cli.invocation import Invocation
from sqe.cli.shell.commands import COMMANDS
from sqe.cli.shell.repl import Shell
from sqe.cli.shell.state import ShellState
from sqe.client.embedded import EmbeddedTransport
from sqe.errors import ErrorCode, UserError, error_of
from sqe.model.query import Column
from sqe.results.stream import ResultStream
from sqe.sql.parse import parse
from tests.unit.cli.fakes import FakeGateway, failing_after, nothing

ONE = pa.table({"x": [1]})


class Typist:
    """A shell and what it has said since the last look."""

    def __init__(self, shell: Shell, gateway: FakeGateway, capture: pytest.CaptureFixture[str]):
        self.shell = shell
        self.gateway = gateway
        self.state = shell.runner.state
        self._capture = capture

    def type(self, *lines: str) -> str:
        for line in lines:
            self.shell.handle(line)
        captured = self._capture.readouterr()
        return captured.out + captured.err


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Typist]:
    gateway = FakeGateway({"A": ONE, "B": pa.table({"y": [2]}), "BAD": _error()})
    transport = EmbeddedTransport(gateway, gateway.session, "tests")
    with create_app_session(input=DummyInput(), output=DummyOutput()):
        shell = Shell(transport, ShellState(timing=False), tmp_path / "history", Invocation())
        yield Typist(shell, gateway, capsys)


def _error() -> UserError:
    return UserError(ErrorCode.SYNTAX_ERROR, "No.")


@pytest.mark.parametrize(
    ("typed", "sql"),
    [
        (r"\d", "SHOW TABLES"),
        (r"\d demo.orders", "DESCRIBE TABLE demo.orders"),
        (r"\d+ demo.orders", "DESCRIBE TABLE EXTENDED demo.orders"),
        (r"\dt", "SHOW TABLES"),
        (r"\dt demo", "SHOW TABLES IN demo"),
        (r"\dv demo", "SHOW VIEWS IN demo"),
        (r"\dm", "SHOW MATERIALIZED VIEWS"),
        (r"\dn lake;", "SHOW SCHEMAS IN lake"),
        (r"\l", "SHOW CATALOGS"),
        (r"\dp demo.orders", "SHOW GRANTS ON TABLE demo.orders"),
        (r"\du", "SHOW ROLES"),
        (r"\df", "SHOW PROCEDURES"),
        (r"\sv demo.orders", "SHOW CREATE TABLE demo.orders"),
        (r"\c lake.demo", "USE lake.demo"),
        (r"\explain SELECT 1", "EXPLAIN SELECT 1"),
        (r"SELECT 1 \explain", "EXPLAIN SELECT 1"),
    ],
)
def test_commands_about_the_lakehouse_are_spellings_of_sql(
    typist: Typist, typed: str, sql: str
) -> None:
    typist.gateway.answers[sql] = nothing
    assert typist.type(typed) == "ok\n"
    assert typist.gateway.texts == [sql]
    parse(sql)  # raises where the gateway has no such statement


def test_help_lists_every_command(typist: Typist) -> None:
    said = typist.type(r"\?")
    assert all(command.usage in said and command.meaning in said for command in COMMANDS.values())
    assert typist.type(r"\? watch") == "\\watch [seconds]  run it again and again\n"


@pytest.mark.parametrize(
    ("typed", "near"), [(r"\wach", r"\watch"), (r"\timin", r"\timing"), (r"\limt 5", r"\limit")]
)
def test_an_unknown_command_is_told_the_nearest(typist: Typist, typed: str, near: str) -> None:
    assert f"Did you mean {near}?" in typist.type(typed)


def test_how_rows_are_shown_is_changed(typist: Typist) -> None:
    seen = []
    for line in (r"\x", r"\x", r"\x off", r"\format jsonl", r"\timing", r"\pager", r"\limit 20"):
        typist.type(line)
        state = typist.state
        seen.append((state.expanded.value, state.output.value, state.timing, state.pager))
    assert seen == [
        ("on", "table", False, True),
        ("auto", "table", False, True),
        ("off", "table", False, True),
        ("off", "jsonl", False, True),
        ("off", "jsonl", True, True),
        ("off", "jsonl", True, False),
        ("off", "jsonl", True, False),
    ]
    assert typist.state.limit == 20


@pytest.mark.parametrize(
    "typed",
    [
        r"\x maybe",
        r"\format parquet",
        r"\limit -1",
        r"\watch soon",
        r"\watch 0",
        r"\plot pie",
        r"\i",
        r"\i nowhere.sql",
        r"\g",
        r"\o nowhere/x.csv",
        r"\o x.xyz",
        r"\l x",
        r"\c",
    ],
)
def test_a_wrong_argument_is_an_error_and_changes_nothing(typist: Typist, typed: str) -> None:
    before = repr(typist.state)
    assert typist.type(typed).startswith("error[INVALID_ARGUMENT]")
    assert repr(typist.state) == before
    assert typist.gateway.texts == []


def test_a_limit_shows_so_many_rows_and_stops_the_query(typist: Typist) -> None:
    fetched = []

    def endless() -> Iterator[pa.RecordBatch]:
        while True:
            fetched.append(1)
            yield pa.record_batch({"n": [1, 2, 3]})

    typist.gateway.answers["MANY"] = lambda: ResultStream(
        [Column("n", "int")], pa.schema([("n", pa.int64())]), endless()
    )
    typist.state.limit = 7
    said = typist.type("MANY;")
    shown, words = said.split("(")
    assert shown.split() == ["n", "---", *"1231231"]
    assert words == "showing 7 of more rows; \\limit 0 shows all)\n"
    assert len(fetched) == 3
    assert typist.gateway.cancelled.is_set()


@pytest.mark.parametrize(("limit", "words"), [(3, "(3 rows)"), (4, "(3 rows)"), (0, "(3 rows)")])
def test_a_result_within_the_limit_is_complete(typist: Typist, limit: int, words: str) -> None:
    typist.gateway.answers["THREE"] = pa.table({"n": [1, 2, 3]})
    typist.state.limit = limit
    assert words in typist.type("THREE;")
    assert not typist.gateway.cancelled.is_set()


def test_several_statements_of_a_line_run_until_the_first_error(typist: Typist) -> None:
    said = typist.type("A; BAD; B;")
    assert typist.gateway.texts == ["A", "BAD"]
    assert "in statement 2" in said


def test_the_last_statement_is_run_again_or_the_one_before_the_command(typist: Typist) -> None:
    typist.type("A;", r"\g", r"B \gx", r"\g")
    assert typist.gateway.texts == ["A", "A", "B", "B"]


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl", "x.parquet", "x.arrow", "x.txt"])
def test_a_file_gets_all_rows_in_the_format_of_its_name(
    typist: Typist, tmp_path: Path, name: str
) -> None:
    typist.gateway.answers["MANY"] = pa.table({"n": range(5000)})
    typist.state.limit = 10
    assert "(5,000 rows)" in typist.type(rf"MANY \g {tmp_path / name}")
    data = (tmp_path / name).read_bytes()
    rows: dict[str, Callable[[], int]] = {
        "x.csv": lambda: len(data.splitlines()) - 1,
        "x.json": lambda: len(json.loads(data)),
        "x.jsonl": lambda: len(data.splitlines()),
        "x.parquet": lambda: pq.read_table(tmp_path / name).num_rows,
        "x.arrow": lambda: pa.ipc.open_stream(data).read_all().num_rows,
        "x.txt": lambda: len(data.splitlines()) - 2,
    }
    assert rows[name]() == 5000


def test_a_failing_statement_leaves_the_file_as_it_was(typist: Typist, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("old")
    lost = error_of(ErrorCode.ENGINE_LOST, "Spark ended.")
    typist.gateway.answers["LOST"] = failing_after(ONE, lost)
    assert "ENGINE_LOST" in typist.type(rf"LOST \g {tmp_path / 'x.csv'}")
    assert [path.name for path in tmp_path.glob("*x.csv*")] == ["x.csv"]
    assert (tmp_path / "x.csv").read_text() == "old"


def test_results_go_to_a_file_until_they_do_not(typist: Typist, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lost = error_of(ErrorCode.ENGINE_LOST, "Spark ended.")
    typist.gateway.answers["LOST"] = failing_after(ONE, lost)
    typist.type(rf"\o {path}", "A;", "LOST;", "B;")
    assert not path.exists()
    typist.type(r"\o")
    assert path.read_bytes() == b"x\r\n1\r\ny\r\n2\r\n"
    assert " x\n" in typist.type("A;")


def test_a_file_is_run_with_its_commands(typist: Typist, tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.sql", tmp_path / "outer.sql"
    inner.write_text("B;\nBAD;\nA;")
    outer.write_text(f"\\format csv\nA;\n\\i {inner}\nA;")
    said = typist.type(rf"\i {outer}")
    assert typist.gateway.texts == ["A", "B", "BAD"]
    assert typist.state.output is OutputFormat.CSV
    assert "in statement 2, which starts at line 2" in said


def test_a_file_that_reads_itself_ends(typist: Typist, tmp_path: Path) -> None:
    path = tmp_path / "loop.sql"
    path.write_text(f"\\i {path}")
    assert typist.type(rf"\i {path}").startswith("error[INVALID_ARGUMENT]")


def test_an_editor_changes_the_statement(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/A/B/ "$1"\n')
    editor.chmod(0o700)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", str(editor))
    typist.type("A;", r"\e")
    assert typist.state.draft == "B;"
    monkeypatch.setenv("EDITOR", os.devnull)
    assert "does not start" in typist.type(r"\e")


def test_what_was_typed_before_another_command_is_not_lost(typist: Typist) -> None:
    typist.type(r"SELECT 1 \x on")
    assert (typist.state.draft, typist.state.expanded) == ("SELECT 1", Expanded.ON)
