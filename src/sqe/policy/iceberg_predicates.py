"""Predicates of the Iceberg REST specification as conditions in Spark's SQL.

Only what is understood in full: everything else is a ValueError, and the table is denied. A value
that is NULL makes a comparison NULL, as in SQL: that shows a row too few rather than one too many.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from sqe.model.decision import ColumnFacts
from sqe.model.names import quote, string_literal

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")
_DIGITS = re.compile(r"-?\d{1,38}(?:\.\d{1,38})?\Z", re.ASCII)
_BITS = {"int": 32, "bigint": 64}
_COMPARED = {"eq": "=", "not-eq": "<>", "lt": "<", "lt-eq": "<=", "gt": ">", "gt-eq": ">="}
_OF_ONE = {
    "is-null": "{} IS NULL",
    "not-null": "{} IS NOT NULL",
    "is-nan": "isnan({})",
    "not-nan": "NOT isnan({})",
}
_JOINED = {"and": "AND", "or": "OR"}
_STARTS = {"starts-with": "", "not-starts-with": "NOT "}
_AMONG = {"in": "IN", "not-in": "NOT IN"}
_DEEPEST = 100
# Iceberg's names of types where Spark has others; see ``catalog.schemas``.
_SPARK = {
    "long": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "uuid": "string",
}

Fields = Mapping[int, ColumnFacts]  # by Iceberg's field id


def condition(predicate: Any, fields: Fields, depth: int = 0) -> str:
    """ValueError: it is not understood in full."""
    if isinstance(predicate, bool):
        return "TRUE" if predicate else "FALSE"
    if depth > _DEEPEST:
        raise ValueError("a filter that is nested too deeply")
    kind = predicate.get("type") if isinstance(predicate, dict) else None
    if kind in _JOINED:
        parts = _members(predicate, "left", "right")
        left, right = (condition(part, fields, depth + 1) for part in parts)
        return f"({left} {_JOINED[kind]} {right})"
    if kind == "not":
        (child,) = _members(predicate, "child")
        return f"(NOT {condition(child, fields, depth + 1)})"
    if kind in _OF_ONE:
        (child,) = _members(predicate, "child")
        return f"({_OF_ONE[kind].format(_test_text(kind, child, fields))})"
    return _of_values(kind, predicate, fields)


def _of_values(kind: Any, predicate: Any, fields: Fields) -> str:
    if kind in _COMPARED:
        left, right = _operands(predicate, fields)
        return f"({left} {_COMPARED[kind]} {right})"
    if kind in _STARTS:
        left, right = _members(predicate, "left", "right")
        column = _column_of(left, fields)
        if column.type != "string":
            raise ValueError("a beginning of what is no text")
        return f"({_STARTS[kind]}startswith({quote(column.name)}, {literal(right, column.type)}))"
    if kind in _AMONG:
        child, values = _members(predicate, "child", "values")
        column = _column_of(child, fields)
        if not isinstance(values, list) or not values:
            raise ValueError("a list that is none")
        listed = ", ".join(literal(value, column.type) for value in values)
        return f"({quote(column.name)} {_AMONG[kind]} ({listed}))"
    raise ValueError("an expression of an unknown kind")


def _members(predicate: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    """What is there beside these would be left out, so nothing may be."""
    if set(predicate) != {"type", *names}:
        raise ValueError("an expression with other parts than it should have")
    return tuple(predicate[name] for name in names)


def _test_text(kind: str, child: Any, fields: Fields) -> str:
    column = _column_of(child, fields)
    if kind.endswith("nan") and column.type not in ("float", "double"):
        raise ValueError("NaN of what is no floating number")
    return quote(column.name)


def _operands(predicate: Mapping[str, Any], fields: Fields) -> tuple[str, str]:
    """A column and a value, in either order, or two columns of one type."""
    left, right = _members(predicate, "left", "right")
    if not _is_reference(left):
        column = _column_of(right, fields)
        return literal(left, column.type), quote(column.name)
    column = _column_of(left, fields)
    if not _is_reference(right):
        return quote(column.name), literal(right, column.type)
    other = _column_of(right, fields)
    if other.type != column.type:
        raise ValueError("columns of different types")
    return quote(column.name), quote(other.name)


def _is_reference(operand: Any) -> bool:
    return isinstance(operand, dict) and operand.get("type") == "reference"


def _column_of(operand: Any, fields: Fields) -> ColumnFacts:
    """By id, as the specification demands of row filters: names change."""
    if not _is_reference(operand) or set(operand) != {"type", "id"}:
        raise ValueError("no column where one should be")
    number = operand["id"]
    if isinstance(number, bool) or not isinstance(number, int) or number not in fields:
        raise ValueError("a column that is not among the table's own")
    return fields[number]


def literal(operand: Any, kind: str) -> str:
    """A value of a type in Spark's spelling, in Iceberg's JSON form."""
    value = operand
    if isinstance(operand, dict):
        if operand.get("type") != "literal" or not {"type", "value"} <= set(operand):
            raise ValueError("no value where one should be")
        if set(operand) - {"type", "value", "data-type"}:
            raise ValueError("a value with more than it should have")
        if "data-type" in operand and _spark_type(operand["data-type"]) != kind:
            raise ValueError("a value of another type than its column")
        value = operand["value"]
    make = _LITERALS.get(kind) or (_decimal if _DECIMAL.match(kind) else None)
    if make is None:
        raise ValueError("a comparison with values of such a type")
    return make(value, kind)


def _spark_type(name: Any) -> str:
    text = str(name).replace(" ", "")
    return _SPARK.get(text, text)


def _boolean(value: Any, kind: str) -> str:
    if not isinstance(value, bool):
        raise ValueError("no boolean")
    return "TRUE" if value else "FALSE"


def _integer_text(value: Any, kind: str) -> str:
    bound = 2 ** (_BITS[kind] - 1)
    if isinstance(value, bool) or not isinstance(value, int) or not -bound <= value < bound:
        raise ValueError("no whole number that fits")
    if value == -bound:  # its digits alone are no number of the type
        return f"CAST('{value}' AS {kind})"
    return f"{value}L" if kind == "bigint" else str(value)


def _real(value: Any, kind: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("no number")
    number = float(value)
    if number - number != 0:
        raise ValueError("no finite number")
    return f"{number!r}D" if kind == "double" else f"CAST({number!r}D AS float)"


def _decimal(value: Any, kind: str) -> str:
    if not isinstance(value, str) or not _DIGITS.match(value):
        raise ValueError("no decimal number")
    precision, scale = (int(part) for part in kind[len("decimal(") : -1].split(","))
    if abs(Decimal(value)) >= Decimal(10) ** (precision - scale):
        raise ValueError("no decimal number that fits")
    return f"CAST('{value}' AS {kind})"


def _string(value: Any, kind: str) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return string_literal(value)


def _date(value: Any, kind: str) -> str:
    if not isinstance(value, str):
        raise ValueError("no date")
    return f"DATE'{datetime.date.fromisoformat(value).isoformat()}'"


def _moment(value: Any, kind: str) -> str:
    # Of more digits than it keeps, Python would drop the others without a word.
    if not isinstance(value, str) or re.search(r"\.\d{7}", value):
        raise ValueError("no point in time")
    moment = datetime.datetime.fromisoformat(value)
    if (moment.tzinfo is None) != (kind == "timestamp_ntz"):
        raise ValueError("a point in time with a zone too many or too few")
    if moment.tzinfo is None:
        return f"TIMESTAMP_NTZ'{moment.isoformat(' ')}'"
    utc = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    return f"TIMESTAMP'{utc.isoformat(' ')} UTC'"


def _binary(value: Any, kind: str) -> str:
    if not isinstance(value, str):
        raise ValueError("no bytes")
    return f"X'{bytes.fromhex(value).hex()}'"


_LITERALS: dict[str, Callable[[Any, str], str]] = {
    "boolean": _boolean,
    "int": _integer_text,
    "bigint": _integer_text,
    "float": _real,
    "double": _real,
    "string": _string,
    "date": _date,
    "timestamp": _moment,
    "timestamp_ntz": _moment,
    "binary": _binary,
}
