"""Whoever changes the audit log is found out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqe.audit.chain import ChainedFile, verify
from sqe.cli.exit_codes import ExitCode
from sqe.cli.main import cli

Lines = list[bytes]


def written(path: Path, *bodies: str) -> Lines:
    file = ChainedFile(path)
    for body in bodies:
        file.append(body)
    file.close()
    return path.read_bytes().splitlines(keepends=True)


def five(path: Path) -> Lines:
    return written(path, *(f'{{"n": {number}, "t": "ä"}}' for number in range(5)))


def test_what_nobody_has_touched_is_right(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    five(path)
    written(path, '{"n": 5}')  # another process goes on with it
    verdict = verify(path)
    assert (verdict.lines, verdict.unchained, verdict.faults) == (6, 0, [])
    assert verify(path, verdict.last).contains
    assert not verify(path, "ab" * 32).contains


def _exchange(lines: Lines) -> Lines:
    return [lines[0], lines[2], lines[1], *lines[3:]]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda lines: [lines[0], lines[1].replace(b"1", b"7", 1), *lines[2:]], 2),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: lines[1:], 1),
        (lambda lines: [*lines[:2], b'{"n": 9}\n', *lines[2:]], 3),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], 3),
        (lambda lines: [*lines[:4], lines[4][:20]], 5),
        (_exchange, 2),
    ],
)
def test_a_change_shows_where_it_was_made(
    tmp_path: Path, change: Callable[[Lines], Lines], fault: int
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(change(five(path))))
    assert verify(path).faults[0][0] == fault


def test_a_cut_end_shows_by_a_digest_that_was_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = five(path)
    last = verify(path).last
    path.write_bytes(b"".join(lines[:4]))
    assert not verify(path).faults
    assert not verify(path, last).contains


def test_lines_from_before_the_chain_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"old": 1}\n{"old": 2}\n')
    five(path)
    verdict = verify(path)
    assert (verdict.unchained, verdict.lines, verdict.faults) == (2, 7, [])


def test_a_line_that_was_cut_by_a_full_disk_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = five(path)
    path.write_bytes(b"".join(lines)[:-10])
    written(path, '{"n": 6}', '{"n": 7}')
    assert [number for number, _ in verify(path).faults] == [5, 6]  # and that it was the end


_WRITER = """
import sys
from pathlib import Path
from sqe.audit.chain import ChainedFile
file = ChainedFile(Path(sys.argv[1]))
for number in range(300):
    file.append('{"by": "%s", "n": %d}' % (sys.argv[2], number))
"""


def test_processes_that_share_a_file_make_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    command = [sys.executable, "-c", _WRITER, str(path)]
    writers = [subprocess.Popen([*command, name]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    verdict = verify(path)
    assert (verdict.lines, verdict.faults) == (600, [])


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "audit.jsonl"
    lines = five(log)
    home = ["--home", str(tmp_path), "audit", "verify"]
    good = CliRunner().invoke(cli, home)
    assert good.exit_code == 0 and verify(log).last in good.stdout
    log.write_bytes(b"".join(lines[1:]))
    bad = CliRunner().invoke(cli, home)
    assert bad.exit_code == ExitCode.USER_ERROR
    assert "line 1: it, or what stood before it, was changed" in bad.stderr
    cut = CliRunner().invoke(cli, [*home, "--contains", "ab" * 32])
    assert "is not in the file" in cut.stderr
