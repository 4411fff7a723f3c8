"""A table's partitioning, in Spark's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.model.names import quote

_SIMPLE = {"year": "years", "month": "months", "day": "days", "hour": "hours"}
_WITH_WIDTH = re.compile(r"(bucket|truncate)\[(\d+)\]\Z")


@dataclass(frozen=True, slots=True)
class Part:
    source: str  # the column, dotted where it is inside a struct
    source_type: Any  # Iceberg's
    text: str  # as it stands in PARTITIONED BY
    is_identity: bool


def parts_of(metadata: Json) -> list[Part]:
    """The parts of the default spec."""
    return list(_parts(metadata))


def _parts(metadata: Json) -> Iterator[Part]:
    sources = {ident: (path, kind) for ident, path, kind in _fields(current_schema(metadata))}
    for field in default_spec(metadata):
        path, kind = sources.get(field.get("source-id", -1), ((), None))
        # A dropped column leaves a void part behind; it partitions nothing.
        if not path or field["transform"] == "void":
            continue
        column = ".".join(quote(part) for part in path)
        text = _transform(field["transform"], column)
        yield Part(".".join(path), kind, text, field["transform"] == "identity")


def default_spec(metadata: Json) -> list[Json]:
    wanted = metadata.get("default-spec-id", 0)
    for spec in metadata.get("partition-specs") or ():
        if spec.get("spec-id") == wanted:
            fields: list[Json] = spec["fields"]
            return fields
    return list(metadata.get("partition-spec") or ())


def _fields(
    struct: Json, above: tuple[str, ...] = ()
) -> Iterator[tuple[int, tuple[str, ...], Any]]:
    for field in struct["fields"]:
        path = (*above, field["name"])
        yield field["id"], path, field["type"]
        if isinstance(field["type"], dict) and field["type"].get("type") == "struct":
            yield from _fields(field["type"], path)


def field_paths(schema: Json) -> dict[int, tuple[str, ...]]:
    """The names on the way to each field that a partition or an order can be made of, by id."""
    return {ident: path for ident, path, _ in _fields(schema)}


def _transform(transform: str, column: str) -> str:
    if transform == "identity":
        return column
    if transform in _SIMPLE:
        return f"{_SIMPLE[transform]}({column})"
    width = _WITH_WIDTH.match(transform)
    return f"{width[1]}({width[2]}, {column})" if width else f"{transform}({column})"
