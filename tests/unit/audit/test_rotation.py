"""A file that is large enough is followed by another, and the chain goes on in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqe.audit.chain import ChainedFile, list_files, verify, verify_all
from sqe.cli.exit_codes import ExitCode
from sqe.cli.main import cli

_MOST = 1_000


def written(path: Path, lines: int) -> list[Path]:
    file = ChainedFile(path, _MOST)
    for number in range(lines):
        file.append(f'{{"n": {number}}}')
    file.close()
    return list_files(path)


def faults(path: Path) -> list[str]:
    return [file.name for file, verdict in verify_all(path) if verdict.faults]


def numbers(files: list[Path]) -> int:
    return sum(b'"n": ' in line for file in files for line in file.read_bytes().splitlines())


def test_the_chain_goes_on_from_file_to_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    files = written(path, 100)
    files = written(path, 100)  # by the next process
    assert len(files) > 10 and files[0].name == "a.jsonl.000001"
    assert numbers(files) == 200
    assert all(file.stat().st_size < _MOST + 300 for file in files)
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    assert faults(path) == []
    assert verify(files[3]).faults == []  # by itself as well
    first = verify(files[0]).last
    assert any(verdict.contains for _, verdict in verify_all(path, first))


def _cut(files: list[Path]) -> None:
    files[2].write_bytes(files[2].read_bytes().rpartition(b'{"n"')[0])


def _swap(files: list[Path]) -> None:
    middle = files[2].read_bytes()
    files[2].write_bytes(files[3].read_bytes())
    files[3].write_bytes(middle)


@pytest.mark.parametrize("change", [lambda files: files[2].unlink(), _cut, _swap])
def test_a_file_that_is_missing_or_changed_shows(
    tmp_path: Path, change: Callable[[list[Path]], None]
) -> None:
    path = tmp_path / "a.jsonl"
    change(written(path, 100))
    assert faults(path)


def test_a_current_file_that_begins_anew_shows(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    written(path, 100)
    path.unlink()
    written(path, 1)
    assert faults(path) == ["a.jsonl"]


def test_the_oldest_files_may_be_put_away(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    files = written(path, 100)
    for old in files[:3]:
        old.unlink()
    assert faults(path) == []
    assert written(path, 50)[-2].name > files[-2].name  # numbers are not given again


def test_processes_share_the_files(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    program = (
        "import sys; from pathlib import Path; from sqe.audit.chain import ChainedFile\n"
        f"file = ChainedFile(Path(sys.argv[1]), {_MOST})\n"
        "for n in range(200): file.append('{\"n\": %d}' % n)"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert numbers(list_files(path)) == 600
    assert faults(path) == []


def test_a_process_that_was_killed_in_between_leaves_a_whole_chain(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    files = written(path, 100)
    half = path.with_name("a.jsonl.new")
    half.write_bytes(b'{"half')
    os.link(path, path.with_name(f"a.jsonl.{len(files):06}"))
    assert faults(path) == []
    files = written(path, 100)
    assert numbers(files) == 200 and faults(path) == [] and not half.exists()


def test_a_folder_that_takes_no_new_file_keeps_the_old_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.jsonl"
    (tmp_path / "a.jsonl.new").mkdir()
    assert written(path, 100) == [path]
    assert numbers([path]) == 100 and faults(path) == []
    assert caplog.text.count("cannot be followed") == 1


def test_the_command_checks_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    files = written(path, 100)
    result = CliRunner().invoke(cli, ["audit", "verify", str(path)])
    assert result.exit_code == 0 and f" in {len(files)} files" in result.output
    files[1].unlink()
    result = CliRunner().invoke(cli, ["audit", "verify", str(path)])
    assert result.exit_code == ExitCode.USER_ERROR
    assert "a.jsonl.000003, line 1: it does not go on" in result.output
