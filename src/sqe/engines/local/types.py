"""Spark's types, as the local engine needs them: spelling, DuckDB's and Arrow's counterparts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan_types import identifier
from sqe.model import types as model
from sqe.results.arrow_types import arrow_type

_MAX_PRECISION = 38
SIGNED_DIGITS = 34  # of more, Spark rounds away the rest when it changes a decimal's sign
_MINIMUM_SCALE = 6  # what Spark keeps of the scale when a decimal would be too wide
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")


@dataclass(frozen=True, slots=True)
class SparkType:
    """A type by Spark's name. Decimals carry precision and scale, nested types their parts: an
    array's element, a map's key and value, a struct's fields with their ``names``.

    A ``bag`` is an array whose order is nobody's to know, as collect_list makes it: whatever
    would show the order does not take one. What is inside a nested type may be NULL.
    """

    name: str
    precision: int = 0
    scale: int = 0
    parts: tuple[SparkType, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self._model)

    @property
    def is_list(self) -> bool:
        return self.name in ("array", "bag")

    @property
    def element(self) -> SparkType:
        return self.parts[0]

    @property
    def is_plain(self) -> bool:
        """Nothing is inside: only then the engines agree on an order of values."""
        return not self.parts

    @property
    def is_equatable(self) -> bool:
        """Whether both engines take the same values for equal, in = and in keys: doubles are
        written out there, which inside of others they cannot be."""
        if self.is_plain:
            return True
        return self.name in ("array", "struct") and all(
            part.is_equatable and not part.is_float for part in self.parts
        )

    def holds(self, test: Callable[[SparkType], bool]) -> bool:
        return test(self) or any(part.holds(test) for part in self.parts)

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
        if self.is_list:
            return f"{self.element.duckdb}[]"
        if self.name == "map":
            return f"MAP({self.parts[0].duckdb}, {self.parts[1].duckdb})"
        if self.name == "struct":
            fields = zip(self.names, self.parts, strict=True)
            return f"STRUCT({', '.join(f'{identifier(n)} {part.duckdb}' for n, part in fields)})"
        return _DUCKDB[self.name]

    def arrow(self, time_zone: str) -> pa.DataType:
        """As Spark gives it to a session of this time zone."""
        if self.holds(lambda kind: kind.name == "bag"):
            raise NotLocal("the order in which collect_list meets values is Spark's")
        return arrow_type(self._model, time_zone)

    @property
    def _model(self) -> model.Type:
        inside = [part._model for part in self.parts]
        if self.is_list:
            return model.Array(inside[0])
        if self.name == "map":
            return model.Map(inside[0], inside[1])
        if self.name == "struct":
            fields = zip(self.names, inside, strict=True)
            return model.Struct(tuple(model.Member(name, kind) for name, kind in fields))
        return model.Plain(self.name, self.precision, self.scale)


BOOLEAN = SparkType("boolean")
TINYINT = SparkType("tinyint")
SMALLINT = SparkType("smallint")
INT = SparkType("int")
BIGINT = SparkType("bigint")
FLOAT = SparkType("float")
DOUBLE = SparkType("double")
STRING = SparkType("string")
BINARY = SparkType("binary")
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
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
    "timestamp_ntz": "TIMESTAMP",
    "void": "INTEGER",  # a NULL of any type; DuckDB wants one
}
_INTEGER_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}


def array_of(element: SparkType) -> SparkType:
    return SparkType("array", parts=(element,))


def bag_of(element: SparkType) -> SparkType:
    return SparkType("bag", parts=(element,))


def map_of(key: SparkType, value: SparkType) -> SparkType:
    return SparkType("map", parts=(key, value))


def struct_of(names: Sequence[str], parts: Sequence[SparkType]) -> SparkType:
    """NotLocal for names that differ by case only: to DuckDB they are one."""
    if not names or len({name.lower() for name in names}) < len(names) or not all(names):
        raise NotLocal("a struct of such names is Spark's")
    return SparkType("struct", parts=tuple(parts), names=tuple(names))


def parse_type(text: str) -> SparkType:
    """A type from Spark's spelling. NotLocal for one this engine does not handle."""
    match = _DECIMAL.match(text)
    if match:
        return SparkType("decimal", int(match[1]), int(match[2]))
    if text in _DUCKDB and text != "void":
        return SparkType(text)
    if "<" in text:
        return _type_of_model(model.parse_type(text))
    raise NotLocal(f"columns of type {text} are read by Spark")


def _type_of_model(kind: model.Type) -> SparkType:
    if isinstance(kind, model.Array):
        return array_of(_type_of_model(kind.element))
    if isinstance(kind, model.Map):
        return map_of(_type_of_model(kind.key), _type_of_model(kind.value))
    if isinstance(kind, model.Struct):
        members = kind.members
        return struct_of([m.name for m in members], [_type_of_model(m.type) for m in members])
    return parse_type(str(kind))


def decimal(precision: int, scale: int) -> SparkType:
    """A decimal as Spark bounds it: too wide, it loses scale down to six digits."""
    if precision > _MAX_PRECISION:
        whole = precision - scale
        scale = max(_MAX_PRECISION - whole, min(scale, _MINIMUM_SCALE))
        precision = _MAX_PRECISION
    return SparkType("decimal", precision, scale)


def cut_decimal(precision: int, scale: int) -> SparkType:
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
    if left.parts and (left.name, left.names) == (right.name, right.names) and left.name != "map":
        return replace(left, parts=tuple(map(_common_part, left.parts, right.parts)))
    raise NotLocal(f"{left} and {right} meet in one expression; Spark converts one of them")


def _common_part(left: SparkType, right: SparkType) -> SparkType:
    """Inside of a nested type: of what is cast there, only whole numbers and NULLs."""
    kind = common_type(left, right)
    if left != right and VOID not in (left, right) and not (kind.is_integral or kind.parts):
        raise NotLocal(f"{left} and {right} meet in one expression; Spark converts one of them")
    return kind


def _common_number(left: SparkType, right: SparkType) -> SparkType:
    if left.is_decimal or right.is_decimal:
        if left.is_float or right.is_float:
            return DOUBLE
        return wider_decimal(decimal_of(left), decimal_of(right))
    wider = max(left, right, key=_PRECEDENCE.index)
    return DOUBLE if wider == FLOAT else wider
