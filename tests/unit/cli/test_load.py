"""``sqe load``: one COPY of exactly the named files, as the person who named them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.cli.exit_codes import ExitCode
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.query import Column, QueryRequest, RowsAffected
from sqe.results.stream import ResultStream
from tests.unit.cli.fakes import FakeGateway, run


class LoadingGateway(FakeGateway):
    """Answers every statement with a number of rows, or an error, and keeps the requests."""

    def __init__(
        self, rows: int = 0, error: SqeError | None = None, rejects: pa.Table | None = None
    ) -> None:
        super().__init__()
        self.rows = rows
        self.rejects = rejects
        self.error = error
        self.requests: list[QueryRequest] = []

    def submit(self, request: QueryRequest, listener: Callable[..., None] | None = None) -> str:
        self.requests.append(request)
        return super().submit(request, listener)

    def fetch(self, query_id: str) -> ResultStream:
        if self.error is not None:
            raise self.error
        affected = RowsAffected(self.rows)
        if self.rejects is None:
            return ResultStream((), pa.schema([]), (), affected=lambda: affected)
        columns = [Column(field.name, str(field.type)) for field in self.rejects.schema]
        batches = self.rejects.to_batches()
        return ResultStream(columns, self.rejects.schema, batches, affected=lambda: affected)


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
    assert request.text == (f"COPY INTO hr.emp FROM '{path}' FILEFORMAT = CSV")
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
        "FORMAT_OPTIONS ('sep' = ';', 'header' = 'false') "
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
        ("a.csv", ["--preview", "--option", "color=red"], "no option color"),
        ("a.json", ["--preview"], "for CSV files"),
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


def test_lines_that_do_not_fit_are_written_to_a_file_and_counted(csv: Path, tmp_path: Path) -> None:
    rejects = pa.table({"file": ["a.csv"], "line": [3], "reason": ["no int"], "text": ['x,"y"']})
    gateway = LoadingGateway(rows=2, rejects=rejects)
    aside = tmp_path / "bad.csv"
    result = run(gateway, "load", str(csv), "--into", "t", "--rejects", str(aside), "--json")
    assert gateway.requests[0].text.endswith("COPY_OPTIONS ('rejects' = 'true')")
    assert aside.read_text() == 'file,line,reason,text\na.csv,3,no int,"x,""y"""\n'
    assert "2 rows inserted" in result.stderr
    assert f"1 line was left out: see {aside}" in result.stderr
    assert json.loads(result.stdout)["rejected"] == 1


def test_a_preview_shows_how_a_file_is_read_and_asks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("Tag;Betrag;Name\r\n31.12.2024;1.234,56;Jürgen\r\n".encode("cp1252"))
    gateway = LoadingGateway()
    assert "0xFC is not UTF-8" in run(gateway, "load", str(path), "--preview").stderr
    option = ["--option", "encoding=windows-1252"]
    shown = run(gateway, "load", str(path), "--preview", *option)
    assert "sep=;  header=true  decimal=,  thousands=.  dateformat=d.M.yyyy" in shown.stdout
    assert "Tag: date" in shown.stdout
    assert "Jürgen" in shown.stdout
    assert "Nothing was loaded" in shown.stderr
    (found,) = json.loads(run(gateway, "load", str(path), "--preview", "--json", *option).stdout)
    assert found["columns"][1] == {"name": "Betrag", "type": "double"}
    assert found["rows"] == [["31.12.2024", "1.234,56", "Jürgen"]]
    assert gateway.requests == []


def test_a_preview_tells_of_lines_that_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sep=|\nid|v\n1|a\n2\n")
    shown = run(LoadingGateway(), "load", str(path), "--preview")
    assert "id: int | v: string" in shown.stdout
    assert "line 4: it has 1 field instead of 2: 2" in shown.stderr


def test_bad_lines_are_never_written_over_the_file_they_are_in(csv: Path) -> None:
    before = csv.read_text()
    result = run(LoadingGateway(), "load", str(csv), "--into", "t", "--rejects", str(csv))
    assert result.exit_code == ExitCode.USAGE
    assert csv.read_text() == before


def test_a_load_without_a_table_is_refused(csv: Path) -> None:
    result = run(LoadingGateway(), "load", str(csv))
    assert result.exit_code == ExitCode.USAGE
    assert "--into" in result.stderr
