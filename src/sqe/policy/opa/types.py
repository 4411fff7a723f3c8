"""Spark's types in Trino's spelling, which is what the rules know."""

from __future__ import annotations

from sqe.errors import SqeError
from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    UNKNOWN,
    VARBINARY,
    VARCHAR,
    TrinoType,
    array,
    decimal,
    map_of,
    row,
    timestamp,
    timestamp_tz,
)
from sqe.model.types import Array, Map, Struct, Type, parse_type

_PLAIN = {
    "boolean": BOOLEAN,
    "tinyint": TINYINT,
    "smallint": SMALLINT,
    "int": INTEGER,
    "bigint": BIGINT,
    "float": REAL,
    "double": DOUBLE,
    "string": VARCHAR,
    "binary": VARBINARY,
    "date": DATE,
    "timestamp": timestamp_tz(6),
    "timestamp_ntz": timestamp(6),
}


def spell_for_trino(spark: str) -> str:
    """``unknown`` for what Trino has no type for."""
    try:
        return _trino(parse_type(spark)).display
    except SqeError:
        return UNKNOWN.display


def _trino(kind: Type) -> TrinoType:
    if isinstance(kind, Array):
        return array(_trino(kind.element))
    if isinstance(kind, Map):
        return map_of(_trino(kind.key), _trino(kind.value))
    if isinstance(kind, Struct):
        return row(*((member.name.lower(), _trino(member.type)) for member in kind.members))
    if kind.name == "decimal":
        return decimal(kind.precision, kind.scale)
    return _PLAIN.get(kind.name, UNKNOWN)
