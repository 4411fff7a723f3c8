"""Runs the tests, two suites at once: alone, each waits for Spark or for one thread most of the
time, so that two take little longer than one.

    python -m dev.run_tests                   all suites, a share of the cases of the long proofs
    python -m dev.run_tests --cases=all       all suites, all cases
    python -m dev.run_tests --suite=policy    one suite, all cases
    python -m dev.run_tests --changed[=BASE]  the suites that a change concerns
    python -m dev.run_tests ARGUMENTS         pytest with these arguments, in one process

What the first of the two lanes runs is shown at once, what the second one ran after it. Each run
ends with pytest's own summary; the report at the end has the time of each suite, the slowest tests
and what was left out. A suite that takes much more processor time than its budget fails.
"""

from __future__ import annotations

import argparse
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

from dev.suites import ROOT, Suite, changed_files, read_suites
from dev.test_report import SuiteRun, print_report
from tests.left_out import GATHERED, gathered


class Lane:
    """Takes the next suite when it has ended one, also where that failed."""

    def __init__(
        self,
        waiting: deque[Suite],
        options: Sequence[str],
        reports: Path,
        output: IO[bytes] | None,
    ) -> None:
        self._waiting = waiting
        self._options = options
        self._reports = reports
        self._output = output
        self._running: subprocess.Popen[bytes] | None = None
        self.runs: list[SuiteRun] = []
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def stop(self, number: int) -> None:
        if self._running is not None:
            self._running.send_signal(number)

    def _run(self) -> None:
        while True:
            try:
                suite = self._waiting.popleft()
            except IndexError:
                return
            report = self._reports / f"{suite.name}.xml"
            command = [
                *_pytest(suite.name), *suite.arguments, *self._options, f"--junit-xml={report}"
            ]  # fmt: skip
            self._running = subprocess.Popen(
                command, cwd=ROOT, stdout=self._output, stderr=self._output
            )
            # Not Popen.wait: only this tells the processor time, that of Spark and all included.
            _, status, usage = os.wait4(self._running.pid, 0)
            self._running.returncode = os.waitstatus_to_exitcode(status)
            cpu_s = usage.ru_utime + usage.ru_stime
            self.runs.append(SuiteRun(suite, self._running.returncode, cpu_s, report))


def run_suites(suites: Sequence[Suite], options: Sequence[str], *, budgets: bool) -> int:
    waiting = deque(suites)
    lanes: list[Lane] = []

    def stop(number: int, frame: FrameType | None) -> None:
        waiting.clear()
        for lane in lanes:
            lane.stop(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with tempfile.TemporaryDirectory() as reports, tempfile.TemporaryFile() as kept:
        left_out = Path(reports) / "left_out"
        left_out.touch()
        os.environ[GATHERED] = str(left_out)
        lanes += [Lane(waiting, options, Path(reports), output) for output in (None, kept)]
        for lane in lanes:
            lane.thread.join()
        kept.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(kept, sys.stdout.buffer)
        sys.stdout.flush()
        runs = [run for lane in lanes for run in lane.runs]
        print_report(runs)
        print(f"\n{gathered(left_out)}", flush=True)
    if len(runs) < len(suites):
        return 1  # it was stopped
    too_long = budgets and any(run.suite.exceeds_budget(run.cpu_s) for run in runs)
    return next((run.code for run in runs if run.code), 1 if too_long else 0)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m dev.run_tests", allow_abbrev=False)
    parser.add_argument("--suite", choices=[suite.name for suite in read_suites()])
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="BASE")
    parser.add_argument("--cases", choices=("share", "all"), default="share")
    options, rest = parser.parse_known_args(arguments)
    cases = f"--cases={options.cases}"
    if options.suite:
        suites = [suite for suite in read_suites() if suite.name == options.suite]
        return run_suites(suites, ["--cases=all", *rest], budgets=False)
    if options.changed:
        files = changed_files(options.changed)
        suites = [suite for suite in read_suites() if suite.concerns(files)]
        return run_suites(suites, [cases, *rest], budgets=False)
    if rest:
        return subprocess.run([*_pytest("one"), cases, *rest], cwd=ROOT).returncode
    return run_suites(read_suites(), [cases], budgets=options.cases == "share")


def _pytest(name: str) -> list[str]:
    """Each with a cache of its own: what failed last in one is not the other's."""
    cache = os.path.join(".pytest_cache", name)
    return [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
