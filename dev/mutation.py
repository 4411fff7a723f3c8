"""Puts one defect after another into policy/ and rewrite/: does a test notice?

    python -m dev.mutation                    all of them; the score, and those nobody noticed
    python -m dev.mutation --share 0.1        some, by --seed
    python -m dev.mutation --only guard.py    of files whose path has this in it

The tests are collected and run once, to find out which of them call which function. Then each
defect is put into a copy of this very process (a fork), where the tests that call the function run
until one fails.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import os
import random
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
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
FLAGS = ("-q", "-s", "-p", "no:cacheprovider", "-m", "not spark and not java", "--no-header")
# A test that takes so much longer than it did without a defect has noticed it.
SECONDS, TIMES = 4, 5
# As much of the tests that call a function: those of its module's own file, those of its folder,
# then the shortest. A defect that only the longest of hundreds would notice counts as unnoticed.
BUDGET = 60.0
TARGET = 0.95


@dataclass(eq=False)
class Mutation:
    """A plugin: takes the place of pytest's loop over the tests."""

    options: argparse.Namespace
    calls: dict[tuple[str, str], set[int]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[int, float] = field(default_factory=dict)
    current: int = 0
    score: float = 0.0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for self.current, (item, following) in enumerate(_pairs(session.items)):
            started = time.monotonic()
            sys.setprofile(self._heard)
            threading.setprofile(self._heard)
            try:
                _run(item, following)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
            self.seconds[self.current] = time.monotonic() - started
        if not session.testsfailed:
            self._measure(session)
        return True

    def _heard(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_MUTATED_FOLDERS):
            name = code.co_qualname.partition(".<locals>")[0]
            self.calls[(code.co_filename, name)].add(self.current)

    def _measure(self, session: pytest.Session) -> None:
        chosen = list(_chosen(self.options))
        _say(f"{len(chosen)} defects, seed {self.options.seed}")
        gc.freeze()  # the copies share this memory
        started, survivors = time.monotonic(), 0
        for number, mutant in enumerate(chosen, 1):
            if not self._noticed(mutant, session):
                survivors += 1
                _say(f"nobody noticed: {mutant}")
            if number % 50 == 0:
                _say(f"{number} in {time.monotonic() - started:.0f} s, {survivors} survived")
        self.score = 1 - survivors / max(1, len(chosen))
        sys.stdout.write(f"mutation: {len(chosen)} defects, {self.score:.1%} noticed\n")

    def _noticed(self, mutant: Mutant, session: pytest.Session) -> bool:
        tests = self._tests(mutant, session.items)
        if not tests:
            return False
        code = mutant.code()  # here, where its failure is this program's
        child = os.fork()
        if child == 0:
            _in_child(mutant, code, session, {n: self.seconds[n] for n in tests})
        usual = sum(self.seconds[number] for number in tests)
        deadline = time.monotonic() + 10 * SECONDS + TIMES * usual
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status) != 0
            time.sleep(0.002)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return True

    def _tests(self, mutant: Mutant, items: Sequence[pytest.Item]) -> list[int]:
        """Of what a module has at its top: those of all its functions."""
        path = str(mutant.path)
        found = self.calls.get((path, mutant.function), set())
        if _is_top(mutant):
            found = {
                test for (file, _), tests in self.calls.items() if file == path for test in tests
            }
        own, folder = f"test_{mutant.path.stem}.py", mutant.path.parent.relative_to(CODE).parts

        def order(test: int) -> tuple[bool, bool, float]:
            path = items[test].path
            beside = path.parent.parts[-len(folder) :] == folder
            return not (beside and path.name == own), not beside, self.seconds[test]

        ordered = sorted(found, key=order)
        spent = accumulate(self.seconds[test] for test in ordered)
        return [test for test, sum_ in zip(ordered, spent, strict=True) if sum_ <= BUDGET]


_MUTATED_FOLDERS = tuple(str(CODE / name) for name in MUTATED)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    mutation = Mutation(options)
    ended = int(pytest.main([*FLAGS, *TESTS], plugins=[mutation]))
    return ended or int(mutation.score <= TARGET)


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


def _is_top(mutant: Mutant) -> bool:
    module = _module(mutant.path)
    found = getattr(module, mutant.function, None)
    return "." not in mutant.function and not isinstance(found, FunctionType)


def _pairs(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Each with the next one, for which pytest keeps what both need."""
    return zip(items, [*items[1:], None], strict=True)


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _in_child(
    mutant: Mutant, code: CodeType, session: pytest.Session, tests: Mapping[int, float]
) -> None:
    ended = 1  # a defect with which nothing can be loaded is noticed
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        _forget()
        _put(mutant, code)
        items = [session.items[number] for number in tests]
        for (item, following), usual in zip(_pairs(items), tests.values(), strict=True):
            # Of the processor's time, however busy the machine is. It ends this process.
            signal.setitimer(signal.ITIMER_PROF, SECONDS + TIMES * usual)
            _run(item, following)
            if session.testsfailed:
                break
        else:
            ended = 0
    finally:
        os._exit(ended)


def _forget() -> None:
    """What functions remember of calls without the defect."""
    for module in _modules():
        for value in list(vars(module).values()):
            forget = getattr(value, "cache_clear", None)
            if callable(forget):
                forget()


def _put(mutant: Mutant, code: CodeType) -> None:
    """Into the functions that are there already: everybody who has imported them gets it."""
    module = _module(mutant.path)
    if not _is_top(mutant):
        function = _function(module, mutant.function)
        function.__code__ = _found(code, mutant.function.split("."))
        return
    changed: dict[str, Any] = {"__name__": module.__name__, "__file__": str(mutant.path)}
    exec(code, changed)  # our own code, with a defect
    for name in _made_of(mutant):
        _replace(getattr(module, name), changed[name])


def _made_of(mutant: Mutant) -> set[str]:
    """The name that the defect is in, and the module's other ones that are made of it."""
    names = {mutant.function}
    for statement in ast.parse(mutant.path.read_text(encoding="utf-8")).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(value)):
                names.add(name)
    return names


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
    for module in _modules():
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)


def _modules() -> list[ModuleType]:
    return [one for name, one in list(sys.modules.items()) if name.startswith("sqe.")]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
