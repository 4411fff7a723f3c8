"""What is shown in place of a value. Every mask keeps the column's type.

Where several masks meet on one column the strictest is taken: nothing at all, then one value for
all, then part of the value; of two that show a part, the one that shows less. Which of two others
shows less cannot be said, and is not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

# From the longest piece of time to the shortest.
UNITS = ("year", "quarter", "month", "week", "day", "hour")


@dataclass(frozen=True, slots=True)
class NullMask:
    """NULL, whatever the value."""

    rank: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class ConstantMask:
    """The same value in every row, NULLs too. ``text`` is cast to the column's type."""

    text: str
    rank: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class PartialMask:
    """The first and last characters of a text; the others are ``fill``, one for one. A text that
    is not longer than what would be shown is not shown at all."""

    first: int = 0
    last: int = 0
    fill: str = "*"
    rank: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class TruncateMask:
    """The beginning of the ``unit`` (see UNITS) that a date or timestamp is in."""

    unit: str
    rank: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class BucketMask:
    """The lower end of the bucket a number is in: 37 in buckets of 10 is 30."""

    size: int
    rank: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class RegexMask:
    """A text with everything that fits Java's ``pattern`` replaced."""

    pattern: str
    replacement: str
    rank: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class HashMask:
    """A keyed hash: equal values stay equal, and nobody without the key can guess them. ``key``
    is the name of one of the settings' keys, never the key itself."""

    key: str = "default"
    rank: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class ExpressionMask:
    """Any expression over the row as it is stored."""

    sql: str
    dialect: str = "spark"  # or "trino"
    rank: ClassVar[int] = 2


Mask = (
    NullMask
    | ConstantMask
    | PartialMask
    | TruncateMask
    | BucketMask
    | RegexMask
    | HashMask
    | ExpressionMask
)


def strictest(one: Mask, other: Mask) -> Mask | None:
    """None where neither is known to show less than the other."""
    if one == other:
        return one
    if one.rank != other.rank:
        return min(one, other, key=lambda mask: mask.rank)
    for mine, theirs in ((one, other), (other, one)):
        if _shows_no_more(mine, theirs):
            return mine
    return None


def strictest_of(masks: Sequence[Mask]) -> Mask | None:
    """Of all, in whatever order they come. None where there are none, or of any two neither is the
    stricter one: a third that is stricter than both must not show what was refused without it."""
    if any(strictest(mask, other) is None for mask, other in combinations(masks, 2)):
        return None
    strictest_masks = (
        mask for mask in masks if all(strictest(mask, other) == mask for other in masks)
    )
    return next(strictest_masks, None)


def _shows_no_more(one: Mask, other: Mask) -> bool:
    """Whether whatever ``one`` shows can be told from what ``other`` shows."""
    match one, other:
        case PartialMask(), PartialMask():
            shorter = one.first <= other.first and one.last <= other.last
            return shorter and one.fill == other.fill
        case TruncateMask(), TruncateMask():
            # Weeks lie across months, so that neither can be told from the other.
            known = one.unit in UNITS and other.unit in UNITS
            whole = "week" not in (one.unit, other.unit) or other.unit in ("day", "hour")
            return known and whole and UNITS.index(one.unit) < UNITS.index(other.unit)
        case BucketMask(), BucketMask():
            return other.size > 0 and one.size % other.size == 0
        case _:
            return False
