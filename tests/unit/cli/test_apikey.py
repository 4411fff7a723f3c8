"""``sqe apikey``: what it prints where, and what it refuses."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sqe.cli.main import cli


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["apikey", *arguments])


def test_a_key_is_all_there_is_on_stdout() -> None:
    answer = run("create", "one", "--user", "ann")
    assert answer.exit_code == 0
    assert re.fullmatch(r"sqe_key_[0-9a-f]{12}_[\w-]{43}\n", answer.stdout)
    assert "good until" in answer.stderr


def test_a_key_can_go_to_a_new_file_of_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "one.key"
    answer = run("create", "one", "--user", "ann", "--out", str(path))
    assert answer.stdout == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("sqe_key_")
    kept = path.read_text()
    again = run("create", "two", "--user", "ann", "--out", str(path))
    assert again.exit_code == 1 and path.read_text() == kept
    assert "two" not in run("list").stdout


def test_a_name_that_is_taken_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    run("create", "one", "--user", "ann")
    answer = run("create", "one", "--user", "ann", "--out", str(tmp_path / "new"))
    assert answer.exit_code == 1
    assert "already" in answer.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ("create", "one"),
        ("create", " one", "--user", "ann"),
        ("create", "one", "--user", "a:b"),
        ("create", "one", "--user", "ann", "--expires", "0d"),
        ("create", "one", "--user", "ann", "--expires", "soon"),
        ("create", "one", "--user", "ann", "--scope", "write"),
    ],
)
def test_what_is_not_clear_is_refused(wrong: tuple[str, ...]) -> None:
    answer = run(*wrong)
    assert answer.exit_code == 2
    assert len(run("list").stdout.splitlines()) == 1


def test_revoking_what_is_not_there_says_so() -> None:
    answer = run("revoke", "nobody")
    assert answer.exit_code == 1
    assert "no key nobody" in answer.stderr
