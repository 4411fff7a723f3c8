"""Reading what OPA says. Whatever is not as it must be is no answer at all: ValueError."""

from __future__ import annotations

from typing import Any


def yes_or_no(result: Any) -> bool:
    if not isinstance(result, bool):
        raise ValueError("neither true nor false")
    return result


def read_places(result: Any, size: int) -> set[int]:
    """Places in a list of ``size``."""
    return {_place(place, size) for place in _list(result)}


def row_filters(result: Any) -> list[str]:
    """Conditions; all of them hold."""
    return [_expression(answer) for answer in _list(result)]


def mask(result: Any) -> str | None:
    """Of one column; null is none."""
    return None if result is None else _expression(result)


def masks(result: Any, size: int) -> dict[int, str]:
    """By the column's place in a list of ``size``."""
    by_place: dict[int, str] = {}
    for answer in _list(result):
        if not isinstance(answer, dict) or set(answer) != {"index", "viewExpression"}:
            raise ValueError("a mask without its index or viewExpression, or with more than them")
        place = _place(answer["index"], size)
        if place in by_place:
            raise ValueError("two masks for one column")
        by_place[place] = _expression(answer["viewExpression"])
    return by_place


def _list(result: Any) -> list[Any]:
    if not isinstance(result, list):
        raise ValueError("not a list")
    return result


def _place(value: Any, size: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size:
        raise ValueError("an index that was not asked about")
    return value


def _expression(value: Any) -> str:
    """As whom Trino would look at the tables of its subqueries makes no difference here: SQE reads
    those under the policy's own authority."""
    if not isinstance(value, dict) or not set(value) <= {"expression", "identity"}:
        raise ValueError("not an expression")
    text, identity = value.get("expression"), value.get("identity")
    if not isinstance(text, str) or not (identity is None or isinstance(identity, str)):
        raise ValueError("not an expression")
    return text
