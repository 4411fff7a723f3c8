"""Spark's types as Arrow's: the one place that says how a result's batches are typed.

Both engines give batches of exactly these types, whether a query returns rows or not, and a
description has them before anything runs.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from sqe.model.query import Column
from sqe.model.types import Array, Map, Plain, Struct, Type, parse_type

# pyarrow has no function for the type of year-month intervals, but reads it: an Arrow schema of one
# field "x" of that type.
_MONTHS = (
    "/////3AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAEAAAAUAAAAEAAUAAgABgAH"
    "AAwAAAAQABAAAAAAAAELEAAAABgAAAAEAAAAAAAAAAEAAAB4AAAABAAEAAQAAAAAAAAA"
)
# As Spark sends them: the numbers of the reference system, and the shape as well-known binary.
_SHAPE = pa.struct(
    [pa.field("srid", pa.int32(), nullable=False), pa.field("wkb", pa.binary(), nullable=False)]
)
_ARROW: dict[str, pa.DataType] = {
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
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
    "variant": pa.string(),  # as JSON: Arrow has no type for it that clients can read
    "interval": pa.month_day_nano_interval(),
}


def arrow_type(kind: Type, time_zone: str) -> pa.DataType:
    """As Spark gives it to a session of this time zone."""
    if isinstance(kind, Array):
        return pa.list_(arrow_field("element", kind.element, kind.nulls, time_zone))
    if isinstance(kind, Map):
        # pyarrow makes no map without a type for its keys, which only an empty one lacks.
        key = pa.string() if kind.key == Plain("void") else arrow_type(kind.key, time_zone)
        return pa.map_(key, arrow_field("value", kind.value, kind.nulls, time_zone))
    if isinstance(kind, Struct):
        return pa.struct([arrow_field(m.name, m.type, m.nullable, time_zone) for m in kind.members])
    return _plain_type(kind, time_zone)


def arrow_field(name: str, kind: Type, nullable: bool, time_zone: str) -> pa.Field:
    """What is always NULL is nullable, whatever Spark says of it."""
    made = arrow_type(kind, time_zone)
    return pa.field(name, made, nullable or pa.types.is_null(made))


def arrow_schema(columns: Iterable[Column], time_zone: str = "UTC") -> pa.Schema:
    """Of columns with Spark's spelling of their types. What is inside a nested type may be NULL."""
    return pa.schema(
        [
            arrow_field(column.name, parse_type(column.type), column.nullable, time_zone)
            for column in columns
        ]
    )


def batch_of_rows(schema: pa.Schema, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    """Of rows that SQE itself makes: a few."""
    listed = list(rows)
    arrays = [pa.array([row[i] for row in listed], type=f.type) for i, f in enumerate(schema)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _plain_type(kind: Plain, time_zone: str) -> pa.DataType:
    if kind.name == "decimal":
        return pa.decimal128(kind.precision, kind.scale)
    if kind.name == "timestamp":
        return pa.timestamp("us", tz=time_zone)
    if kind.name.startswith("interval "):
        months = "year" in kind.name or "month" in kind.name
        return _months() if months else pa.duration("us")
    if kind.name.startswith(("geometry(", "geography(")):
        return _SHAPE
    if kind.name.startswith("time("):
        return pa.time64("ns")
    return _ARROW[kind.name]


@lru_cache(maxsize=1)
def _months() -> pa.DataType:
    return pa.ipc.read_schema(pa.py_buffer(b64decode(_MONTHS))).field(0).type
