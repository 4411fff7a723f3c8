"""Iceberg's types as DuckDB reads them, and the Parquet columns they may be read from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqe.catalog.protocol import Json
from sqe.engines.local.plan import NotLocal

_PRIMITIVES = {
    "boolean": "BOOLEAN",
    "int": "INTEGER",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "string": "VARCHAR",
    "binary": "BLOB",
}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")


def duckdb_type(iceberg_type: Any) -> str:
    """NotLocal for a type whose values have not been proven to come out as Spark's."""
    if isinstance(iceberg_type, str):
        decimal = _DECIMAL.match(iceberg_type)
        if decimal:
            return f"DECIMAL({decimal[1]}, {decimal[2]})"
        if iceberg_type not in _PRIMITIVES:
            raise NotLocal(f"columns of Iceberg's type {iceberg_type} are not read locally")
        return _PRIMITIVES[iceberg_type]
    kind = iceberg_type.get("type")
    if kind == "struct":
        fields = iceberg_type["fields"]
        names = [field["name"].lower() for field in fields]
        if not fields or len(names) != len(set(names)):
            raise NotLocal("a struct whose field names differ by case only")
        parts = [f"{identifier(f['name'])} {duckdb_type(f['type'])}" for f in fields]
        return f"STRUCT({', '.join(parts)})"
    if kind == "list":
        return f"{duckdb_type(iceberg_type['element'])}[]"
    if kind == "map":
        key, value = duckdb_type(iceberg_type["key"]), duckdb_type(iceberg_type["value"])
        return f"MAP({key}, {value})"
    raise NotLocal(f"columns of Iceberg's type {kind} are not read locally")


def default_text(field: Json) -> str | None:
    """A column's initial default as text that DuckDB casts to the column's type."""
    value = field.get("initial-default")
    if value is None:
        return None
    if not isinstance(field["type"], str):
        raise NotLocal("a default value of a nested column")
    if field["type"] == "binary":
        return "".join(f"\\x{byte:02X}" for byte in bytes.fromhex(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# What Parquet stores for an Iceberg primitive: (physical type, logical type) pairs. Anything else,
# such as INT96 timestamps or strings without their annotation, DuckDB would read as something.
_INT32 = {("INT32", ""), ("INT32", "int32")}
_INT64 = {("INT64", ""), ("INT64", "int64")}
PARQUET: Mapping[str, set[tuple[str, str]]] = {
    "boolean": {("BOOLEAN", "")},
    "int": _INT32,
    "long": _INT32 | _INT64,
    "float": {("FLOAT", "")},
    "double": {("FLOAT", ""), ("DOUBLE", "")},
    "date": {("INT32", "date")},
    "timestamp": {("INT64", "timestamp")},
    "timestamptz": {("INT64", "timestamptz")},
    "string": {("BYTE_ARRAY", "string")},
    "binary": {("BYTE_ARRAY", "")},
}
_DECIMAL_STORAGE = ("INT32", "INT64", "FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY")


def stored_as(iceberg_type: str, physical: str, logical: str) -> bool:
    """Whether a Parquet column is a way to store the type, or one it was widened from.

    ``logical`` for decimals is ``decimal(p, s)``.
    """
    wanted = _DECIMAL.match(iceberg_type)
    if wanted is None:
        return (physical, logical) in PARQUET.get(iceberg_type, ())
    match = _DECIMAL.match(logical)
    return (
        match is not None
        and physical in _DECIMAL_STORAGE
        and match[2] == wanted[2]
        and int(match[1]) <= int(wanted[1])
    )
