"""Masks as Spark's SQL, over a column of a known type.

A mask must not fail for any value: an error would tell of a row that is not shown. One that does
not fit its column's type is refused instead, before anything runs.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from sqe.errors import AccessError, ErrorCode
from sqe.model.masks import (
    UNITS,
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from sqe.model.names import quote, string_literal
from sqe.model.query import Column

_WHOLE = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_REAL = ("float", "double")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")
_MOMENTS = ("timestamp", "timestamp_ntz")
_HOUR, _DAY = 3_600_000_000, 86_400_000_000  # microseconds
_HASH_DIGITS = {"int": 7, "bigint": 15}  # hexadecimal: as many as always fit
_EXACT = 2**53  # whole numbers below it are exact as doubles


def mask_sql(mask: Mask, column: Column, expression: Callable[[str, str], str]) -> str:
    """What is selected in place of the column, under its name, of its type. ``expression`` makes
    Spark's SQL of a policy's own. A hash has two markers, for the outer and the inner key."""
    value = _value(mask, column, expression)
    return f"CAST({value} AS {column.type}) AS {quote(column.name)}"


def _value(mask: Mask, column: Column, expression: Callable[[str, str], str]) -> str:
    name = quote(column.name)
    match mask:
        case NullMask():
            return "NULL"
        case ConstantMask(text):
            return _constant(text, column)
        case PartialMask(first, last, fill):
            return _partial(name, column, first, last, fill)
        case TruncateMask(unit):
            return _truncate_text(name, column, unit)
        case BucketMask(size):
            return _bucket(name, column, size)
        case RegexMask(pattern, replacement):
            _must(column.type == "string", column)
            texts = f"{string_literal(pattern)}, {string_literal(replacement)}"
            return f"regexp_replace({name}, {texts})"
        case HashMask():
            return _hash_text(name, column)
        case ExpressionMask(sql, dialect):
            return f"({expression(sql, dialect)}\n)"


def _hash_text(name: str, column: Column) -> str:
    """The same for equal values of all columns of a type, so that they can be joined."""
    if column.type == "binary":
        inner = f"CAST(sha2(concat(CAST( ? AS binary), {name}), 256) AS binary)"
        return f"unhex(sha2(concat(CAST( ? AS binary), {inner}), 256))"
    _must(column.type in ("string", *_HASH_DIGITS), column)
    text = f"sha2(concat( ? , sha2(concat( ? , CAST({name} AS string)), 256)), 256)"
    if column.type == "string":
        return text
    return f"conv(substring({text}, 1, {_HASH_DIGITS[column.type]}), 16, 10)"


def _constant(text: str, column: Column) -> str:
    check = _CONSTANTS.get(column.type, _is_decimal if _DECIMAL.match(column.type) else None)
    _must(check is not None and check(text, column.type), column)
    return string_literal(text)


def _partial(name: str, column: Column, first: int, last: int, fill: str) -> str:
    _must(column.type == "string" and first >= 0 and last >= 0 and len(fill) == 1, column)
    shown, sign = first + last, string_literal(fill)
    middle = f"repeat({sign}, length({name}) - {shown})"
    pieces = [f"left({name}, {first})"] * bool(first) + [middle]
    pieces += [f"right({name}, {last})"] * bool(last)
    long = f"concat({', '.join(pieces)})"
    return f"CASE WHEN length({name}) > {shown} THEN {long} ELSE repeat({sign}, length({name})) END"


def _truncate_text(name: str, column: Column, unit: str) -> str:
    """In UTC, whatever the session's time zone: who could choose the zone would see the hour."""
    if column.type == "date":
        _must(unit in UNITS and unit != "hour", column)
        return _start_of_unit(name, unit)
    _must(unit in UNITS and column.type in _MOMENTS, column)
    if column.type == "timestamp_ntz":
        if unit == "hour":
            parts = ", ".join(f"{part}({name})" for part in ("year", "month", "day", "hour"))
            return f"make_timestamp_ntz({parts}, 0, 0)"
        return _start_of_unit(f"CAST({name} AS date)", unit)
    micros = f"unix_micros({name})"
    size = f"{_HOUR if unit == 'hour' else _DAY}L"
    begun = f"{micros} - pmod({micros}, {size})"
    if unit in ("hour", "day"):
        return f"timestamp_micros({begun})"
    day = f"date_from_unix_date(CAST(({begun}) div {size} AS int))"
    return f"timestamp_micros(unix_date({_start_of_unit(day, unit)}) * {size})"


def _start_of_unit(day: str, unit: str) -> str:
    return day if unit == "day" else f"trunc({day}, '{unit}')"


def _bucket(name: str, column: Column, size: int) -> str:
    """NULL where the lower end is less than the type holds, or is not exact."""
    decimal = _DECIMAL.match(column.type)
    if column.type in _WHOLE:
        _must(0 < size < 2 ** (_WHOLE[column.type] - 1), column)
        lower = f"CAST({name} AS decimal(20,0)) - pmod(CAST({name} AS bigint), {size}L)"
    elif column.type in _REAL:
        _must(0 < size < _EXACT, column)
        return f"CASE WHEN abs({name}) < {_EXACT}.0D THEN floor({name} / {size}.0D) * {size}.0D END"
    else:
        _must(decimal is not None and int(decimal[1]) < 38, column)
        _must(0 < size < 10**9, column)
        lower = f"{name} - pmod({name}, {size})"
    return f"try_cast({lower} AS {column.type})"


def _must(fits: bool, column: Column) -> None:
    """A mask that does not fit hides its column behind a refusal: fail closed."""
    if not fits:
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"A mask on column {column.name} does not fit its type {column.type}.",
            hint="The administrator of the policy can mend it.",
        )


def _is_whole(text: str, kind: str) -> bool:
    bits = _WHOLE[kind]
    return bool(re.fullmatch(r"-?[0-9]{1,19}", text)) and -(2 ** (bits - 1)) <= int(text) < 2 ** (
        bits - 1
    )


def _is_decimal(text: str, kind: str) -> bool:
    decimal = _DECIMAL.match(kind)
    if decimal is None or not re.fullmatch(r"-?[0-9]{1,38}(\.[0-9]{1,38})?", text):
        return False
    precision, scale = int(decimal[1]), int(decimal[2])
    try:
        return abs(Decimal(text)) < Decimal(10) ** (precision - scale)
    except InvalidOperation:
        return False


def _is_real(text: str, kind: str) -> bool:
    return bool(re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", text))


def _is_date(text: str, kind: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_moment(text: str, kind: str) -> bool:
    try:
        datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return False
    return True


_CONSTANTS: dict[str, Callable[[str, str], bool]] = {
    "string": lambda text, kind: True,
    "boolean": lambda text, kind: text in ("true", "false"),
    "date": _is_date,
    **dict.fromkeys(_MOMENTS, _is_moment),
    **dict.fromkeys(_WHOLE, _is_whole),
    **dict.fromkeys(_REAL, _is_real),
}
