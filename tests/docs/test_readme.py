"""The README's session is run as a newcomer would, and its answers are compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.console import sessions
from tests.small_spark import small_spark_config

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.mark.spark
@pytest.mark.timeout(600)
def test_the_session_at_the_top_prints_what_the_readme_says(
    tmp_path: Path, jar_cache: Path
) -> None:
    environment = {
        **os.environ,
        **small_spark_config(tmp_path / "sqe.toml", jar_cache),
        "SQE_HOME": str(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for command, expected in sessions(README)[0]:
        done = subprocess.run(
            shlex.split(command),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout if done.returncode == 0 else done.stderr
        assert said == expected, done.stderr


def test_every_make_verb_in_the_readme_exists() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    verbs = set(re.findall(r"^\s*(?:make )?([a-z][a-z-]+)\s", listed, re.MULTILINE))
    named = set(re.findall(r"`?make ([a-z][a-z-]+)", README))
    assert named <= verbs


def test_every_page_the_readme_names_exists() -> None:
    for page in re.findall(r"[`(]((?:docs|benchmarks)/[\w./-]*)[`)]", README):
        assert (ROOT / page).exists(), page
