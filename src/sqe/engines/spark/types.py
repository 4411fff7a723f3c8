"""Spark's types as columns and Arrow schemas."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sqe.model.query import Column


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


def arrow_schema_of_struct(struct: Any) -> pa.Schema:
    """The schema of batches that never came: of a result without rows."""
    from pyspark.sql.pandas.types import to_arrow_schema

    schema: pa.Schema = to_arrow_schema(struct)
    return schema
