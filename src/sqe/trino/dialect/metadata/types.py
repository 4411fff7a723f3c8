"""Iceberg's types in Trino's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    UUID,
    VARBINARY,
    VARCHAR,
    TrinoType,
    array,
    decimal,
    map_of,
    row,
    time,
    timestamp,
    timestamp_tz,
)

_PRIMITIVES: Mapping[str, TrinoType] = {
    "boolean": BOOLEAN,
    "int": INTEGER,
    "long": BIGINT,
    "float": REAL,
    "double": DOUBLE,
    "date": DATE,
    "time": time(6),
    "timestamp": timestamp(6),
    "timestamptz": timestamp_tz(6),
    "timestamp_ns": timestamp(9),
    "timestamptz_ns": timestamp_tz(9),
    "string": VARCHAR,
    "uuid": UUID,
    "binary": VARBINARY,
}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")


def trino_type(iceberg_type: Any) -> TrinoType:
    """ValueError for a type that Trino has nothing for."""
    if isinstance(iceberg_type, str):
        return _primitive(iceberg_type)
    kind = iceberg_type.get("type")
    if kind == "struct":
        fields = iceberg_type["fields"]
        return row(*((field["name"], trino_type(field["type"])) for field in fields))
    if kind == "list":
        return array(trino_type(iceberg_type["element"]))
    if kind == "map":
        return map_of(trino_type(iceberg_type["key"]), trino_type(iceberg_type["value"]))
    raise ValueError(f"Trino has no type for {kind}")


def _primitive(name: str) -> TrinoType:
    primitive = _PRIMITIVES.get(name)
    if primitive is not None:
        return primitive
    number = _DECIMAL.match(name)
    if number:
        return decimal(int(number[1]), int(number[2]))
    if name.startswith("fixed["):
        return VARBINARY
    raise ValueError(f"Trino has no type for {name}")
