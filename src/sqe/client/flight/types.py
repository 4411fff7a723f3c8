"""Spark's types and Arrow's, as far as a client must know both."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as kinds

from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column, Parameter

_TYPE_NAME = b"ARROW:FLIGHT:SQL:TYPE_NAME"
_ARROW = {
    "void": pa.null(),
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "time(6)": pa.time64("us"),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "interval day to second": pa.duration("us"),
}
_SPARK = {arrow: name for name, arrow in _ARROW.items()}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")
_ARRAY = re.compile(r"array<(.*)>\Z")


def batch_of(parameters: Sequence[Parameter]) -> pa.RecordBatch:
    """One row with a value for each marker."""
    arrays = [pa.array([parameter.value], _arrow(parameter.type)) for parameter in parameters]
    return pa.RecordBatch.from_arrays(arrays, [str(n) for n in range(1, len(arrays) + 1)])


def _arrow(spark: str) -> pa.DataType:
    if match := _DECIMAL.match(spark):
        return pa.decimal128(int(match[1]), int(match[2]))
    if match := _ARRAY.match(spark):
        return pa.list_(_arrow(match[1]))
    if spark not in _ARROW:
        raise UserError(ErrorCode.NOT_SUPPORTED, f"A {spark} cannot be sent as a parameter.")
    return _ARROW[spark]


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    return tuple(Column(field.name, _spark(field), field.nullable) for field in schema)


def _spark(field: pa.Field) -> str:
    """As the server says, or else by the Arrow type."""
    said = (field.metadata or {}).get(_TYPE_NAME)
    if said:
        return str(said, "utf-8")
    kind = field.type
    if kinds.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if kinds.is_timestamp(kind):
        return "timestamp_ntz" if kind.tz is None else "timestamp"
    return _SPARK.get(kind, str(kind))


def without_notes(schema: pa.Schema) -> pa.Schema:
    """The schema without what Flight SQL writes next to its fields."""
    return pa.schema([_bare(field) for field in schema], schema.metadata)


def _bare(field: pa.Field) -> pa.Field:
    rest = {k: v for k, v in (field.metadata or {}).items() if not k.startswith(b"ARROW:FLIGHT:")}
    return field.with_metadata(rest or None)
