"""Spark's types as SQE's: columns and Arrow schemas."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sqe.model.query import Column
from sqe.model.types import Array, Map, Member, Struct, Type, parse_type
from sqe.results.arrow_types import arrow_field


def columns_of_struct(struct: Any) -> tuple[Column, ...]:
    """Columns with Spark's own spelling of their types."""
    return tuple(
        Column(
            name=field.name,
            type=field.dataType.simpleString(),
            nullable=field.nullable,
            comment=(field.metadata or {}).get("comment", ""),
        )
        for field in struct.fields
    )


def arrow_schema_of_struct(struct: Any, time_zone: str) -> pa.Schema:
    """The schema of the batches that Spark sends to a session of this time zone."""
    return pa.schema(
        [
            arrow_field(field.name, type_of(field.dataType), field.nullable, time_zone)
            for field in struct.fields
        ]
    )


def type_of(kind: Any) -> Type:
    """Only Spark itself knows what may be NULL inside a type; its spelling does not say."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, ArrayType):
        return Array(type_of(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return Map(type_of(kind.keyType), type_of(kind.valueType), kind.valueContainsNull)
    if isinstance(kind, StructType):
        return Struct(tuple(Member(f.name, type_of(f.dataType), f.nullable) for f in kind.fields))
    return parse_type(kind.simpleString())
