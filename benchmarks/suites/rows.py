"""Whether two engines gave the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

Row = tuple[object, ...]
_RELATIVE = 1e-6


def difference(mine: Sequence[Row], theirs: Sequence[Row]) -> str:
    """In words; empty: there is none. In any order, as an ORDER BY with ties leaves it open.
    Numbers are the same if they differ in less than a millionth, or in what the scale of one of
    them cannot show: engines give an average of decimals other types."""
    if len(mine) != len(theirs):
        return f"{len(mine)} rows against {len(theirs)}"
    left, right = sorted(mine, key=_place_of), sorted(theirs, key=_place_of)
    for one, other in zip(left, right, strict=True):
        if len(one) != len(other):
            return f"{len(one)} columns against {len(other)}"
        if not all(map(_same, one, other)):
            return f"{one!r} against {other!r}"[:300]
    return ""


def _place_of(row: Row) -> tuple[list[str], list[float]]:
    """What is exact comes first, so that numbers that nearly agree stand in the same place."""
    numbers = [_number(cell) for cell in row]
    exact = [str(cell) for cell, number in zip(row, numbers, strict=True) if number is None]
    rounded = [float(f"{number:.4g}") for number in numbers if number is not None]
    return exact, rounded


def _number(cell: object) -> float | None:
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        return float(cell)
    return None


def _same(mine: object, theirs: object) -> bool:
    left, right = _number(mine), _number(theirs)
    if left is None or right is None:
        return str(mine) == str(theirs)
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    unseen = max(_half_of_last_digit(mine), _half_of_last_digit(theirs))
    return abs(left - right) <= max(_RELATIVE * max(abs(left), abs(right)), unseen)


def _half_of_last_digit(cell: object) -> float:
    if not isinstance(cell, Decimal):
        return 0.0
    exponent = cell.as_tuple().exponent
    return 0.5000001 * 10.0**exponent if isinstance(exponent, int) else 0.0
