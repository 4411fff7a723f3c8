"""Python's values as parameters: the type that a literal of the value would have in Spark."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqe.client.exceptions import InterfaceError, ProgrammingError
from sqe.errors import ErrorCode
from sqe.model.query import Parameter

_INT, _BIGINT = 2**31, 2**63
_DIGITS = 38  # the longest decimal


def parameters_of(values: Sequence[Any]) -> tuple[Parameter, ...]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InterfaceError(
            "Parameters are a sequence with one value for each `?`, or a mapping for `:name`."
        )
    return tuple(parameter_of(value) for value in values)


def parameter_of(value: Any) -> Parameter:
    if isinstance(value, Parameter):
        return value
    value = _plain_value(value)
    return Parameter(_type_of(value), value)


def _plain_value(value: Any) -> Any:
    """Of what numpy and pandas have, and of subclasses, what Python itself has."""
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if hasattr(value, "to_pydatetime"):  # pandas.Timestamp is a datetime with nanoseconds
        return None if value != value else value.to_pydatetime(warn=False)
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    if hasattr(value, "item") and hasattr(value, "dtype") and not hasattr(value, "__len__"):
        return value.item()  # a scalar of numpy
    if isinstance(value, tuple | list):
        return [_plain_value(element) for element in value]
    return value


def _type_of(value: Any) -> str:
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name if isinstance(name, str) else name(value)
    raise ProgrammingError(
        f"A value of type {type(value).__name__} cannot be a parameter.",
        code=ErrorCode.INVALID_ARGUMENT.name,
        hint="Use None, a number, a text, bytes, a date, a datetime, a timedelta, or a list.",
    )


def _integer(value: int) -> str:
    if -_INT <= value < _INT:
        return "int"
    if -_BIGINT <= value < _BIGINT:
        return "bigint"
    return _decimal(decimal.Decimal(value))


def _decimal(value: decimal.Decimal) -> str:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise _too_wide(value)  # NaN and infinity
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > _DIGITS:
        raise _too_wide(value)
    return f"decimal({precision},{scale})"


def _too_wide(value: decimal.Decimal) -> ProgrammingError:
    return ProgrammingError(
        f"{value} does not fit a decimal of {_DIGITS} digits.",
        code=ErrorCode.NUMERIC_OUT_OF_RANGE.name,
    )


def _datetime(value: datetime.datetime) -> str:
    return "timestamp_ntz" if value.utcoffset() is None else "timestamp"


def _array(values: list[Any]) -> str:
    kinds = {_type_of(value) for value in values if value is not None}
    if len(kinds) > 1:
        kinds = {_widest(kinds)}
    return f"array<{kinds.pop() if kinds else 'void'}>"


def _widest(types: set[str]) -> str:
    if types == {"int", "bigint"}:
        return "bigint"
    raise ProgrammingError(
        f"A list of {' and '.join(sorted(types))} cannot be a parameter.",
        code=ErrorCode.TYPE_MISMATCH.name,
        hint="Give values of one type.",
    )


# In this order: a bool is an int, and a datetime is a date.
_TYPES: tuple[tuple[type, str | Callable[[Any], str]], ...] = (
    (type(None), "void"),
    (bool, "boolean"),
    (int, _integer),
    (float, "double"),
    (str, "string"),
    (bytes, "binary"),
    (decimal.Decimal, _decimal),
    (datetime.datetime, _datetime),
    (datetime.date, "date"),
    (datetime.timedelta, "interval day to second"),
    (list, _array),
)
