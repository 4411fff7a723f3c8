"""SQL's three-valued logic in plain Python: None is neither true nor false."""

from __future__ import annotations

Truth = bool | None


def and_(one: Truth, two: Truth) -> Truth:
    if one is False or two is False:
        return False
    return None if one is None or two is None else True


def or_(one: Truth, two: Truth) -> Truth:
    if one is True or two is True:
        return True
    return None if one is None or two is None else False


def not_(one: Truth) -> Truth:
    return None if one is None else not one
