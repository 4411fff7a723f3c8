"""Spark's types, as the local engine needs them: spelling, DuckDB's and Arrow's counterparts."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa

from sqe.engines.local.plan import NotLocal
from sqe.model.types import Plain
from sqe.results.arrow_types import arrow_type

_MAX_PRECISION = 38
SIGNED_DIGITS = 34  # of more, Spark rounds away the rest when it changes a decimal's sign
_MINIMUM_SCALE = 6  # what Spark keeps of the scale when a decimal would be too wide
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")


@dataclass(frozen=True, slots=True)
class SparkType:
    """A type by Spark's name. Decimals carry precision and scale."""

    name: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})" if self.is_decimal else self.name

    @property
    def is_decimal(self) -> bool:
        return self.name == "decimal"

    @property
    def is_integral(self) -> bool:
        return self.name in _INTEGRAL

    @property
    def is_float(self) -> bool:
        return self.name in ("float", "double")

    @property
    def is_numeric(self) -> bool:
        return self.is_integral or self.is_decimal or self.is_float

    @property
    def duckdb(self) -> str:
        if self.is_decimal:
            return f"DECIMAL({self.precision},{self.scale})"
        return _DUCKDB[self.name]

    def arrow(self, time_zone: str) -> pa.DataType:
        """As Spark gives it to a session of this time zone."""
        return arrow_type(Plain(self.name, self.precision, self.scale), time_zone)


BOOLEAN = SparkType("boolean")
TINYINT = SparkType("tinyint")
SMALLINT = SparkType("smallint")
INT = SparkType("int")
BIGINT = SparkType("bigint")
FLOAT = SparkType("float")
DOUBLE = SparkType("double")
STRING = SparkType("string")
DATE = SparkType("date")
TIMESTAMP = SparkType("timestamp")
TIMESTAMP_NTZ = SparkType("timestamp_ntz")
VOID = SparkType("void")

_INTEGRAL = ("tinyint", "smallint", "int", "bigint")
_PRECEDENCE = (TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE)
_DUCKDB = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
    "timestamp_ntz": "TIMESTAMP",
    "void": "INTEGER",  # a NULL of any type; DuckDB wants one
}
_INTEGER_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}


def parse_type(text: str) -> SparkType:
    """A type from Spark's spelling. NotLocal for one this engine does not handle."""
    match = _DECIMAL.match(text)
    if match:
        return SparkType("decimal", int(match[1]), int(match[2]))
    if text in _DUCKDB and text != "void":
        return SparkType(text)
    raise NotLocal(f"columns of type {text} are read by Spark")


def decimal(precision: int, scale: int) -> SparkType:
    """A decimal as Spark bounds it: too wide, it loses scale down to six digits."""
    if precision > _MAX_PRECISION:
        whole = precision - scale
        scale = max(_MAX_PRECISION - whole, min(scale, _MINIMUM_SCALE))
        precision = _MAX_PRECISION
    return SparkType("decimal", precision, scale)


def bound_decimal(precision: int, scale: int) -> SparkType:
    """A decimal as Spark bounds sums and averages: digits are cut, the scale stays."""
    return SparkType("decimal", min(_MAX_PRECISION, precision), min(_MAX_PRECISION, scale))


def decimal_of(kind: SparkType) -> SparkType:
    """The decimal that holds every value of an integral type."""
    if kind.is_decimal:
        return kind
    return SparkType("decimal", _INTEGER_DIGITS[kind.name], 0)


def wider_decimal(left: SparkType, right: SparkType) -> SparkType:
    """The decimal that holds both. Beyond 38 digits those behind the point give way; casts to it
    then round half up in both engines."""
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    scale = max(0, min(scale, _MAX_PRECISION - whole))
    return SparkType("decimal", whole + scale, scale)


def common_type(left: SparkType, right: SparkType) -> SparkType:
    """What both sides of a comparison, CASE or set operation become, as ANSI Spark does it."""
    if left == right:
        return left
    if left == VOID or right == VOID:
        return right if left == VOID else left
    if left.is_numeric and right.is_numeric:
        return _common_number(left, right)
    raise NotLocal(f"{left} and {right} meet in one expression; Spark converts one of them")


def _common_number(left: SparkType, right: SparkType) -> SparkType:
    if left.is_decimal or right.is_decimal:
        if left.is_float or right.is_float:
            return DOUBLE
        return wider_decimal(decimal_of(left), decimal_of(right))
    wider = max(left, right, key=_PRECEDENCE.index)
    return DOUBLE if wider == FLOAT else wider
