"""Arrow batches of a client as the values of a statement's markers."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.types as kinds

from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column, Parameter
from sqe.results.arrow_types import arrow_schema

Row = tuple[Parameter, ...]
_MOST_ROWS = 100_000


def schema_of(types: Iterable[str]) -> pa.Schema:
    """What drivers make their batches of parameters from; all may be NULL."""
    columns = [Column(f"parameter_{i}", kind) for i, kind in enumerate(types, 1)]
    return pa.schema([field.with_type(_bindable(field.type)) for field in arrow_schema(columns)])


def _bindable(kind: pa.DataType) -> pa.DataType:
    """JDBC writes milliseconds into a timestamp, whatever unit it says; and nobody can fill a
    column of no type."""
    if kinds.is_timestamp(kind):
        return pa.timestamp("ms", tz=kind.tz)
    return pa.string() if kinds.is_null(kind) else kind


def rows_of(batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """One tuple for each row, in order."""
    rows: list[Row] = []
    for batch in batches:
        columns = [_values(column) for column in batch.columns]
        rows.extend(zip(*columns, strict=True) if columns else [() for _ in range(batch.num_rows)])
        if len(rows) > _MOST_ROWS:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"More than {_MOST_ROWS:,} rows of parameters were bound.",
                hint="Use a bulk load (ADBC: adbc_ingest) for many rows.",
            )
    return rows


def _values(column: pa.Array) -> list[Parameter]:
    if kinds.is_union(column.type):
        return _values_of_union(column)
    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    if kinds.is_timestamp(column.type) and column.type.unit != "us":
        column = _in_microseconds(column)
    name = type_name(column.type)
    return [Parameter(name, value) for value in column.to_pylist()]


def _values_of_union(column: pa.Array) -> list[Parameter]:
    """Each value has the type that it has in the union."""
    numbers = {code: n for n, code in enumerate(column.type.type_codes)}
    if column.type.mode != "dense":
        raise UserError(ErrorCode.NOT_SUPPORTED, "Of unions, parameters may be dense ones.")
    children = [_values(column.field(n)) for n in range(column.type.num_fields)]
    return [
        children[numbers[code]][offset]
        for code, offset in zip(
            column.type_codes.to_pylist(), column.offsets.to_pylist(), strict=True
        )
    ]


def _in_microseconds(column: pa.Array) -> pa.Array:
    try:
        return column.cast(pa.timestamp("us", tz=column.type.tz))
    except pa.ArrowInvalid:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            "A timestamp parameter is finer than a microsecond or out of range.",
            hint="Timestamps have microseconds here; round it.",
        ) from None


_SIMPLE: list[tuple[str, tuple[pa.DataType, ...]]] = [
    ("void", (pa.null(),)),
    ("boolean", (pa.bool_(),)),
    ("tinyint", (pa.int8(),)),
    ("smallint", (pa.int16(), pa.uint8())),
    ("int", (pa.int32(), pa.uint16())),
    ("bigint", (pa.int64(), pa.uint32())),
    ("decimal(20,0)", (pa.uint64(),)),
    ("float", (pa.float16(), pa.float32())),
    ("double", (pa.float64(),)),
    ("string", (pa.string(), pa.large_string(), pa.string_view())),
    ("binary", (pa.binary(), pa.large_binary(), pa.binary_view())),
    ("date", (pa.date32(), pa.date64())),
]
_NAMES = {kind: name for name, types in _SIMPLE for kind in types}


def type_name(kind: pa.DataType) -> str:
    """An Arrow type in Spark's spelling."""
    if kind in _NAMES:
        return _NAMES[kind]
    if kinds.is_decimal(kind) and kind.precision <= 38 and 0 <= kind.scale <= kind.precision:
        return f"decimal({kind.precision},{kind.scale})"
    if kinds.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if kinds.is_fixed_size_binary(kind):
        return "binary"
    if kinds.is_duration(kind):
        return "interval day to second"
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return f"array<{type_name(kind.value_type)}>"
    if kinds.is_struct(kind):
        fields = ",".join(f"{_quote(field.name)}:{type_name(field.type)}" for field in kind)
        return f"struct<{fields}>"
    if kinds.is_map(kind):
        return f"map<{type_name(kind.key_type)},{type_name(kind.item_type)}>"
    raise UserError(
        ErrorCode.TYPE_MISMATCH,
        f"A parameter of Arrow's type {kind} has no counterpart in SQL.",
        hint="Cast it, for example to a string, before binding it.",
    )


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
