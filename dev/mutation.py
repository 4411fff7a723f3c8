"""Puts one defect after another into policy/ and rewrite/: does a test notice?

    python -m dev.mutation                    all of them; the score, and those nobody noticed
    python -m dev.mutation --share 0.1        some, by --seed
    python -m dev.mutation --only guard.py    of files whose path has this in it

The tests run once, to find out which of them call which function. Then each defect is put into a
copy of this very process (a fork), where the tests that call the function run until one fails.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest

from dev.mutation_points import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent
CODE = ROOT / "src" / "sqe"
MUTATED = ("policy", "rewrite")
TESTS = (
    "tests/unit/policy",
    "tests/unit/rewrite",
    "tests/contract/policies",
    "tests/unit/model",
    "tests/unit/engines/spark/test_guarded_plans.py",
)
FLAGS = ("-q", "-x", "-p", "no:cacheprovider", "-m", "not spark and not java", "--no-header")
SECONDS = 300  # who takes longer has noticed
TARGET = 0.95


@dataclass(eq=False)
class Tracer:
    """A plugin: which test calls which function, by file and outermost name, and how long it is."""

    calls: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=dict)
    current: str = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.current = item.nodeid
        sys.setprofile(self._heard)
        threading.setprofile(self._heard)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _heard(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_MUTATED_FOLDERS):
            name = code.co_qualname.partition(".<locals>")[0]
            self.calls[(code.co_filename, name)].add(self.current)


_MUTATED_FOLDERS = tuple(str(CODE / name) for name in MUTATED)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    tracer = Tracer()
    if pytest.main([*FLAGS, *TESTS], plugins=[tracer]) != 0:
        return 1
    chosen = list(_chosen(options))
    _say(f"{len(chosen)} defects, seed {options.seed}")
    survivors: list[Mutant] = []
    started = time.monotonic()
    for number, mutant in enumerate(chosen, 1):
        if not _noticed(mutant, _tests(mutant, tracer)):
            survivors.append(mutant)
            _say(f"nobody noticed: {mutant}")
        if number % 50 == 0:
            _say(f"{number} in {time.monotonic() - started:.0f} s, {len(survivors)} survived")
    score = 1 - len(survivors) / max(1, len(chosen))
    sys.stdout.write(f"mutation: {len(chosen)} defects, {score:.1%} noticed\n")
    return 0 if score > TARGET else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m dev.mutation", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of all defects")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path has this in it")
    return parser.parse_args(arguments)


def _chosen(options: argparse.Namespace) -> Iterator[Mutant]:
    rng = random.Random(options.seed)
    for name in MUTATED:
        for path in sorted((CODE / name).rglob("*.py")):
            if options.only in str(path):
                yield from (one for one in mutants(path) if rng.random() < options.share)


def _tests(mutant: Mutant, tracer: Tracer) -> list[str]:
    """The shortest first. Of what a module has at its top: those of all its functions."""
    path = str(mutant.path)
    found = tracer.calls.get((path, mutant.function))
    if found is None:
        found = {
            test for (file, _), tests in tracer.calls.items() if file == path for test in tests
        }
        if not _is_top(mutant):
            return []
    return sorted(found, key=lambda test: tracer.seconds.get(test, 0.0))


def _is_top(mutant: Mutant) -> bool:
    module = _module(mutant.path)
    found = getattr(module, mutant.function, None)
    return "." not in mutant.function and not isinstance(found, FunctionType)


def _noticed(mutant: Mutant, tests: Sequence[str]) -> bool:
    if not tests:
        return False
    code = mutant.code()  # here, where its failure is this program's
    child = os.fork()
    if child == 0:
        _in_child(mutant, code, tests)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _in_child(mutant: Mutant, code: CodeType, tests: Sequence[str]) -> None:
    ended = 1  # a defect with which nothing can be loaded is noticed
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        _put(mutant, code)
        ended = int(pytest.main([*FLAGS, *tests]))
    finally:
        os._exit(ended)


def _put(mutant: Mutant, code: CodeType) -> None:
    """Into the functions that are there already: everybody who has imported them gets it."""
    module = _module(mutant.path)
    if _is_top(mutant):
        changed: dict[str, Any] = {"__name__": module.__name__, "__file__": str(mutant.path)}
        exec(code, changed)  # our own code, with a defect
        _replace(getattr(module, mutant.function), changed[mutant.function])
        return
    function = _function(module, mutant.function)
    function.__code__ = _found(code, mutant.function.split("."))


def _module(path: Path) -> ModuleType:
    parts = path.relative_to(CODE.parent).with_suffix("").parts
    return importlib.import_module(".".join(part for part in parts if part != "__init__"))


def _function(module: ModuleType, name: str) -> FunctionType:
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    for wrapper in ("__func__", "fget", "__wrapped__"):
        found = getattr(found, wrapper, None) or found
    assert isinstance(found, FunctionType), name
    return found


def _found(code: CodeType, parts: list[str]) -> CodeType:
    """The last of that name: what an overload comes before is what is there."""
    for part in parts:
        inner = [one for one in _inner(code) if one.co_name == part]
        code = inner[-1]
    return code


def _inner(code: CodeType) -> Iterable[CodeType]:
    return (one for one in code.co_consts if isinstance(one, CodeType))


def _replace(old: object, new: object) -> None:
    """Everywhere it is known by a name."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("sqe."):
            for name, value in list(vars(module).items()):
                if value is old:
                    setattr(module, name, new)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
