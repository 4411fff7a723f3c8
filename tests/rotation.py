"""Which cases of a long proof a run tries: a share of them, another one with each commit.

A test function marked ``rotating(parts=n)`` has its cases as parameters; a run tries one part in n
of them, and n commits in a row try all. Tests whose cases are no parameters ask the fixture
``rotation``. ``--cases=all`` tries all, and so does a run that names a test (``file.py::test``).
A case that failed is pinned: every run tries it until it has passed ten times. The pins are in
``tests/pinned_cases.json``, to be committed with the repair.
"""

from __future__ import annotations

import fcntl
import json
import shlex
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "tests" / "pinned_cases.json"
PASSES = 10
_DAY = 86_400
Case = TypeVar("Case")


@dataclass(frozen=True)
class Rotation:
    """``number``: of the commit, so that the next one tries the next part. None: all cases."""

    number: int | None
    pinned: frozenset[str] = frozenset()
    outcomes: dict[str, bool] = field(default_factory=dict)  # whether a case passed

    def share(
        self, cases: Iterable[Case], parts: int, key: Callable[[Case], str] = str
    ) -> list[Case]:
        """The part of the cases that is tried now, in their own order."""
        offered = list(cases)
        if self.number is None:
            return offered
        ranked = sorted(offered, key=lambda case: _hash(key(case)))
        tried = {key(case) for case in ranked[self.number % parts :: parts]} | self.pinned
        return [case for case in offered if key(case) in tried]

    def note(self, case: str, passed: bool) -> None:
        """What came of a case; one that failed is pinned at the end of the run."""
        self.outcomes[case] = passed and self.outcomes.get(case, True)


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def commit_number(repository: Path = ROOT) -> int:
    """How many commits there are. Of a clone that lacks older ones, which would always have the
    same few, the number that is the commit's own id; without git, the day."""

    def answer(*words: str) -> str:
        command = ["git", *words]
        return subprocess.run(command, cwd=repository, capture_output=True, text=True).stdout

    if answer("rev-parse", "--is-shallow-repository").strip() == "true":
        return int(answer("rev-parse", "HEAD"), 16)
    counted = answer("rev-list", "--count", "HEAD")
    return int(counted) if counted else int(time.time()) // _DAY


def read_pins(file: Path) -> dict[str, int]:
    """Cases that have failed, and how often each has passed since."""
    return dict(json.loads(file.read_text() or "{}")) if file.is_file() else {}


@contextmanager
def changed_pins(file: Path) -> Iterator[dict[str, int]]:
    """Pins to be changed; written if they were. Two runs of pytest may share the file."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = read_pins(file)
        pins = dict(before)
        yield pins
        if pins != before:
            file.write_text(json.dumps(pins, indent=1, sort_keys=True) + "\n")


def note_outcomes(file: Path, outcomes: dict[str, bool]) -> None:
    """Pins what failed, counts what passed, and drops what has passed often enough."""
    if not any(not passed or case in read_pins(file) for case, passed in outcomes.items()):
        return
    with changed_pins(file) as pins:
        for case, passed in outcomes.items():
            if not passed:
                pins[case] = 0
            elif case in pins:
                pins[case] += 1
                if pins[case] >= PASSES:
                    del pins[case]


class RotationPlugin:
    """Chooses the cases of a run of pytest, and keeps the pins."""

    def __init__(self, rotation: Rotation, pins: Path) -> None:
        self.rotation = rotation
        self.pins = pins
        self.rotating: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        cases: dict[str, list[pytest.Item]] = defaultdict(list)
        parts: dict[str, int] = {}
        left_out: set[str] = set()
        for item in items:
            function = item.nodeid.partition("[")[0]
            mark = item.get_closest_marker("rotating")
            if mark is not None:
                cases[function].append(item)
                parts[function] = mark.kwargs["parts"]
            elif item.get_closest_marker("all_cases") and self.rotation.number is not None:
                left_out.add(item.nodeid)
        for function, all_items in cases.items():
            tried = self.rotation.share(all_items, parts[function], lambda item: item.nodeid)
            names = {item.nodeid for item in tried}
            self.rotating |= names
            left_out |= {item.nodeid for item in all_items} - names
        if left_out:
            config.hook.pytest_deselected(items=[i for i in items if i.nodeid in left_out])
            items[:] = [item for item in items if item.nodeid not in left_out]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid in self.rotating and (report.when == "call" or report.failed):
            self.rotation.note(report.nodeid, not report.failed)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        failed = [case for case, passed in self.rotation.outcomes.items() if not passed]
        for case in failed:
            repeated = f", repeat with: make test ARGS={shlex.quote(case)}" if "::" in case else ""
            terminalreporter.write_line(f"pinned: {case}{repeated}")

    def pytest_sessionfinish(self) -> None:
        note_outcomes(self.pins, self.rotation.outcomes)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cases",
        choices=("share", "all"),
        default="share",
        help="how many cases of the long proofs to try (all, if a test is named)",
    )
    parser.addoption(
        "--part", type=int, help="the part of the cases, instead of the number of the commit"
    )


def pytest_configure(config: pytest.Config) -> None:
    part = config.getoption("--part")
    number = commit_number() if part is None else part
    if config.getoption("--cases") == "all" or any("::" in one for one in config.args):
        number = None
    rotation = Rotation(number, frozenset(read_pins(PINS)))
    config.pluginmanager.register(RotationPlugin(rotation, PINS), "sqe-rotation")


@pytest.fixture(scope="session")
def rotation(pytestconfig: pytest.Config) -> Rotation:
    """For tests that choose among cases themselves."""
    plugin = pytestconfig.pluginmanager.get_plugin("sqe-rotation")
    assert isinstance(plugin, RotationPlugin)
    return plugin.rotation
