"""What the tests left out is said once, by reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.left_out import GATHERED, gathered

ROOT = Path(__file__).parents[3]
TESTS = """
import pytest
@pytest.mark.parametrize("one", [1, 2])
def test_skipped(one):
    pytest.skip("Go is not installed")
@pytest.mark.skipif(True, reason="the corpus is not here")
def test_marked(): pass
@pytest.mark.xfail(strict=True)
def test_known(): assert False
def test_run(): pass
"""
LIST = """3 tests were left out:
* Go is not installed
    2 of test_it.py
* the corpus is not here
    1 of test_it.py"""


def run(folder: Path, **environment: str) -> str:
    (folder / "test_it.py").write_text(TESTS)
    (folder / "conftest.py").write_text("from tests.left_out import *\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfExX", f"--rootdir={folder}", "test_it.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_run_lists_it_once(tmp_path: Path) -> None:
    output = run(tmp_path)
    assert LIST in output
    assert output.count("Go is not installed") == 1


def test_several_runs_are_listed_together(tmp_path: Path) -> None:
    file = tmp_path / "left_out"
    for _ in range(2):
        assert "left out" not in run(tmp_path, **{GATHERED: str(file)})
    assert gathered(file) == LIST.replace("3 tests", "6 tests").replace("2 of", "4 of").replace(
        "1 of", "2 of"
    )
