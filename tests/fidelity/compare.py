"""Whether an answer is the golden one."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

from tests.fidelity.corpus import Case, rstrip
from tests.fidelity.golden import double_text, float_text, java_order
from tests.fidelity.kinds import defines_order

# What Spark's suite hides in answers because it changes from run to run.
HIDDEN = (
    (re.compile(r"#\d+"), "#x"),
    (re.compile(r"plan_id=\d+"), "plan_id=x"),
    (re.compile(r"@\w*,"), "@xxxxxxxx,"),
    (re.compile(r"\*\(\d+\) "), "*"),
)
FLOAT = re.compile(r"-?\d+\.\d+(?:E-?\d+)?")


def same_rows(case: Case, rows: list[str], types: tuple[str, ...]) -> bool:
    """Spark's suite sorts the rows of a plan that does not; then either order of ours may be it."""
    ours = [_hide(row) for row in rows]
    ordered = defines_order(case.sql)
    if case.output in (_text(ours), None if ordered else _text(sorted(ours, key=java_order))):
        return True
    # Java 17 prints some floating numbers with more digits than needed: compare the numbers.
    if not any(_floating(kind) for kind in types):
        return False
    ours = _numbers(_text(ours), types)
    theirs = _numbers(case.output, types)
    return ours == theirs or (not ordered and sorted(ours) == sorted(theirs))


def _text(rows: list[str]) -> str:
    return rstrip("\n".join(rows))


def _numbers(text: str, types: tuple[str, ...]) -> list[str]:
    """The lines of an answer with each floating number in its one shortest form."""
    return ["\t".join(_cells(line.split("\t"), types)) for line in text.split("\n")]


def _cells(cells: list[str], types: tuple[str, ...]) -> list[str]:
    if len(cells) != len(types):
        return cells
    return [
        FLOAT.sub(_floating(kind) or _same, cell) for cell, kind in zip(cells, types, strict=True)
    ]


def _same(found: re.Match[str]) -> str:
    return found.group()


def _double(found: re.Match[str]) -> str:
    return double_text(float(found.group()))


def _single(found: re.Match[str]) -> str:
    return float_text(ctypes.c_float(float(found.group())).value)


def _floating(kind: str) -> Callable[[re.Match[str]], str] | None:
    if "double" in kind:
        return _double
    return _single if "float" in kind else None


def _hide(line: str) -> str:
    for pattern, shown in HIDDEN:
        line = pattern.sub(shown, line)
    return line
