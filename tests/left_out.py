"""What a run of the tests left out and why, said once at its end.

A test that lacks something of the machine's is skipped with a reason. The reasons are listed after
everything else, by this run of pytest or by ``dev/run_tests.py`` for all of its runs together.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

# Where the runs of one `make test` gather it. Read before the tests' environment is taken away.
GATHERED = "TESTS_LEFT_OUT"  # not SQE_…: SQE takes such names for settings
_FILE = os.environ.get(GATHERED)
_skipped: list[tuple[str, str]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _note(report)


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    _skipped.append((reason.removeprefix("Skipped: "), report.nodeid))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _FILE:
        with Path(_FILE).open("a") as gathered:
            gathered.writelines(f"{json.dumps(one)}\n" for one in _skipped)
    elif _skipped:
        terminalreporter.section("left out")
        terminalreporter.write_line(left_out(_skipped))


def gathered(file: Path) -> str:
    """The list of all runs that wrote into the file."""
    return left_out([tuple(json.loads(line)) for line in file.read_text().splitlines()])


def left_out(skipped: Iterable[tuple[str, str]]) -> str:
    """One line for each reason, and below it one for each file."""
    reasons: dict[str, Counter[str]] = {}
    for reason, test in skipped:
        reasons.setdefault(reason, Counter())[test.partition("::")[0]] += 1
    if not reasons:
        return "No test was left out."
    lines = [f"{sum(count.total() for count in reasons.values())} tests were left out:"]
    for reason, count in sorted(reasons.items()):
        lines.append(f"* {reason}")
        lines += [f"    {number} of {file}" for file, number in sorted(count.items())]
    return "\n".join(lines)
