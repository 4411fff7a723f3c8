"""Which cases of the long proofs a run tries."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rotation import PASSES, Rotation, commit_number, note_outcomes, read_pins

ROOT = Path(__file__).parents[3]


@given(st.sets(st.text()), st.integers(1, 20), st.integers(0, 10_000))
def test_as_many_commits_as_parts_try_every_case_once(
    cases: set[str], parts: int, first: int
) -> None:
    tried = [
        case
        for number in range(first, first + parts)
        for case in Rotation(number).share(sorted(cases), parts)
    ]
    assert sorted(tried) == sorted(cases)


def test_a_clone_without_older_commits_still_has_a_number_for_each(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    git = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.org"]
    subprocess.run([*git, "init", "--quiet", whole], check=True)
    numbers = []
    for text in ("first", "second", "third"):
        commit = [*git, "commit", "--quiet", "--allow-empty", "-m", text]
        subprocess.run(commit, cwd=whole, check=True)
        clone = tmp_path / text
        cloning = ["git", "clone", "--quiet", "--depth=1", whole.as_uri(), str(clone)]
        subprocess.run(cloning, check=True)
        numbers.append(commit_number(clone))
    assert len(set(numbers)) == 3
    assert commit_number(whole) == 3


def test_without_a_number_all_cases_are_tried() -> None:
    assert Rotation(None).share("abc", 3) == ["a", "b", "c"]


def test_a_pinned_case_is_tried_by_every_commit() -> None:
    for number in range(5):
        assert "c" in Rotation(number, frozenset("c")).share("abcde", 5)


def test_a_case_that_fails_is_pinned_until_it_has_passed_often_enough(tmp_path: Path) -> None:
    file = tmp_path / "pins.json"
    note_outcomes(file, {"a": False, "b": True})
    assert read_pins(file) == {"a": 0}
    for _ in range(PASSES - 1):
        note_outcomes(file, {"a": True})
    assert read_pins(file) == {"a": PASSES - 1}
    note_outcomes(file, {"a": False})
    assert read_pins(file) == {"a": 0}
    for _ in range(PASSES):
        note_outcomes(file, {"a": True})
    assert read_pins(file) == {}


CASES = """
import pytest

@pytest.mark.rotating(parts=4)
@pytest.mark.parametrize("number", range(8))
def test_number(number):
    assert number != {failing}

@pytest.mark.all_cases
def test_all():
    pass
"""


CONFTEST = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
import tests.rotation
tests.rotation.PINS = Path(__file__).with_name("pins.json")
from tests.rotation import pytest_addoption, pytest_configure
"""
MARKERS = "[pytest]\nmarkers =\n  rotating\n  all_cases\n"


@dataclass(frozen=True)
class Project:
    """A folder with eight cases, of which one may fail."""

    folder: Path

    def write(self, failing: int | None = None) -> None:
        for name, text in {
            "conftest.py": CONFTEST,
            "pytest.ini": MARKERS,
            "test_cases.py": CASES.format(failing=failing),
        }.items():
            (self.folder / name).write_text(text)

    def run(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True).stdout


@pytest.fixture
def cases(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write()
    return made


def test_runs_of_all_parts_try_all_cases(cases: Project) -> None:
    shown = [cases.run(f"--part={part}", "-v") for part in range(4)]
    assert all("2 passed, 7 deselected" in one for one in shown)
    tried = [number for one in shown for number in re.findall(r"test_number\[(.)\] PASSED", one)]
    assert sorted(tried) == list("01234567")


def test_a_run_of_all_cases_also_tries_what_needs_all(cases: Project) -> None:
    assert "9 passed" in cases.run("--cases=all")


def test_a_test_that_is_named_is_tried(cases: Project) -> None:
    assert "8 passed" in cases.run("test_cases.py::test_number")


def test_a_failure_says_how_to_repeat_it_and_is_tried_again(cases: Project) -> None:
    cases.write(failing=5)
    shown = cases.run("--cases=all")
    assert "repeat with: make test ARGS='test_cases.py::test_number[5]'" in shown
    assert all("1 failed" in cases.run(f"--part={part}") for part in range(2))
