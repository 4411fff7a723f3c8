"""What a run of the suites says at its end: their times and the slowest tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from dev.suites import Suite

SLOWEST = 10


@dataclass(frozen=True)
class SuiteRun:
    """``report``: pytest's own, in JUnit's format; not there if pytest did not get that far."""

    suite: Suite
    code: int
    cpu_s: float
    report: Path

    def tests(self) -> Iterator[ElementTree.Element]:
        if self.report.is_file():
            yield from ElementTree.parse(self.report).getroot().iter("testcase")


def print_report(runs: Sequence[SuiteRun]) -> None:
    print("\nsuite       processor s   budget")
    for run in runs:
        over = "  over its budget (dev/suites.toml)" * run.suite.exceeds_budget(run.cpu_s)
        failed = f"  FAILED ({run.code})" if run.code else ""
        print(f"{run.suite.name:<10} {run.cpu_s:>12.0f} {run.suite.cpu_s:>8}{over}{failed}")
    print(f"\nthe {SLOWEST} slowest tests, in seconds")
    for seconds, name in sorted(_times(runs), reverse=True)[:SLOWEST]:
        print(f"{seconds:>8.1f}  {name}")


def _times(runs: Sequence[SuiteRun]) -> Iterator[tuple[float, str]]:
    for run in runs:
        for test in run.tests():
            name = f"{test.get('classname', '')}.{test.get('name', '')}"
            yield float(test.get("time", 0)), name
