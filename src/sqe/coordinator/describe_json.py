"""DESCRIBE … AS JSON: the keys and types that Spark writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sqe.catalog.protocol import Json
from sqe.coordinator.partitions import parts_of
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.model.types import Array, Map, Plain, Struct, Type, parse_type

_NAMES = {"timestamp": "timestamp_ltz"}
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?\Z")


def table_json(
    name: RelationName, columns: tuple[Column, ...], metadata: Json, properties: Mapping[str, str]
) -> str:
    parts = parts_of(metadata)
    described = _describe_relation(name, columns)
    if "location" in metadata:  # not of what is seen in part
        described["location"] = metadata["location"]
    described |= {
        "type": "MANAGED",
        "provider": "iceberg",
        **_own_words(metadata),
        "table_properties": dict(properties),
    }
    if parts:
        described["partition_columns"] = [part.text for part in parts]
    return _write(described)


def view_json(
    name: RelationName | str, columns: tuple[Column, ...], metadata: Json, text: str
) -> str:
    """``text`` is empty where the user may not know it."""
    described = _describe_relation(name, columns) | {"type": "VIEW", **_own_words(metadata)}
    if text:
        described["view_text"] = text
    return _write(described)


def _describe_relation(name: RelationName | str, columns: tuple[Column, ...]) -> dict[str, Any]:
    described: dict[str, Any] = {"table_name": name}
    if isinstance(name, RelationName):
        path = list(name.schema.path)
        described = {
            "table_name": name.name,
            "catalog_name": name.catalog,
            "namespace": path,
            "schema_name": path[-1] if path else "",
        }
    described["columns"] = [_describe_column(column) for column in columns]
    return described


def _describe_column(column: Column) -> dict[str, Any]:
    described: dict[str, Any] = {"name": column.name, "type": _describe_type(column.type)}
    if column.comment:
        described["comment"] = column.comment
    return {**described, "nullable": column.nullable}


def _describe_type(text: str) -> dict[str, Any]:
    return _type(parse_type(text))


def _type(kind: Type) -> dict[str, Any]:
    if isinstance(kind, Array):
        element = _type(kind.element)
        return {"name": "array", "element_type": element, "element_nullable": kind.nulls}
    if isinstance(kind, Map):
        key, value = _type(kind.key), _type(kind.value)
        return {
            "name": "map",
            "key_type": key,
            "value_type": value,
            "value_nullable": kind.nulls,
        }
    if isinstance(kind, Struct):
        fields = [
            {"name": member.name, "type": _type(member.type), "nullable": member.nullable}
            for member in kind.members
        ]
        return {"name": "struct", "fields": fields}
    return _plain_type(kind)


def _plain_type(kind: Plain) -> dict[str, Any]:
    if kind.name == "decimal":
        return {"name": "decimal", "precision": kind.precision, "scale": kind.scale}
    if kind.name == "string":
        return {"name": "string", "collation": "UTF8_BINARY"}
    interval = _INTERVAL.match(kind.name)
    if interval:
        start, end = interval[1], interval[2] or interval[1]
        return {"name": "interval", "start_unit": start, "end_unit": end}
    return {"name": _NAMES.get(kind.name, kind.name)}


def _own_words(metadata: Json) -> dict[str, str]:
    properties = metadata.get("properties") or {}
    return {key: properties[key] for key in ("comment", "owner") if properties.get(key)}


def _write(described: Mapping[str, Any]) -> str:
    return json.dumps(described, ensure_ascii=False, separators=(",", ":"))
