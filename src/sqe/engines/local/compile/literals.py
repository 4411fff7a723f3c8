"""Literals: numbers, strings, moments, and what is next to them in a comparison."""

from __future__ import annotations

import datetime
import re
import struct
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.compiling import Compiling, in_utc
from sqe.engines.local.compile.value import Value, format_name, make_value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SIGNED_DIGITS,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    SparkType,
)

_LARGEST_FLOAT = Decimal("3.4028234663852886E+38")  # Spark refuses a literal beyond its digits
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_ISO_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2})(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?\Z"
)


def null() -> Value:
    return Value("NULL", VOID, "NULL")


def boolean(here: Compiling, node: exp.Boolean) -> Value:
    text = "true" if node.this else "false"
    return Value(text, BOOLEAN, text, False, bool(node.this))


def literal(here: Compiling, node: exp.Literal) -> Value:
    text = str(node.this)
    if node.is_string:
        return Value("'" + text.replace("'", "''") + "'", STRING, text, False, text)
    if re.fullmatch(r"\d+", text):
        number = int(text)
        if number >= 2**63:
            raise NotLocal("a number beyond bigint is Spark's")
        kind = INT if number < 2**31 else BIGINT
        return Value(f"CAST({number} AS {kind.duckdb})", kind, text, False, number, bare=True)
    if re.fullmatch(r"\d*\.\d*", text) and text != ".":
        return decimal_literal(text)
    if re.fullmatch(r"\d*\.?\d*[eE][+-]?\d+", text):
        return double_literal(text)
    raise NotLocal(f"the number {text} is Spark's")


def decimal_literal(text: str) -> Value:
    digits = Decimal(text)
    scale = max(0, -int(digits.as_tuple().exponent))
    precision = max(len(digits.as_tuple().digits), scale)
    if precision > 38:
        raise NotLocal(f"the number {text} is Spark's")
    kind = SparkType("decimal", precision, scale)
    sql = f"CAST('{digits:f}' AS {kind.duckdb})"
    # Java and Python write small numbers alike: 1E-7.
    return Value(sql, kind, str(digits), False, float(digits), bare=True)


def double_literal(text: str) -> Value:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NotLocal(f"the number {text} is Spark's")
    return Value(f"CAST('{number!r}' AS DOUBLE)", DOUBLE, java_double(number), False, number)


def float_literal(text: str) -> Value:
    """A single: named where Java surely prints just these digits."""
    digits = Decimal(text)
    if digits > _LARGEST_FLOAT:
        raise NotLocal(f"the number {text} is Spark's")
    try:
        number = struct.unpack("f", struct.pack("f", float(text)))[0]
    except OverflowError as error:
        raise NotLocal(f"the number {text} is Spark's") from error
    plain = len(digits.normalize().as_tuple().digits) <= 6 and (
        digits == 0 or Decimal("0.001") <= digits < 10**7
    )
    name = java_double(float(text)) if plain else ""
    return Value(f"CAST('{text}' AS FLOAT)", FLOAT, name, False, number)


def java_double(number: float) -> str:
    """As Java prints it, where it prints the shortest digits for sure; else nothing."""
    shortest = Decimal(repr(number))
    digits = len(shortest.normalize().as_tuple().digits)
    if digits > 15 or (number != 0 and not 1e-300 < abs(number) < 1e300):
        return ""  # before version 19 Java prints some of these longer than needed
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        text = f"{shortest:f}"
        return text if "." in text else f"{text}.0"
    mantissa, _, exponent = f"{shortest.normalize():E}".partition("E")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def binary(here: Compiling, node: exp.HexString) -> Value:
    """X'1F': sqlglot has read it as a number, so whole bytes are only certain in the text."""
    digits = str(node.this)
    if len(digits) % 2 or not re.fullmatch(r"[0-9A-Fa-f]*", digits):
        raise NotLocal("this binary literal is Spark's")
    return Value(f"unhex('{digits}')", BINARY, f"X'{digits.upper()}'", False)


def negate(here: Compiling, node: exp.Neg) -> Value:
    value = here.value(node.this)
    if not value.type.is_numeric or value.type.precision > SIGNED_DIGITS:
        raise NotLocal(f"minus {value.type} is Spark's")
    if _is_number(here, node.this) and isinstance(value.literal, int | float):
        return _negative(value, -value.literal, plain=isinstance(node.this, exp.Literal))
    return make_value(f"(- {value.sql})", value.type, format_name("(- {})", value), value)


def _is_number(here: Compiling, node: Any) -> bool:
    """A number as written, with or without a letter for its type behind it."""
    if isinstance(node, exp.Cast):
        return isinstance(node.this, exp.Literal) and is_typed_literal(here, node)
    return isinstance(node, exp.Literal) and not node.is_string


def is_typed_literal(here: Compiling, node: exp.Cast) -> bool:
    """1Y, 2.5D, DATE'2020-01-01': sqlglot makes casts of them. CAST and :: are written out."""
    if not isinstance(node.this, exp.Literal) or "sqe_call" in node.meta:
        return False
    end = node.this.meta.get("end")
    return end is None or not re.match(r"\s*::", here.text[end + 1 :])


def _negative(value: Value, number: float, *, plain: bool) -> Value:
    """-1 is a number of its own: the smallest int is not minus a number that fits an int."""
    kind = INT if plain and value.type == BIGINT and number == -(2**31) else value.type
    name = f"-{value.name}" if value.name else ""
    if number == 0 and value.type.is_float:
        # As a key of GROUP BY or DISTINCT it keeps its sign on Spark, which a column's does not.
        raise NotLocal("-0.0 as written is Spark's")
    if number == 0:
        name = value.name  # there is no other zero
    if value.type.is_integral:
        sql = f"CAST({number} AS {kind.duckdb})"
        return Value(sql, kind, name, False, number, bare=kind != TINYINT)
    return Value(f"(- {value.sql})", kind, name, False, number, bare=value.bare)


def iso_date(value: object) -> datetime.date | None:
    if isinstance(value, str) and _ISO_DATE.match(value):
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            return None
    return None


def date_literal(day: datetime.date) -> Value:
    return Value(f"DATE '{day.isoformat()}'", DATE, f"DATE '{day.isoformat()}'", False, day)


def moment_literal(here: Compiling, text: str, kind: SparkType) -> Value:
    """A timestamp of a full ISO text. Without an offset it is in the session's zone."""
    match = _ISO_MOMENT.match(text)
    if match is None or (match[4] and (kind == TIMESTAMP_NTZ or match[2] is None)):
        raise NotLocal(f"the moment {text!r} is Spark's")
    if kind == TIMESTAMP:
        in_utc(here, "a timestamp as text")
    shown_time = f"{match[1]} {match[2] or '00:00:00'}{match[3] or ''}"
    try:
        moment = datetime.datetime.fromisoformat(shown_time + (match[4] or ""))
        if match[4]:
            moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise NotLocal(f"the moment {text!r} is Spark's") from error
    fraction = f".{moment.microsecond:06d}".rstrip("0").rstrip(".")
    plain = f"{moment.isoformat(sep=' ', timespec='seconds')}{fraction}"
    if kind == TIMESTAMP_NTZ:
        return Value(f"TIMESTAMP '{plain}'", kind, f"TIMESTAMP_NTZ '{plain}'", False, moment)
    moment = moment.replace(tzinfo=datetime.UTC)
    return Value(f"TIMESTAMPTZ '{plain}+00'", kind, f"TIMESTAMP '{plain}'", False, moment)


def beside(here: Compiling, value: Value, other: Value) -> Value:
    """A string literal beside a date or moment is one, where it is beyond doubt; a date beside a
    moment is its midnight."""
    if value.type == STRING and isinstance(value.known_value, str):
        read = _read(here, value.known_value, other.type)
        if read is not None and value.bound is not None:
            return replace(here.parameters.bind(read.type, read.literal), bare=False)
        if read is not None:
            return replace(read, name=value.name)
    if value.type == DATE and other.type in (TIMESTAMP, TIMESTAMP_NTZ):
        if other.type == TIMESTAMP:
            in_utc(here, "the midnight of a date")
        sql = midnight(value.sql, other.type)
        return replace(value, sql=sql, type=other.type, literal=None, column=False)
    return value


def _read(here: Compiling, text: str, wanted: SparkType) -> Value | None:
    """A text as what it is compared with, where it is beyond doubt."""
    day = iso_date(text)
    if wanted == DATE and day is not None:
        return date_literal(day)
    if wanted in (TIMESTAMP, TIMESTAMP_NTZ):
        return moment_literal(here, text, wanted)
    return _number_text(text, wanted) if wanted.is_numeric else None


def _number_text(text: str, other: SparkType) -> Value | None:
    """A plain number as text: a bigint beside an integer, a double beside any other number."""
    if other.is_integral and re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return Value(f"CAST({int(text)} AS BIGINT)", BIGINT, text, False, int(text))
    if not other.is_integral and re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?", text):
        return double_literal(text)
    return None


def midnight(day: str, kind: SparkType) -> str:
    """A date as a moment, in UTC: DuckDB's own time zone is always that."""
    plain = f"CAST({day} AS TIMESTAMP)"
    return plain if kind == TIMESTAMP_NTZ else f"CAST({plain} AS TIMESTAMPTZ)"
