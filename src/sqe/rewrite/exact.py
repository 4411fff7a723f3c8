"""Arithmetic that has a result for all values: exact numbers whose digits always fit."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.errors import SqeError
from sqe.model.types import Plain, parse_type

# How many digits a number may have before and behind the point.
Digits = tuple[int, int]
TypeOf = Callable[[Any], str | None]
WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_MOST = 38
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_SHORT = re.compile(r"\d{1,4}\Z")
_UNITS = ("DAY", "DAYS", "MONTH", "MONTHS", "YEAR", "YEARS")


def comparable(*kinds: str) -> bool:
    """Whether numbers of all these types fit the type that they are compared in."""
    if {*kinds} & {"float", "double"}:
        return not {*kinds} - {*WHOLE, "float", "double"}
    digits = [
        digits_of_kind for digits_of_kind in map(_of_type, kinds) if digits_of_kind is not None
    ]
    if len(digits) < len(kinds):
        return False
    return max(before for before, _ in digits) + max(behind for _, behind in digits) <= _MOST


def never_overflows(node: Any, type_of: TypeOf) -> bool:
    """Of a sum, difference or product: of decimals that are short enough, of small numbers as they
    are written, or a day as it is written plus or minus some time."""
    if isinstance(node, exp.Add | exp.Sub) and is_date_literal(node.this):
        return _is_short(node.expression)
    if _has_short_numbers(node):
        return True
    return _of(node, type_of) is not None


def decimal_type(node: Any, type_of: TypeOf) -> str | None:
    """Of a sum, difference or product of decimals that are short enough."""
    digits = _of(node, type_of)
    return f"decimal({sum(digits)},{digits[1]})" if digits is not None else None


def is_date_literal(node: Any) -> bool:
    """DATE'2024-02-29'."""
    if not isinstance(node, exp.Cast) or node.args["to"].this != exp.DataType.Type.DATE:
        return False
    return node.this.is_string and is_date(node.this.name)


def is_date(text: str) -> bool:
    try:
        return bool(_DATE.match(text)) and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def _is_short(node: Any) -> bool:
    if not isinstance(node, exp.Interval) or not isinstance(node.this, exp.Literal):
        return False
    return bool(_SHORT.match(node.this.name)) and node.text("unit").upper() in _UNITS


def _has_short_numbers(node: Any) -> bool:
    """Numbers of a few digits, which no type is too small for."""
    return all(_is_number(side) and len(side.name) <= 4 for side in (node.this, node.expression))


def _is_number(node: Any) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string


def _is_decimal(node: Any, type_of: TypeOf) -> bool:
    """Spark computes with decimals where one side is one."""
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return any(_is_decimal(side.unnest(), type_of) for side in (node.this, node.expression))
    return str(type_of(node)).startswith("decimal(")


def _of(node: Any, type_of: TypeOf) -> Digits | None:
    node = node.unnest()
    if not isinstance(node, exp.Add | exp.Sub | exp.Mul):
        if _is_number(node) and node.name.isdecimal():
            return len(str(int(node.name))), 0  # Spark takes no more than are written
        kind = type_of(node)
        return _of_type(kind) if kind is not None else None
    if not _is_decimal(node, type_of):
        return None
    left, right = _of(node.this, type_of), _of(node.expression, type_of)
    if left is None or right is None:
        return None
    if isinstance(node, exp.Mul):
        digits = (left[0] + right[0] + 1, left[1] + right[1])
    else:
        digits = (max(left[0], right[0]) + 1, max(left[1], right[1]))
    return digits if sum(digits) <= _MOST else None


def _of_type(kind: str) -> Digits | None:
    if kind in WHOLE:
        return WHOLE[kind], 0
    try:
        parsed = parse_type(kind)
    except SqeError:
        return None
    if not isinstance(parsed, Plain) or parsed.name != "decimal":
        return None
    return parsed.precision - parsed.scale, parsed.scale
