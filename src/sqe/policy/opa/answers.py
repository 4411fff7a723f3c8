"""Reading what OPA says. Whatever is not as it must be is no answer at all: ValueError."""

from __future__ import annotations

from typing import Any


def yes_or_no(result: Any) -> bool:
    if not isinstance(result, bool):
        raise ValueError("neither true nor false")
    return result


def chosen(result: Any, size: int) -> set[int]:
    """Places in a list of ``size``."""
    return {_place(one, size) for one in _list(result)}


def row_filters(result: Any) -> list[str]:
    """Conditions; all of them hold."""
    return [_expression(one) for one in _list(result)]


def mask(result: Any) -> str | None:
    """Of one column; null is none."""
    return None if result is None else _expression(result)


def masks(result: Any, size: int) -> dict[int, str]:
    """By the column's place in a list of ``size``."""
    found: dict[int, str] = {}
    for one in _list(result):
        if not isinstance(one, dict) or set(one) != {"index", "viewExpression"}:
            raise ValueError("a mask without its index or viewExpression, or with more than them")
        place = _place(one["index"], size)
        if place in found:
            raise ValueError("two masks for one column")
        found[place] = _expression(one["viewExpression"])
    return found


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
