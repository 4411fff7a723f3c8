"""Literals: their types and values.

``LITERALS`` has a reader for each type name that may stand before a string (``DATE '…'``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    UNKNOWN,
    VARBINARY,
    TrinoType,
    char,
    decimal,
    varchar,
)
from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.typed import Typed, string

if TYPE_CHECKING:
    from sqe.trino.dialect.context import Context

# (text, at, context) -> value; ValueError: not a literal of that type
Reader = Callable[[str, int, "Context"], Typed]
LITERALS: dict[str, Reader] = {}
_UNREAD = ("hyperloglog", "tdigest", "qdigest", "geometry", "color")
_INT32, _INT64 = 2**31, 2**63
_BITS = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}
_SPARK_CAST = {TINYINT: "TINYINT", SMALLINT: "SMALLINT"}
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?", re.ASCII)
# What Java reads as a floating-point number (hexadecimal ones aside).
_FLOAT = re.compile(r"[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)", re.ASCII)
_BLANKS = "".join(map(chr, range(33)))  # what Java's trim takes away


def literal_of(*names: str) -> Callable[[Reader], Reader]:
    def register(reader: Reader) -> Reader:
        for name in names:
            LITERALS[name] = reader
        return reader

    return register


def null() -> Typed:
    return Typed(UNKNOWN, "NULL", None)


def boolean(value: bool) -> Typed:
    return Typed(BOOLEAN, "true" if value else "false", value)


def text(value: str) -> Typed:
    return Typed(varchar(len(value)), string(value), value)


def binary(value: bytes) -> Typed:
    return Typed(VARBINARY, f"X'{value.hex()}'", value)


def integer_literal(value: int, at: int) -> Typed:
    if -_INT32 <= value < _INT32:
        return Typed(INTEGER, _parenthesize_negative(str(value)), value)
    if -_INT64 <= value < _INT64:
        return bigint(value)
    raise Refused("SYNTAX_ERROR", f"Invalid numeric literal: {value}", at)


def bigint(value: int) -> Typed:
    if value == -_INT64:  # its absolute value has no literal
        return Typed(BIGINT, "(-9223372036854775807L - 1L)", value)
    return Typed(BIGINT, _parenthesize_negative(f"{value}L"), value)


def _parenthesize_negative(written: str) -> str:
    return f"({written})" if written.startswith("-") else written


def decimal_literal(written: str, at: int) -> Typed:
    """A decimal, of the digits that are written (leading zeros aside)."""
    match = _DECIMAL.fullmatch(written.replace("_", ""))
    if match is None or not (match[2] or match[3]):
        raise _invalid("DECIMAL", written, at)
    sign, before, after = match[1], match[2].lstrip("0"), match[3] or ""
    precision = max(1, len(before) + len(after))
    if precision > 38:
        raise _invalid("DECIMAL", written, at)
    number = f"{'-' if sign == '-' else ''}{before or '0'}{'.' + after if after else ''}"
    value = f"CAST({number}BD AS DECIMAL({precision},{len(after)}))"
    return Typed(decimal(precision, len(after)), value, number)


def _invalid(kind: str, written: str, at: int) -> Refused:
    return Refused("INVALID_LITERAL", f"'{written}' is not a valid {kind} literal", at)


def double(written: str) -> Typed:
    number = float(written)
    if number in (float("inf"), float("-inf")) or number != number:
        name = "NaN" if number != number else ("Infinity" if number > 0 else "-Infinity")
        return Typed(DOUBLE, f"CAST('{name}' AS DOUBLE)", number)
    return Typed(DOUBLE, _parenthesize_negative(f"{number!r}D"), number)


def generic(node: nodes.GenericLiteral, context: Context) -> Typed:
    reader = LITERALS.get(node.type.lower())
    if reader is None and node.type.lower() in _UNREAD:
        raise not_supported(f"A literal of type {node.type}", node.at)
    if reader is None:
        raise Refused("TYPE_NOT_FOUND", f"Unknown type: {node.type}", node.at)
    try:
        return reader(node.value, node.at, context)
    except ValueError:
        raise _invalid(node.type.upper(), node.value, node.at) from None


def integer(value: int, kind: TrinoType) -> Typed | None:
    """A whole number as a literal of this type; None if it is out of its range."""
    limit = 2 ** (_BITS[kind] - 1)
    if not -limit <= value < limit:
        return None
    if kind == BIGINT:
        return bigint(value)
    written = _parenthesize_negative(str(value))
    if kind in _SPARK_CAST:
        written = f"CAST({written} AS {_SPARK_CAST[kind]})"
    return Typed(kind, written, value)


def _integer_reader(kind: TrinoType) -> Reader:
    def read(value: str, at: int, context: Context) -> Typed:
        number = (
            integer(int(value), kind) if re.fullmatch(r"[+-]?\d+", value.strip(_BLANKS)) else None
        )
        if number is None:
            raise ValueError(value)
        return number

    return read


for _kind in _BITS:
    LITERALS[_kind.base] = _integer_reader(_kind)
LITERALS["int"] = LITERALS["integer"]


@literal_of("double", "double precision")
def _double(value: str, at: int, context: Context) -> Typed:
    return double(_java_float(value))


@literal_of("real")
def _real(value: str, at: int, context: Context) -> Typed:
    written = _java_float(value)
    return Typed(REAL, f"CAST('{written}' AS FLOAT)", float(written))


def _java_float(written: str) -> str:
    """The number in the text, as Python reads it too."""
    stripped = written.strip(_BLANKS)
    if _FLOAT.fullmatch(stripped) is None:
        raise ValueError(written)
    return stripped if stripped.endswith("y") else stripped.rstrip("fFdD")


@literal_of("decimal")
def _decimal(value: str, at: int, context: Context) -> Typed:
    return decimal_literal(value, at)


@literal_of("varchar")
def _varchar(value: str, at: int, context: Context) -> Typed:
    return Typed(varchar(), string(value), value)


@literal_of("varbinary")
def _varbinary(value: str, at: int, context: Context) -> Typed:
    return binary(value.encode())


@literal_of("char")
def _char(value: str, at: int, context: Context) -> Typed:
    return Typed(char(len(value)), string(value.rstrip(" ")), value)


@literal_of("boolean")
def _boolean(value: str, at: int, context: Context) -> Typed:
    if value.lower() in ("true", "t", "1"):
        return boolean(True)
    if value.lower() in ("false", "f", "0"):
        return boolean(False)
    raise ValueError(value)
