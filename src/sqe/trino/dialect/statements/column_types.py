"""Trino's types as columns of Iceberg tables that Spark writes."""

from __future__ import annotations

from sqe.model.trino_types import (
    INTEGER,
    TIMESTAMP,
    TIMESTAMP_TZ,
    VARCHAR,
    RowField,
    TrinoType,
    parse_type,
    timestamp,
    timestamp_tz,
)
from sqe.trino.dialect.errors import Refused, not_supported

_STORED = (
    "boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal", "char",
    "varchar", "varbinary", "date", TIMESTAMP, TIMESTAMP_TZ,
)  # fmt: skip
_ICEBERG = {
    "integer": "int", "bigint": "long", "real": "float", "varchar": "string",
    "varbinary": "binary", TIMESTAMP: "timestamp", TIMESTAMP_TZ: "timestamptz",
}  # fmt: skip
# Trino's that its Iceberg connector does not store either.
_NEVER = (
    "interval day to second", "interval year to month", "json", "ipaddress", "hyperloglog",
    "time with time zone", "unknown", "qdigest", "tdigest", "setdigest",
)  # fmt: skip
# Trino stores these; Iceberg for Spark has no such type.
_NOT_HERE = ("time", "uuid")


def read_type(text: str, at: int, column: str) -> TrinoType:
    """``at`` is where the column is defined."""
    try:
        parsed = parse_type(text)
    except (ValueError, IndexError):
        parsed = TrinoType("")
    if not _is_known(parsed):
        raise Refused("TYPE_NOT_FOUND", f"Unknown type '{text}' for column '{column}'", at)
    return parsed


def _is_known(kind: TrinoType) -> bool:
    inside = (*kind.types, *(field.type for field in kind.fields))
    if kind.base in ("array", "map", "row"):
        return bool(inside) and all(map(_is_known, inside))
    return kind.base in (*_STORED, *_NEVER, *_NOT_HERE) and not inside


def type_in_table(kind: TrinoType, at: int) -> TrinoType:
    """What a column of this type is in the table: Trino's Iceberg connector widens some. Its
    ``carrier`` is the column's type in Spark's DDL."""
    if kind.base in _NEVER:
        raise Refused("NOT_SUPPORTED", f"Type not supported for Iceberg: {kind.display}")
    if kind.base in _NOT_HERE:
        raise not_supported(f"A column of type {kind.display}", at)
    if kind.base in ("tinyint", "smallint"):
        return INTEGER
    if kind.base in ("char", "varchar"):
        return VARCHAR
    if kind.base == TIMESTAMP:
        return timestamp(6)
    if kind.base == TIMESTAMP_TZ:
        return timestamp_tz(6)
    if kind.types:
        return TrinoType(kind.base, types=tuple(type_in_table(inner, at) for inner in kind.types))
    if kind.fields:
        if any(field.name is None for field in kind.fields):
            raise Refused("NOT_SUPPORTED", f"Row type field does not have a name: {kind.display}")
        fields = tuple(RowField(field.name, type_in_table(field.type, at)) for field in kind.fields)
        return TrinoType("row", fields=fields)
    return kind


def iceberg_name(kind: TrinoType) -> str:
    """As Iceberg's own errors call a stored type."""
    if kind.base == "decimal":
        return f"decimal({kind.precision}, {kind.scale})"
    return _ICEBERG.get(kind.base, kind.base)


def widens(source: TrinoType, target: TrinoType) -> bool:
    """Whether Iceberg changes a column's type so: its files stay as they are."""
    if source == target or (source.base, target.base) in {
        ("integer", "bigint"),
        ("real", "double"),
    }:
        return True
    return (
        source.base == target.base == "decimal"
        and source.scale == target.scale
        and source.precision <= target.precision
    )
