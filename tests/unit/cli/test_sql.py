from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.cli.exit_codes import ExitCode
from sqe.errors import ErrorCode, TextPosition, UserError, error_of
from sqe.model.query import RowsAffected
from sqe.results.stream import ResultStream
from tests.unit.cli.fakes import FakeGateway, failing_after, nothing, run

ONE = pa.table({"x": [1]})


def test_rows_go_to_stdout_and_the_rest_to_stderr() -> None:
    result = run(FakeGateway({"SELECT 1": ONE}), "sql", "SELECT 1", "-o", "csv")
    assert (result.exit_code, result.stdout_bytes) == (0, b"x\r\n1\r\n")
    assert result.stderr.startswith("(1 row, ")


def test_statements_run_in_order_until_the_first_error() -> None:
    missing = UserError(
        ErrorCode.TABLE_NOT_FOUND,
        "Table lake.default.foo does not exist.",
        hint="Did you mean lake.default.food?",
        position=TextPosition(1, 15, "foo"),
    )
    gateway = FakeGateway({"SELECT 1": ONE, "SELECT * FROM foo": missing})
    result = run(
        gateway, "sql", "-o", "jsonl", "-", stdin="SELECT 1;\n  SELECT * FROM foo; SELECT 3"
    )
    assert result.exit_code == ExitCode.USER_ERROR
    assert json.loads(result.stdout) == {"x": 1}
    assert gateway.texts == ["SELECT 1", "SELECT * FROM foo"]
    assert result.stderr.split("\n", 1)[1] == (
        "error[TABLE_NOT_FOUND] line 2:17: Table lake.default.foo does not exist. "
        "Did you mean lake.default.food?\n"
        "    SELECT * FROM foo\n"
        "                  ^^^\n"
        "  in statement 2, which starts at line 2\n"
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (ErrorCode.SYNTAX_ERROR, ExitCode.USER_ERROR),
        (ErrorCode.ACCESS_DENIED, ExitCode.ACCESS),
        (ErrorCode.DISK_FULL, ExitCode.RESOURCES),
        (ErrorCode.ENGINE_LOST, ExitCode.UPSTREAM),
        (ErrorCode.PLAN_REFUSED, ExitCode.INTERNAL),
        (ErrorCode.CANCELLED, ExitCode.CANCELLED),
    ],
)
def test_the_exit_code_says_whose_fault_it_was(code: ErrorCode, expected: ExitCode) -> None:
    result = run(FakeGateway({"X": error_of(code, "No.")}), "sql", "X")
    assert (result.exit_code, result.stderr) == (expected, f"error[{code.name}] No.\n")


def test_a_defect_shows_no_traceback_but_where_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    result = run(FakeGateway({"X": RuntimeError("boom")}), "sql", "X", home=tmp_path)
    assert result.exit_code == ExitCode.INTERNAL
    assert result.stderr.startswith("error[INTERNAL_ERROR] A defect in SQE (RuntimeError).")
    assert "Traceback" not in result.stderr
    (log,) = (tmp_path / "logs").iterdir()
    assert str(log) in result.stderr
    assert "boom" in log.read_text()


def test_an_error_in_the_middle_of_the_rows_keeps_what_was_written() -> None:
    lost = error_of(ErrorCode.ENGINE_LOST, "Spark ended.")
    result = run(FakeGateway({"X": failing_after(ONE, lost)}), "sql", "X", "-o", "csv")
    assert (result.exit_code, result.stdout_bytes) == (ExitCode.UPSTREAM, b"x\r\n1\r\n")


def test_a_statement_without_rows_writes_nothing() -> None:
    result = run(FakeGateway({"USE demo": nothing}), "sql", "USE demo")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("ok (")


def test_a_write_says_how_many_rows_it_changed() -> None:
    affected = RowsAffected(0, 2, 1)

    def merged() -> ResultStream:
        return ResultStream((), pa.schema([]), (), affected=lambda: affected)

    result = run(FakeGateway({"MERGE": merged}), "sql", "MERGE")
    assert result.stderr.startswith("2 rows updated, 1 deleted (")
    assert result.stdout == ""


def test_tables_of_several_statements_are_set_apart() -> None:
    result = run(FakeGateway({"A": ONE}), "sql", "A; A")
    assert result.stdout == " x\n---\n 1\n\n x\n---\n 1\n"


def test_a_file_is_read_and_written(tmp_path: Path) -> None:
    source, target = tmp_path / "q.sql", tmp_path / "out.parquet"
    source.write_bytes(b"\xef\xbb\xbfA;")
    arguments = ["-f", str(source), "-o", "parquet", "--output-file", str(target)]
    result = run(FakeGateway({"A": ONE}), "sql", *arguments)
    assert (result.exit_code, result.stdout) == (0, "")
    assert pq.read_table(target).equals(ONE)


def test_a_full_disk_is_said_to_be_full() -> None:
    arguments = ["A", "-o", "csv", "--output-file", "/dev/full"]
    result = run(FakeGateway({"A": pa.table({"x": range(100_000)})}), "sql", *arguments)
    assert result.exit_code == ExitCode.RESOURCES
    assert result.stderr.startswith("error[DISK_FULL] The disk has no room left for the output.")


def test_parquet_streams_to_a_pipe() -> None:
    result = run(FakeGateway({"A": ONE}), "sql", "A", "-o", "parquet")
    assert pq.read_table(io.BytesIO(result.stdout_bytes)).equals(ONE)


def test_parquet_takes_one_result() -> None:
    result = run(FakeGateway({"A": ONE}), "sql", "A; A", "-o", "parquet")
    assert result.exit_code == ExitCode.USER_ERROR
    assert "error[INVALID_ARGUMENT]" in result.stderr


@pytest.mark.parametrize(
    ("stdin", "code"),
    [(b" ; -- nothing", "EMPTY_STATEMENT"), (b"SELECT 1;\n\xff", "INVALID_TEXT")],
)
def test_bad_input_is_an_error_with_a_code(stdin: bytes, code: str) -> None:
    result = run(FakeGateway(), "sql", stdin=stdin)
    assert result.exit_code == ExitCode.USER_ERROR
    assert f"error[{code}]" in result.stderr


@pytest.mark.parametrize(
    "arguments", [["sql", "A", "-f", "-"], ["sql", "-o", "xml", "A"], ["nonsense"], ["--nonsense"]]
)
def test_a_wrong_command_line_is_exit_code_two(arguments: list[str]) -> None:
    result = run(FakeGateway({"A": ONE}), *arguments)
    assert result.exit_code == ExitCode.USAGE
    assert result.stdout == ""


def test_wrong_settings_name_the_key(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text("[spark]\nmastr = 'local'\n")
    result = run(FakeGateway(), "--home", str(tmp_path), "sql", "A")
    assert result.exit_code == ExitCode.USER_ERROR
    assert "error[INVALID_SETTINGS]" in result.stderr
    assert "Did you mean master?" in result.stderr


def test_a_new_home_that_was_asked_for_is_told_of(tmp_path: Path) -> None:
    result = run(FakeGateway({"A": ONE}), "--home", str(tmp_path / "lke"), "sql", "A")
    assert result.stderr.startswith(f"sqe: a new lakehouse is made in {tmp_path / 'lke'}\n")
    (tmp_path / "lake" / "logs").mkdir(parents=True)
    result = run(FakeGateway({"A": ONE}), "--home", str(tmp_path / "lake"), "sql", "A")
    assert "new lakehouse" not in result.stderr


def test_a_server_is_named_with_its_scheme() -> None:
    result = run(FakeGateway(), "sql", "--server", "localhost:32010", "A")
    assert result.exit_code == ExitCode.USER_ERROR
    assert "Write grpc+tls://localhost:32010, or grpc://localhost:32010" in result.stderr


def test_the_session_and_the_server_are_closed() -> None:
    gateway = FakeGateway({"A": ONE})
    run(gateway, "sql", "A")
    assert gateway.session.closed
    assert gateway.identities[0].user
