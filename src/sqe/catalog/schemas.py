"""Iceberg's schemas in Spark's words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.names import quote, string_literal
from sqe.model.query import Column

# As Iceberg's Spark integration maps them. What Spark cannot read at all (time, nanoseconds)
# keeps Iceberg's name, so that the table can still be described.
_PRIMITIVES = {
    "long": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "uuid": "string",
    "unknown": "void",
}
_USUAL_CRS = re.compile(r"(geometry|geography)(?:\(\s*OGC:CRS84\s*(?:,\s*spherical\s*)?\))?\Z")
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")


def columns_of(metadata: Json) -> tuple[Column, ...]:
    """The columns of a table or view as it is now."""
    return columns_of_schema(current_schema(metadata))


def columns_of_schema(schema: Json) -> tuple[Column, ...]:
    try:
        return tuple(
            Column(
                name=field["name"],
                type=spark_type(field["type"]),
                nullable=not field.get("required", False),
                comment=field.get("doc") or "",
            )
            for field in schema["fields"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _corrupt("a schema without proper fields") from error


def current_schema(metadata: Json) -> Json:
    """Of a table of any format version, or of a view's current version."""
    schema_id = metadata.get("current-schema-id")
    if "current-version-id" in metadata:
        schema_id = current_view_version(metadata).get("schema-id")
    for schema in metadata.get("schemas") or ():
        if schema.get("schema-id", 0) == schema_id:
            current: Json = schema
            return current
    if "schema" in metadata:  # format version 1 may have nothing else
        only: Json = metadata["schema"]
        return only
    raise _corrupt("no current schema")


def current_view_version(metadata: Json) -> Json:
    for version in metadata.get("versions") or ():
        if version.get("version-id") == metadata.get("current-version-id"):
            current: Json = version
            return current
    raise _corrupt("a view without a current version")


def view_text(metadata: Json) -> str | None:
    """The view's query in Spark's dialect; None where it is kept in other dialects only."""
    for representation in current_view_version(metadata).get("representations") or ():
        if str(representation.get("dialect", "")).lower() == "spark":
            return str(representation["sql"])
    return None


def view_dialects(metadata: Json) -> list[str]:
    """The dialects that the view's query is kept in."""
    representations = current_view_version(metadata).get("representations") or ()
    return [str(representation.get("dialect", "unknown")) for representation in representations]


def spark_type(iceberg_type: Any) -> str:
    """A type as Spark's DESCRIBE prints it: ``struct<a:int,b:array<string>>``."""
    return _type_text(iceberg_type, _DESCRIBE)


def ddl_type(iceberg_type: Any) -> str:
    """A type as it stands in CREATE TABLE: ``STRUCT<a: INT NOT NULL COMMENT 'x'>``."""
    return _type_text(iceberg_type, _DDL)


def _primitive(name: str) -> str:
    decimal = _DECIMAL.match(name)
    if decimal:
        return f"decimal({decimal[1]},{decimal[2]})"
    if name.startswith("fixed["):
        return "binary"
    shape = _USUAL_CRS.match(name)
    if shape:
        return f"{shape[1]}(4326)"
    return _PRIMITIVES.get(name, name)


@dataclass(frozen=True)
class _Spelling:
    """How type names are cased, what stands between parts, and how a struct's field looks."""

    case: Callable[[str], str]
    separator: str
    field: Callable[[Json, str], str]


def _describe_field(field: Json, inner: str) -> str:
    return f"{quote(field['name'])}:{inner}"


def _ddl_field(field: Json, inner: str) -> str:
    required = " NOT NULL" if field.get("required") else ""
    doc = f" COMMENT {string_literal(field['doc'])}" if field.get("doc") else ""
    return f"{quote(field['name'])}: {inner}{required}{doc}"


_DESCRIBE = _Spelling(str, ",", _describe_field)
_DDL = _Spelling(str.upper, ", ", _ddl_field)


def _type_text(iceberg_type: Any, spelling: _Spelling) -> str:
    if isinstance(iceberg_type, str):
        return spelling.case(_primitive(iceberg_type))
    try:
        kind = iceberg_type["type"]
        if kind == "struct":
            name = "struct"
            parts = [
                spelling.field(field, _type_text(field["type"], spelling))
                for field in iceberg_type["fields"]
            ]
        elif kind == "list":
            name = "array"
            parts = [_type_text(iceberg_type["element"], spelling)]
        elif kind == "map":
            name = "map"
            parts = [_type_text(iceberg_type[side], spelling) for side in ("key", "value")]
        else:
            raise _corrupt(f"the unknown type {kind!r}")
    except (KeyError, TypeError) as error:
        raise _corrupt("a nested type that is not one") from error
    return f"{spelling.case(name)}<{spelling.separator.join(parts)}>"


def _corrupt(what: str) -> UpstreamError:
    return UpstreamError(ErrorCode.CORRUPT_DATA, f"The metadata has {what}.")
