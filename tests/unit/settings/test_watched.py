"""Rules in files are read again when they change, and a broken change changes nothing."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.settings.watched import Files, Watched


def numbers(files: Files) -> list[int]:
    return [int(text) for _, text in sorted(files.items())]


def test_a_change_is_seen_at_once(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("1")
    watched = Watched(path, numbers)
    assert (watched.value, watched.version) == ([1], 1)
    path.write_text("2")  # as long as before, and perhaps in the same tick of the clock
    assert (watched.value, watched.version) == ([2], 2)


def test_a_change_is_in_the_version_whoever_asks_first(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("1")
    watched = Watched(path, numbers)
    path.write_text("22")
    assert watched.version == 2


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("1")
    tick = path.stat().st_mtime_ns
    watched = Watched(path, numbers)
    path.write_text("2")
    os.utime(path, ns=(tick, tick))
    assert watched.value == [2]


def test_what_is_not_changed_keeps_its_version(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("1")
    watched = Watched(path, numbers)
    os.utime(path, (1, 1))
    path.write_text("1")
    assert watched.version == 1


def test_a_broken_change_keeps_what_held_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rules"
    path.write_text("1")
    watched = Watched(path, numbers)
    path.write_text("one")
    with caplog.at_level(logging.ERROR):
        assert [watched.value for _ in range(3)] == [[1]] * 3
    assert len(caplog.records) == 1 and "broken" in caplog.text
    assert "one" in watched.problem and watched.version == 1
    path.write_text("3")
    assert (watched.value, watched.problem, watched.version) == ([3], "", 2)


def test_a_file_that_is_gone_keeps_what_held(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("1")
    watched = Watched(path, numbers)
    path.unlink()
    assert watched.value == [1] and watched.problem
    path.write_text("1")
    assert watched.value == [1] and not watched.problem


def test_a_folder_is_all_its_files_of_the_pattern(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / "notes.md").write_text("not a number")
    watched = Watched(tmp_path, numbers, "*.txt")
    assert watched.value == [1]
    (tmp_path / "b.txt").write_text("2")
    assert watched.value == [1, 2]
    (tmp_path / "a.txt").unlink()
    assert watched.value == [2] and watched.version == 3


@pytest.mark.parametrize("text", [None, "one"])
def test_nothing_starts_without_its_rules(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "rules"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError) as raised:
        Watched(path, numbers)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS and str(path) in raised.value.message


def test_a_folder_without_rules_refuses_too(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        Watched(tmp_path, numbers, "*.txt")


def old(path: Path) -> None:
    """So long ago that its time alone tells one state from the other."""
    os.utime(path, (1_000_000, 1_000_000))


def test_an_old_file_is_told_by_its_size_and_by_being_another_one(tmp_path: Path) -> None:
    path, other = tmp_path / "rules", tmp_path / "other"
    path.write_text("1")
    old(path)
    watched = Watched(path, numbers)
    path.write_text("22")
    old(path)
    assert watched.value == [22]
    other.write_text("33")
    old(other)
    other.replace(path)
    assert watched.value == [33]


def test_files_of_other_names_are_other_files(tmp_path: Path) -> None:
    def names(files: Files) -> list[str]:
        return sorted(files)

    path = tmp_path / "a"
    path.write_text("1")
    (tmp_path / "folder").mkdir()
    old(path)
    watched = Watched(tmp_path, names)
    assert watched.value == ["a"]
    path.rename(tmp_path / "b")
    assert watched.value == ["b"]


def test_sqes_own_errors_are_said_in_their_words(tmp_path: Path) -> None:
    def read(files: Files) -> str:
        if b"bad" in files["rules"]:
            raise UserError(ErrorCode.INVALID_ARGUMENT, "too bad")
        return "good"

    path = tmp_path / "rules"
    path.write_text("good")
    watched = Watched(path, read)
    path.write_text("bad")
    assert (watched.value, watched.problem) == ("good", "too bad")
    with pytest.raises(UserError, match="too bad") as raised:
        Watched(path, read)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS and str(path) in raised.value.message
    path.unlink()
    assert watched.problem == "No such file or directory"


def test_an_error_of_the_system_without_words_is_told_by_its_name(tmp_path: Path) -> None:
    def read(files: Files) -> str:
        raise TimeoutError

    path = tmp_path / "rules"
    path.write_text("1")
    with pytest.raises(UserError, match="TimeoutError"):
        Watched(path, read)
