"""Spark's types and Arrow's, as far as a client must know both."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as kinds

from sqe.errors import ErrorCode, UserError
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


def batch_of(rows: Sequence[Sequence[Parameter]]) -> pa.RecordBatch:
    """Rows with a value for each marker."""
    counts = {len(row) for row in rows}
    if len(counts) > 1:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"The rows have {min(counts)} to {max(counts)} values.",
            hint="Give one value for each ? of the text, in order.",
        )
    arrays = [_array_of(values) for values in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, [str(n) for n in range(1, len(arrays) + 1)])


def _array_of(values: Sequence[Parameter]) -> pa.Array:
    """Values of several types are a union: each keeps its own."""
    types = list(dict.fromkeys(value.type for value in values if value.type != "void"))
    if len(types) <= 1:
        kind = arrow_type(parse_type(types[0] if types else "void"), "UTC")
        return pa.array([value.value for value in values], kind)
    held: list[list[object]] = [[] for _ in types]
    codes, offsets = [], []
    for value in values:
        code = 0 if value.type == "void" else types.index(value.type)
        codes.append(code)
        offsets.append(len(held[code]))
        held[code].append(value.value)
    children = [
        pa.array(values, arrow_type(parse_type(kind), "UTC"))
        for values, kind in zip(held, types, strict=True)
    ]
    return pa.UnionArray.from_dense(
        pa.array(codes, pa.int8()), pa.array(offsets, pa.int32()), children
    )


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    return tuple(Column(field.name, _spark(field), field.nullable) for field in schema)


def _spark(field: pa.Field) -> str:
    """As the server says, or else by the Arrow type."""
    type_name = (field.metadata or {}).get(_TYPE_NAME)
    if type_name:
        return str(type_name, "utf-8")
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
