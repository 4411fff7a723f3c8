"""Iceberg's table metadata, as far as Trino's clients can ask about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.metadata.types import trino_type

Metadata = Mapping[str, Any]
_PLAIN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column, or a part of one, that has no parts itself; ``name`` is its path: ``r.x``."""

    id: int
    name: str
    type: TrinoType


def schema_of(metadata: Metadata) -> Metadata:
    """The current schema of a table."""
    for schema in metadata.get("schemas") or ():
        if schema.get("schema-id", 0) == metadata.get("current-schema-id"):
            current: Metadata = schema
            return current
    only: Metadata = metadata["schema"]  # format version 1 may have nothing else
    return only


def column_text(path: tuple[str, ...]) -> str:
    """A column as it stands in ``partitioning`` and ``sorted_by``."""
    name = ".".join(path)
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'


def spell_sort_order(metadata: Metadata) -> list[str] | None:
    """The order that rows are written in, as Trino spells it; None where it sorts by more than
    columns, which Trino has no words for."""
    paths = field_paths(schema_of(metadata)["fields"])
    sort_texts = []
    for field in _sort_order(metadata):
        path = paths.get(field["source-id"])
        if field["transform"] != "identity" or path is None:
            return None
        nulls = str(field["null-order"]).replace("-", " ").upper()
        sort_texts.append(f"{column_text(path)} {str(field['direction']).upper()} {nulls}")
    return sort_texts


def _sort_order(metadata: Metadata) -> Sequence[Metadata]:
    for order in metadata.get("sort-orders") or ():
        if order["order-id"] == metadata.get("default-sort-order-id"):
            fields: Sequence[Metadata] = order["fields"]
            return fields
    return ()


def partition_fields(metadata: Metadata) -> list[Metadata]:
    """Of all specs the table has had, each field once, in the order of their ids."""
    fields_by_id: dict[int, Metadata] = {}
    for spec in metadata.get("partition-specs") or ():
        for field in spec["fields"]:
            fields_by_id.setdefault(field["field-id"], field)
    return [fields_by_id[key] for key in sorted(fields_by_id)]


def field_paths(
    fields: Iterable[Metadata], above: tuple[str, ...] = ()
) -> dict[int, tuple[str, ...]]:
    """The fields of a schema by their ids, with those inside of rows; names in lower case."""
    paths: dict[int, tuple[str, ...]] = {}
    for field in fields:
        path = (*above, str(field["name"]).lower())
        paths[field["id"]] = path
        if isinstance(field["type"], Mapping) and field["type"].get("type") == "struct":
            paths |= field_paths(field["type"]["fields"], path)
    return paths


def leaves(metadata: Metadata) -> list[Leaf]:
    """Of the current schema."""
    return [leaf for field in schema_of(metadata)["fields"] for leaf in _leaves(field, ())]


def _leaves(field: Metadata, above: tuple[str, ...]) -> Iterator[Leaf]:
    path = (*above, str(field["name"]))
    kind = field["type"]
    if isinstance(kind, str):
        yield Leaf(field["id"], ".".join(path), trino_type(kind))
        return
    for inner in _parts(kind):
        yield from _leaves(inner, path)


def _parts(kind: Metadata) -> list[Metadata]:
    if kind["type"] == "struct":
        return list(kind["fields"])
    names = ("element",) if kind["type"] == "list" else ("key", "value")
    return [{"id": kind[f"{name}-id"], "name": name, "type": kind[name]} for name in names]


def types_by_id(metadata: Metadata) -> dict[int, TrinoType]:
    """Of every column that any schema has had: one that a partition was made by may be gone."""
    types: dict[int, TrinoType] = {}
    schemas = [*(metadata.get("schemas") or ()), schema_of(metadata)]
    for schema in schemas:
        for field in schema["fields"]:
            types |= {leaf.id: leaf.type for leaf in _leaves(field, ())}
    return types


def view_text(metadata: Metadata) -> str | None:
    """A view's query in Trino's dialect; None where it was not written in it."""
    for version in metadata.get("versions") or ():
        if version.get("version-id") == metadata.get("current-version-id"):
            for representation in version.get("representations") or ():
                if str(representation.get("dialect", "")).lower() == "trino":
                    return str(representation["sql"])
    return None
