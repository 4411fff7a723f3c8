"""Runs the tests in two halves at once: alone, each waits for Spark or for one thread most of the
time, so that two take little longer than one.

    python dev/run_tests.py             all of them
    python dev/run_tests.py ARGUMENTS   pytest with these arguments, in one process

The second half's output comes after the first one's. Each half ends with pytest's own summary.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
# About equally long. What is in neither half is told by a test.
HALVES = (
    (
        "tests/embedded",
        "--ignore=tests/embedded/policy",
        "--ignore=tests/embedded/trino_corpus",
        "--ignore=tests/embedded/trino_scripts",
    ),
    (
        "tests/unit",
        "tests/contract",
        "tests/docs",
        "tests/fidelity",
        "tests/differential",
        "tests/embedded/policy",
        "tests/embedded/trino_corpus",
        "tests/embedded/trino_scripts",
    ),
)


def main(arguments: Sequence[str]) -> int:
    if arguments:
        return subprocess.run([*_pytest("one"), *arguments], cwd=ROOT).returncode
    running: list[subprocess.Popen[bytes]] = []

    def stop(number: int, frame: FrameType | None) -> None:
        for process in running:
            process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with tempfile.TemporaryFile() as kept:
        for name, output, half in zip("ab", (None, kept), HALVES, strict=True):
            command = [*_pytest(name), *half]
            running.append(subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output))
        codes = [process.wait() for process in running]
        kept.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(kept, sys.stdout.buffer)
        sys.stdout.flush()
    return next((code for code in codes if code), 0)


def _pytest(name: str) -> list[str]:
    """Each with a cache of its own: what failed last in one is not the other's."""
    cache = os.path.join(".pytest_cache", name)
    return [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
