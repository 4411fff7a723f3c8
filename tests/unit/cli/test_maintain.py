"""``sqe maintain``: what tables need, said or done."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from sqe.cli.exit_codes import ExitCode
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.results.stream import ResultStream
from tests.unit.cli.fakes import FakeGateway, run, stream_of

SMALL = {"data_files": 9, "data_bytes": 9000, "rows": 90, "small_files": [9]}
QUIET = {"delete_files": 0, "deleted_rows": 0, "manifests": 2, "manifest_bytes": 5000}
LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
COUNTS = {"snapshots": 4, "expirable": [LONG_AGO, LONG_AGO]}


class Tables(FakeGateway):
    """Two tables in schema ``s``: ``small`` needs upkeep, ``well`` does not."""

    def __init__(self, failing: str = "") -> None:
        super().__init__()
        self.failing = failing
        self.answers = Answers(self._answer)
        self.calls: list[str] = []

    def _answer(self, text: str) -> Any:
        if text == "SHOW SCHEMAS":
            return pa.table({"namespace": ["s"]})
        if text == "SHOW TABLES IN s":
            names = ["small", "well"]
            return pa.table(
                {"namespace": ["s", "s"], "tableName": names, "isTemporary": [False, False]}
            )
        if text.startswith("SHOW TABLES IN"):
            return UserError(ErrorCode.SCHEMA_NOT_FOUND, "There is no such schema.")
        if text.startswith("CALL"):
            return self._call(text)
        state = {**SMALL, **QUIET, **COUNTS}
        if "well" in text or self.calls:
            state |= {"small_files": [], "expirable": [], "data_files": 1}
        return pa.table({name: [value] for name, value in state.items()})

    def _call(self, text: str) -> pa.Table | SqeError:
        self.calls.append(re.sub(r"\(.*", "", text))
        if self.failing and self.failing in text:
            return UserError(ErrorCode.COMMIT_CONFLICT, "Someone else changed the table first.")
        if "rewrite" in text:
            return pa.table({"rewritten_data_files_count": [9], "failed_data_files_count": [0]})
        return pa.table({"deleted_data_files_count": [9], "deleted_manifest_lists_count": [2]})


class Answers(dict[str, Any]):
    def __init__(self, answer: Callable[[str], Any]) -> None:
        super().__init__()
        self._answer = answer

    def __missing__(self, text: str) -> Any:
        answer = self._answer(text)
        return answer if isinstance(answer, Exception) else self._stream(answer)

    def _stream(self, table: pa.Table) -> Callable[[], ResultStream]:
        return lambda: stream_of(table)


def test_a_dry_run_says_what_and_why_and_changes_nothing() -> None:
    gateway = Tables()
    result = run(gateway, "maintain", "--dry-run")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "lake.s.small: 9 data files, 8.8 KB, 2 manifests, 4 snapshots"
    assert lines[1] == "  rewrite_data_files: 9 of 9 files are below 384.0 MB"
    assert lines[2].startswith("    CALL system.rewrite_data_files(table => 'lake.s.small', ")
    assert lines[3] == "  expire_snapshots: 2 of 4 snapshots are older than 5 days"
    assert lines[-1] == "lake.s.well: 1 data file, 8.8 KB, 2 manifests, 4 snapshots; needs nothing"
    assert gateway.calls == []


def test_the_work_is_done_and_its_outcome_said() -> None:
    gateway = Tables()
    result = run(gateway, "maintain", "s")
    assert result.exit_code == 0, result.stderr
    assert gateway.calls == ["CALL system.rewrite_data_files", "CALL system.expire_snapshots"]
    assert "      9 rewritten data files" in result.stdout.splitlines()
    assert "      9 deleted data files, 2 deleted manifest lists" in result.stdout.splitlines()
    assert "  now 1 data file, 8.8 KB, 2 manifests, 4 snapshots" in result.stdout.splitlines()


def test_programs_get_one_object_per_table() -> None:
    result = run(Tables(), "maintain", "lake.s.small", "--json")
    [document] = [json.loads(line) for line in result.stdout.splitlines()]
    assert document["table"] == "lake.s.small"
    assert [need["procedure"] for need in document["needs"]] == [
        "rewrite_data_files",
        "expire_snapshots",
    ]
    assert document["needs"][0]["result"][0]["rewritten_data_files_count"] == 9
    assert (document["before"]["data_files"], document["after"]["data_files"]) == (9, 1)


def test_one_failure_does_not_stop_the_rest_and_is_the_exit_code() -> None:
    gateway = Tables(failing="rewrite_data_files")
    result = run(gateway, "maintain")
    assert result.exit_code == ExitCode.USER_ERROR
    assert len(gateway.calls) == 2
    assert "failed: Someone else changed the table first." in result.stderr


def test_options_are_thresholds() -> None:
    result = run(Tables(), "maintain", "s.small", "--dry-run", "--small-files", "10")
    assert "rewrite_data_files" not in result.stdout
    assert "expire_snapshots" in result.stdout
    result = run(Tables(), "maintain", "s.well", "--dry-run", "--orphans")
    assert "remove_orphan_files" in result.stdout
