"""A figure: one number, its unit, and the target it is held to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchmarks.bench import Bench

Unit = Literal["ms", "s", "MB", "x", "ratio"]
Comparison = Literal["<", "<=", ">="]
_DIGITS: Mapping[Unit, int] = {"ms": 1, "s": 2, "MB": 1, "x": 3, "ratio": 3}
_COMPARE: Mapping[Comparison, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
}


class NotMeasured(Exception):
    """What the figure compares with cannot be had on this machine, and why. No failure."""


@dataclass(frozen=True, slots=True)
class Target:
    comparison: Comparison
    limit: float

    def met(self, value: float) -> bool:
        return _COMPARE[self.comparison](value, self.limit)

    def __str__(self) -> str:
        return f"{self.comparison}{self.limit:g}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The value, and in ``detail`` what it was made of: samples, sizes, parts. JSON types only."""

    value: float
    detail: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    unit: Unit
    target: Target | None  # None: reported only
    meaning: str
    measure: Callable[[Bench], Measured]

    def met(self, value: float) -> bool:
        return self.target is None or self.target.met(value)

    def rounded(self, value: float) -> float:
        return round(value, _DIGITS[self.unit])
