"""Runs the tests, two runs of pytest at once: alone, each waits for Spark or for one thread most of
the time, so that two take little longer than one.

    python dev/run_tests.py             all of them
    python dev/run_tests.py ARGUMENTS   pytest with these arguments, in one process

What the first of the two lanes runs is shown at once, what the second one ran after it. Each run
ends with pytest's own summary.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
# The longest first, so that both lanes end at about the same time. Each has its own Spark: one does
# not live through all of them. What is in none of them is told by a test.
RUNS = (
    (
        "tests/embedded",
        "--ignore=tests/embedded/policy",
        "--ignore=tests/embedded/trino_corpus",
        "--ignore=tests/embedded/trino_scripts",
    ),
    ("tests/embedded/policy",),
    ("tests/embedded/trino_corpus", "tests/embedded/trino_scripts"),
    ("tests/fidelity", "tests/differential"),
    ("tests/unit",),
    ("tests/contract", "tests/docs"),
)


class Lane:
    """Takes the next run when it has ended one, also where that failed."""

    def __init__(self, waiting: deque[tuple[str, ...]], output: IO[bytes] | None) -> None:
        self._waiting = waiting
        self._output = output
        self._running: subprocess.Popen[bytes] | None = None
        self.codes: list[int] = []
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def stop(self, number: int) -> None:
        if self._running is not None:
            self._running.send_signal(number)

    def _run(self) -> None:
        while True:
            try:
                run = self._waiting.popleft()
            except IndexError:
                return
            command = [*_pytest(run[0].replace("/", "-")), *run]
            self._running = subprocess.Popen(
                command, cwd=ROOT, stdout=self._output, stderr=self._output
            )
            self.codes.append(self._running.wait())


def main(arguments: Sequence[str]) -> int:
    if arguments:
        return subprocess.run([*_pytest("one"), *arguments], cwd=ROOT).returncode
    waiting = deque(RUNS)
    lanes: list[Lane] = []

    def stop(number: int, frame: FrameType | None) -> None:
        waiting.clear()
        for lane in lanes:
            lane.stop(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with tempfile.TemporaryFile() as kept:
        lanes += [Lane(waiting, output) for output in (None, kept)]
        for lane in lanes:
            lane.thread.join()
        kept.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(kept, sys.stdout.buffer)
        sys.stdout.flush()
    codes = [code for lane in lanes for code in lane.codes]
    if len(codes) < len(RUNS):
        return 1  # it was stopped
    return next((code for code in codes if code), 0)


def _pytest(name: str) -> list[str]:
    """Each with a cache of its own: what failed last in one is not the other's."""
    cache = os.path.join(".pytest_cache", name)
    return [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
