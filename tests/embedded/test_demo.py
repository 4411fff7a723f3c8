"""The tour a newcomer takes: it ends by itself, and a second one shows the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.small_spark import small_spark_config


def take_the_tour(home: Path, jars: Path) -> str:
    """What the tour prints, without the times; tables that are there are not made again."""
    done = subprocess.run(
        [sys.executable, "-m", "sqe", "--home", str(home), "demo"],
        env={**os.environ, **small_spark_config(home.with_name("sqe.toml"), jars)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = re.sub(r"\d+\.\d+ s(?=[,)])", "s", done.stdout)
    return re.sub(r"^(?:ok|[\d,]+ rows inserted) ", "done ", text, flags=re.MULTILINE)


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_the_tour_ends_by_itself_and_shows_the_same_again(tmp_path: Path, jar_cache: Path) -> None:
    first = take_the_tour(tmp_path / "home", jar_cache)
    second = take_the_tour(tmp_path / "home", jar_cache)
    for title in ("A join", "A file into a table", "MERGE", "Time travel", "Upkeep", "EXPLAIN"):
        assert title in first
    assert "sqe shell" in first and "make serve" in first
    assert second == first
