"""Spark's types and Arrow's, as far as a client must know both."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as kinds

from sqe.model.query import Column, Parameter
from sqe.model.types import Plain, parse_type
from sqe.results.arrow_types import arrow_type

_TYPE_NAME = b"ARROW:FLIGHT:SQL:TYPE_NAME"
_SPARK = {
    arrow_type(Plain(name), "UTC"): name
    for name in (
        *("void", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double"),
        *("string", "binary", "date", "interval day to second"),
    )
}


def batch_of(parameters: Sequence[Parameter]) -> pa.RecordBatch:
    """One row with a value for each marker."""
    arrays = [
        pa.array([parameter.value], arrow_type(parse_type(parameter.type), "UTC"))
        for parameter in parameters
    ]
    return pa.RecordBatch.from_arrays(arrays, [str(n) for n in range(1, len(arrays) + 1)])


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
