"""What a variable is given: a value of an answer, as a constant of its type."""

from __future__ import annotations

from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.model.literals import literal_of
from sqe.model.query import Column
from sqe.model.types import Plain, parse_type
from sqe.model.variables import SessionVariable

_LONGEST = 100_000  # characters of a value, as SQL; more are data


def python_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError) as error:
        raise UserError(
            ErrorCode.NOT_SUPPORTED, "A value beyond the years 1 to 9999 is not supported."
        ) from error


def variable_of(name: str, column: Column, scalar: Any) -> SessionVariable:
    """From a column of an answer."""
    return make_variable(name, column, python_value(scalar), "NULL")


def make_variable(name: str, column: Column, value: Any, default: str) -> SessionVariable:
    if "collate" in column.type.lower():
        raise UserError(
            ErrorCode.NOT_SUPPORTED, "A variable of a string with a collation is not supported."
        )
    kind = parse_type(column.type)
    sql = literal_of(kind, value)
    if len(sql) > _LONGEST:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"The value of {name} is longer than {_LONGEST:,} characters.",
            hint="Keep it in a table, or a temporary view.",
        )
    text = value if kind == Plain("string") else None
    return SessionVariable(name, str(kind), sql, default, text)
