"""Runs the tests, two suites at once: alone, each waits for Spark or for one thread most of the
time, so that two take little longer than one. The suite that needs the stack is a third beside
them: it waits for services and for tokens to expire.

    python -m dev.run_tests                   all suites, a share of the cases of the long proofs
    python -m dev.run_tests --stack           the same, and the suite that needs the stack
    python -m dev.run_tests --cases=all       all suites, all cases
    python -m dev.run_tests --suite=policy    one suite, all cases
    python -m dev.run_tests --changed[=BASE]  the suites that a change concerns
    python -m dev.run_tests ARGUMENTS         pytest with these arguments, in one process

What the first of the lanes runs is shown at once, what the others ran after it. Each run
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
from contextlib import ExitStack
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
            stack = [sys.executable, "-m", "dev.stack", "run"] if suite.on_stack else []
            pytest = [*_pytest(suite.name), *suite.arguments, *self._options]
            command = [*stack, *pytest, f"--junit-xml={report}"]
            self._running = subprocess.Popen(
                command, cwd=ROOT, stdout=self._output, stderr=self._output
            )
            # Not Popen.wait: only this tells the processor time, that of Spark and all included.
            _, status, usage = os.wait4(self._running.pid, 0)
            self._running.returncode = os.waitstatus_to_exitcode(status)
            cpu_s = usage.ru_utime + usage.ru_stime
            self.runs.append(SuiteRun(suite, self._running.returncode, cpu_s, report))


def run_suites(suites: Sequence[Suite], options: Sequence[str], *, budgets: bool) -> int:
    waiting = deque(suite for suite in suites if not suite.on_stack)
    waiting_for_stack = deque(suite for suite in suites if suite.on_stack)
    lanes: list[Lane] = []

    def stop(number: int, frame: FrameType | None) -> None:
        waiting.clear()
        waiting_for_stack.clear()
        for lane in lanes:
            lane.stop(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    # It saves time and no more: where it cannot be written, the tests run without it.
    subprocess.run([sys.executable, "-m", "tests.class_archive"], cwd=ROOT)
    with ExitStack() as files:
        reports = Path(files.enter_context(tempfile.TemporaryDirectory()))
        kept = [files.enter_context(tempfile.TemporaryFile()) for _ in range(2)]
        left_out = reports / "left_out"
        left_out.touch()
        os.environ[GATHERED] = str(left_out)
        outputs = zip((waiting, waiting, waiting_for_stack), (None, *kept), strict=True)
        lanes += [Lane(queue, options, reports, output) for queue, output in outputs]
        for lane in lanes:
            lane.thread.join()
        sys.stdout.flush()
        for output in kept:
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout.buffer)
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
    parser.add_argument("--stack", action="store_true")
    parser.add_argument("--cases", choices=("share", "all"), default="share")
    options, rest = parser.parse_known_args(arguments)
    cases = f"--cases={options.cases}"
    if options.suite:
        suites = [suite for suite in read_suites() if suite.name == options.suite]
        return run_suites(suites, ["--cases=all", *rest], budgets=False)
    if options.changed:
        files = changed_files(options.changed)
        suites = [one for one in read_suites() if one.concerns(files) and not one.on_stack]
        return run_suites(suites, [cases, *rest], budgets=False)
    if rest:
        return subprocess.run([*_pytest("one"), cases, *rest], cwd=ROOT).returncode
    suites = [suite for suite in read_suites() if options.stack or not suite.on_stack]
    return run_suites(suites, [cases], budgets=options.cases == "share")


def _pytest(name: str) -> list[str]:
    """Each with a cache of its own: what failed last in one is not the other's."""
    cache = os.path.join(".pytest_cache", name)
    return [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
