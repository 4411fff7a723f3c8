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
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
# About equally long. Each is one run of pytest after another: one Spark does not live through all
# of them. What is in neither half is told by a test.
HALVES = (
    (
        (
            "tests/embedded",
            "--ignore=tests/embedded/policy",
            "--ignore=tests/embedded/trino_corpus",
            "--ignore=tests/embedded/trino_scripts",
        ),
    ),
    (
        (
            "tests/unit",
            "tests/contract",
            "tests/docs",
            "tests/fidelity",
            "tests/differential",
            "tests/embedded/trino_corpus",
            "tests/embedded/trino_scripts",
        ),
        ("tests/embedded/policy",),
    ),
)


class Half:
    """Its runs, one after the other, also where one fails."""

    def __init__(self, name: str, runs: Sequence[Sequence[str]], output: IO[bytes] | None) -> None:
        self._commands = [[*_pytest(f"{name}{at}"), *run] for at, run in enumerate(runs)]
        self._output = output
        self._running: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self.codes: list[int] = []
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def stop(self, number: int) -> None:
        self._stopped = True
        if self._running is not None:
            self._running.send_signal(number)

    def _run(self) -> None:
        for command in self._commands:
            if self._stopped:
                self.codes.append(1)
                return
            self._running = subprocess.Popen(
                command, cwd=ROOT, stdout=self._output, stderr=self._output
            )
            self.codes.append(self._running.wait())


def main(arguments: Sequence[str]) -> int:
    if arguments:
        return subprocess.run([*_pytest("one"), *arguments], cwd=ROOT).returncode
    halves: list[Half] = []

    def stop(number: int, frame: FrameType | None) -> None:
        for half in halves:
            half.stop(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with tempfile.TemporaryFile() as kept:
        for name, output, runs in zip("ab", (None, kept), HALVES, strict=True):
            halves.append(Half(name, runs, output))
        for half in halves:
            half.thread.join()
        kept.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(kept, sys.stdout.buffer)
        sys.stdout.flush()
    return next((code for half in halves for code in half.codes if code), 0)


def _pytest(name: str) -> list[str]:
    """Each with a cache of its own: what failed last in one is not the other's."""
    cache = os.path.join(".pytest_cache", name)
    return [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
