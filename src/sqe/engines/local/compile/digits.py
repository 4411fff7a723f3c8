"""Decimals as whole numbers: how their digits are taken out, divided and put back.

DuckDB divides numbers of 128 bits bit by bit, a microsecond each, and works out again what stands
in several branches of a CASE. So values get names, and small numbers take a short way.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqe.engines.local.compile.value import Value
from sqe.engines.local.types import SparkType

BIGINT_DIGITS = 17  # twice such a number, and one more, is still a BIGINT
_DOUBLE_DIGITS = 15  # a double holds them, and is right within a quarter after two operations


def compute_once(values: Mapping[str, str], body: str) -> str:
    """``body`` over values that are computed once, however often it has ``part`` of their names."""
    packed = ", ".join(f"'{name}': {sql}" for name, sql in values.items())
    return f"list_transform([{{{packed}}}], lambda parts: {body})[1]"


def part(name: str) -> str:
    # A dot would do, but behind HAVING DuckDB takes what stands before it for a table.
    return f"struct_extract(parts, '{name}')"


def digits_of(value: Value, whole: str = "HUGEINT") -> str:
    """A decimal's digits as a whole number: 12.34 is 1234."""
    kind = value.type
    if kind.scale == 0:
        return f"CAST({value.sql} AS {whole})"
    if kind.precision + kind.scale + 1 <= 18:  # a product of 64 bits
        return _long(value.sql, kind, whole)
    if kind.precision <= _DOUBLE_DIGITS:
        return _short(value.sql, kind, whole)
    most = nines(_DOUBLE_DIGITS, kind)
    short, long = _short("whole", kind, whole), _long("whole", kind, whole)
    body = f"CASE WHEN whole BETWEEN -{most} AND {most} THEN {short} ELSE {long} END"
    return f"list_transform([{value.sql}], lambda whole: {body})[1]"


def _short(sql: str, kind: SparkType, whole: str) -> str:
    return f"CAST(round(CAST({sql} AS DOUBLE) * 1e{kind.scale}) AS {whole})"


def _long(sql: str, kind: SparkType, whole: str) -> str:
    if kind.precision + kind.scale + 1 > 38:  # too wide for a product: through text
        return f"CAST(replace(CAST({sql} AS VARCHAR), '.', '') AS {whole})"
    ten = f"CAST(1{'0' * kind.scale} AS DECIMAL({kind.scale + 1},0))"
    return f"CAST({widen(Value(sql, kind, ''), kind.scale + 1)} * {ten} AS {whole})"


def nines(count: int, kind: SparkType) -> str:
    """The largest number of the type with so many digits, all places behind the point included."""
    digits = ("9" * count).rjust(kind.scale + 1, "0")
    point = len(digits) - kind.scale
    number = f"{digits[:point]}.{digits[point:]}" if kind.scale else digits
    return f"CAST('{number}' AS {kind.duckdb})"


def widen(value: Value, other_precision: int) -> str:
    """A factor that DuckDB multiplies in 38 digits; two of up to 18 it would keep in 18."""
    if value.type.precision + other_precision <= 18:
        return value.sql
    return f"CAST({value.sql} AS DECIMAL(38,{value.type.scale}))"


def divide_half_up(dividend: str, divisor: str) -> str:
    """Integer division, rounded half away from zero; DuckDB's own cuts off."""
    return f"((2 * {dividend} + sign({dividend}) * abs({divisor})) // (2 * {divisor}))"


def decimal_of_digits(digits: str, kind: SparkType, *, short: bool = False) -> str:
    """A whole number of digits as a decimal: the way back from ``digits_of``. ``short``: there are
    no more than 17."""
    if kind.scale == 0:
        return f"CAST({digits} AS {kind.duckdb})"
    # One unit of the last place is the number 1 inside: the product has the very digits.
    unit = f"CAST(0.{'0' * (kind.scale - 1)}1 AS DECIMAL({kind.scale},{kind.scale}))"
    digits = f"CAST({digits} AS DECIMAL({18 if short and kind.precision <= 18 else 38},0))"
    return f"CAST({digits} * {unit} AS {kind.duckdb})"


def power(exponent: int, whole: str = "HUGEINT") -> str:
    return f"CAST(1{'0' * exponent} AS {whole})"
