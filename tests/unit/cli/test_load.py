"""``sqe load``: one COPY of exactly the named files, as the person who named them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.cli.exit_codes import ExitCode
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.query import QueryRequest, RowsAffected
from sqe.results.stream import ResultStream
from tests.unit.cli.fakes import FakeGateway, run


class LoadingGateway(FakeGateway):
    """Answers every statement with a number of rows, or an error, and keeps the requests."""

    def __init__(self, rows: int = 0, error: SqeError | None = None) -> None:
        super().__init__()
        self.rows = rows
        self.error = error
        self.requests: list[QueryRequest] = []

    def submit(self, request: QueryRequest, listener: Callable[..., None] | None = None) -> str:
        self.requests.append(request)
        return super().submit(request, listener)

    def fetch(self, query_id: str) -> ResultStream:
        if self.error is not None:
            raise self.error
        return ResultStream((), pa.schema([]), (), affected=lambda: RowsAffected(self.rows))


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "it's.csv"
    path.write_text("id\n1\n")
    return path.resolve()


def test_the_files_are_copied_and_only_they_may_be_read(csv: Path) -> None:
    gateway = LoadingGateway(rows=3)
    result = run(gateway, "load", str(csv), "--into", "hr.emp", "--json")
    assert result.exit_code == 0
    assert "3 rows inserted" in result.stderr
    assert json.loads(result.stdout) == {"table": "hr.emp", "files": 1, "rows": 3}
    (request,) = gateway.requests
    path = str(csv).replace("'", "\\'")
    assert request.text == (
        f"COPY INTO hr.emp FROM '{path}' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true')"
    )
    assert request.files == frozenset({str(csv)})


def test_a_folder_stands_for_its_files_and_a_link_for_what_it_leads_to(
    tmp_path: Path, csv: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.json").write_text("{}")
    (folder / ".hidden.json").write_text("{}")
    (folder / "link.json").symlink_to(csv)
    gateway = LoadingGateway()
    run(gateway, "load", str(folder), "--into", "t", "--format", "json")
    assert gateway.requests[0].files == {str(folder.resolve() / "a.json"), str(csv)}


def test_flags_and_options(csv: Path) -> None:
    gateway = LoadingGateway()
    flags = ["--create", "--overwrite", "--again", "--option", "sep=;", "--option", "header=false"]
    run(gateway, "load", str(csv), "--into", "t", *flags)
    assert gateway.requests[0].text.endswith(
        "FORMAT_OPTIONS ('header' = 'false', 'sep' = ';') "
        "COPY_OPTIONS ('force' = 'true', 'create' = 'true', 'overwrite' = 'true')"
    )


def test_nothing_new_is_explained(csv: Path) -> None:
    result = run(LoadingGateway(rows=0), "load", str(csv), "--into", "t")
    assert "0 rows inserted" in result.stderr
    assert "--again loads them" in result.stderr


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        (ErrorCode.TABLE_NOT_FOUND, "--create makes the table."),
        (ErrorCode.TABLE_ALREADY_EXISTS, "Leave --create out"),
        (ErrorCode.INVALID_FILE, "Nothing was loaded."),
    ],
)
def test_errors_say_what_to_do(csv: Path, code: ErrorCode, hint: str) -> None:
    error = UserError(code, "It does not work.", hint="Nothing was loaded.")
    result = run(LoadingGateway(error=error), "load", str(csv), "--into", "t")
    assert result.exit_code == ExitCode.USER_ERROR
    assert hint in result.stderr


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("a.data", [], "give --format"),
        ("a.csv", ["--option", "sep"], "KEY=VALUE"),
        ("_a.csv", [], "hidden"),
    ],
)
def test_a_wrong_command_line(
    tmp_path: Path, name: str, arguments: list[str], message: str
) -> None:
    (tmp_path / name).write_text("")
    result = run(LoadingGateway(), "load", str(tmp_path / name), "--into", "t", *arguments)
    assert result.exit_code == ExitCode.USAGE
    assert message in result.stderr


@pytest.mark.parametrize("name", ["a.csv.gz", "A.TSV", "b.ndjson"])
def test_the_name_of_a_file_says_its_format(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")
    gateway = LoadingGateway()
    assert run(gateway, "load", str(tmp_path / name), "--into", "t").exit_code == 0
    kind = "JSON" if name.endswith("json") else "CSV"
    assert f"FILEFORMAT = {kind}" in gateway.requests[0].text
