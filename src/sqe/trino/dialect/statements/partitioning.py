"""``partitioning`` and ``sorted_by``: Trino's spelling read, Spark's written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.model.trino_types import TIMESTAMP, TIMESTAMP_TZ, TrinoType
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.metadata.iceberg import field_paths
from sqe.trino.dialect.statements.column_types import iceberg_name
from sqe.trino.dialect.typed import quote_name

_NAME = r'((?:[a-zA-Z_$][\w$]*|"(?:""|[^"])+")(?:\.(?:[a-zA-Z_$][\w$]*|"(?:""|[^"])+"))*)'
_IDENTITY = re.compile(rf"\s*{_NAME}\s*\Z")
_MOMENT = re.compile(rf"\s*(year|month|day|hour)\s*\(\s*{_NAME}\s*\)\s*\Z", re.IGNORECASE)
_SIZED = re.compile(rf"\s*(bucket|truncate)\s*\(\s*{_NAME}\s*,\s*(\d+)\s*\)\s*\Z", re.IGNORECASE)
_SORT = re.compile(rf"\s*{_NAME}(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?\s*\Z", re.IGNORECASE)
_PART = re.compile(r'"((?:""|[^"])+)"|([^."]+)')
_MOMENTS = ("date", TIMESTAMP, TIMESTAMP_TZ)
_SOURCES = {
    "year": _MOMENTS,
    "month": _MOMENTS,
    "day": _MOMENTS,
    "hour": _MOMENTS[1:],
    "truncate": ("integer", "bigint", "decimal", "varchar", "varbinary"),
    "bucket": ("integer", "bigint", "decimal", "varchar", "varbinary", "uuid", *_MOMENTS),
}
Columns = Mapping[str, TrinoType]


@dataclass(frozen=True, slots=True)
class PartitionField:
    """``transform`` is Iceberg's word: identity, year, month, day, hour, bucket, truncate."""

    transform: str
    path: tuple[str, ...]
    width: int = 0

    @property
    def spark(self) -> str:
        column = ".".join(map(quote_name, self.path))
        if self.transform == "identity":
            return column
        if self.width:
            return f"{self.transform}({self.width}, {column})"
        return f"{self.transform}s({column})"


def read_partitioning(fields: Sequence[str], columns: Columns) -> list[PartitionField]:
    return [_read_field(field, columns) for field in fields]


def _read_field(text: str, columns: Columns) -> PartitionField:
    fields = _fields_of(text)
    if fields is None:
        raise _unreadable(f"Invalid partition field declaration: {text}")
    kind = _source_type(fields.path, columns)
    if kind is None:
        raise _unreadable(f"Cannot find source column: {'.'.join(fields.path)}")
    if fields.transform in _SOURCES and kind.base not in _SOURCES[fields.transform]:
        name = iceberg_name(kind)
        raise _unreadable(f"Invalid source type {name} for transform: {fields.transform}")
    return fields


def _fields_of(text: str) -> PartitionField | None:
    plain, moment, sized = _IDENTITY.match(text), _MOMENT.match(text), _SIZED.match(text)
    if plain:
        return PartitionField("identity", _path(plain[1]))
    if moment:
        return PartitionField(moment[1].lower(), _path(moment[2]))
    if sized and int(sized[3]) > 0:
        return PartitionField(sized[1].lower(), _path(sized[2]), int(sized[3]))
    return None


def _path(text: str) -> tuple[str, ...]:
    return tuple(
        (part[1].replace('""', '"') if part[1] else part[2]).lower()
        for part in _PART.finditer(text)
    )


def _source_type(path: tuple[str, ...], columns: Columns) -> TrinoType | None:
    kind = columns.get(path[0])
    for name in path[1:]:
        fields = kind.fields if kind is not None else ()
        kind = next((field.type for field in fields if (field.name or "").lower() == name), None)
    return kind


def _unreadable(message: str) -> Refused:
    return Refused("INVALID_TABLE_PROPERTY", f"Unable to parse partitioning value: {message}")


def read_order(fields: Sequence[str], columns: Columns) -> list[str]:
    """Each field as Spark's WRITE … ORDERED BY takes it."""
    sort_fields = []
    for text in fields:
        match = _SORT.match(text)
        if match is None:
            raise Refused("INVALID_TABLE_PROPERTY", f"Invalid sort field declaration: {text}")
        path = _path(match[1])
        if _source_type(path, columns) is None:
            message = f"Unable to parse sorted_by value: Cannot find source column: {text}"
            raise Refused("INVALID_TABLE_PROPERTY", message)
        direction = (match[2] or "ASC").upper()
        nulls = (match[3] or ("FIRST" if direction == "ASC" else "LAST")).upper()
        sort_fields.append(f"{'.'.join(map(quote_name, path))} {direction} NULLS {nulls}")
    return sort_fields


_STORED_TRANSFORM = re.compile(r"(bucket|truncate)\[(\d+)\]\Z")


def partitioning_of_table(metadata: Mapping[str, Any]) -> list[PartitionField]:
    """The fields of a table's current partition spec."""
    paths: dict[int, tuple[str, ...]] = {}
    for schema in metadata.get("schemas") or ():
        if schema["schema-id"] == metadata.get("current-schema-id"):
            paths = field_paths(schema["fields"])
    wanted = metadata.get("default-spec-id", 0)
    fields = []
    for spec in metadata.get("partition-specs") or ():
        for field in spec["fields"] if spec["spec-id"] == wanted else ():
            transform, path = str(field["transform"]), paths.get(field["source-id"])
            sized = _STORED_TRANSFORM.match(transform)
            if path is not None and sized:
                fields.append(PartitionField(sized[1], path, int(sized[2])))
            elif path is not None and transform != "void":
                fields.append(PartitionField(transform, path))
    return fields
