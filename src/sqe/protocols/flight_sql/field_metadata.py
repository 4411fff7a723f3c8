"""What drivers read from the metadata of a field: ``ARROW:FLIGHT:SQL:*``."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.types as kinds

from sqe.model.query import Column

_PREFIX = "ARROW:FLIGHT:SQL:"
TYPE_NAME = _PREFIX + "TYPE_NAME"
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)\Z")
# Decimal digits, as JDBC wants them; for the rest the length or nothing.
_PRECISION = {
    "tinyint": 3,
    "smallint": 5,
    "int": 10,
    "bigint": 19,
    "float": 7,
    "double": 15,
    "date": 10,
    "timestamp": 26,
    "timestamp_ntz": 26,
    "boolean": 1,
}


def describe_schema(schema: pa.Schema, columns: tuple[Column, ...]) -> pa.Schema:
    """A result's schema as clients get it. Never with remarks: JDBC takes them for labels."""
    if len(schema) != len(columns):
        return schema
    return pa.schema(
        [describe_field(field, column) for field, column in zip(schema, columns, strict=True)],
        metadata=schema.metadata,
    )


def describe_field(
    field: pa.Field, column: Column, table: tuple[str, str, str] | None = None, remarks: str = ""
) -> pa.Field:
    """The field, with what Flight SQL says about a column. ``table``: catalog, schema and name."""
    facts = {
        "TYPE_NAME": column.type,
        "IS_AUTO_INCREMENT": "0",
        "IS_CASE_SENSITIVE": "1" if kinds.is_string(field.type) else "0",
        "IS_READ_ONLY": "0" if table is not None else "1",
        "IS_SEARCHABLE": "1",
        **_digits(column.type),
    }
    if table is not None:
        facts |= dict(zip(("CATALOG_NAME", "SCHEMA_NAME", "TABLE_NAME"), table, strict=True))
    if remarks:
        facts["REMARKS"] = remarks
    told = {(_PREFIX + name).encode(): value.encode() for name, value in facts.items()}
    return field.with_metadata({**(field.metadata or {}), **told})


def _digits(kind: str) -> dict[str, str]:
    decimal = _DECIMAL.match(kind)
    if decimal is not None:
        return {"PRECISION": decimal[1], "SCALE": decimal[2]}
    if kind not in _PRECISION:
        return {}
    scale = "6" if kind.startswith("timestamp") else "0"
    return {"PRECISION": str(_PRECISION[kind]), "SCALE": scale}
