"""The columns of stored tables and views, as Trino shows them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.model.trino_types import TrinoType, carrier, parse_type
from sqe.trino.dialect.metadata.types import trino_type
from sqe.trino.dialect.zones import in_zone

# Where CREATE VIEW keeps the types that the view's columns have for Trino's clients.
VIEW_COLUMNS = "trino.columns"
VIEW_ZONES = "trino.zones"  # and their time zones, where there are others than UTC


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a stored table or view. ``comment`` may be empty, which is not the same as
    None to Trino."""

    name: str
    type: TrinoType
    nullable: bool = True
    comment: str | None = None


def trino_columns(metadata: Json) -> tuple[TableColumn, ...]:
    """The columns of a table or view as it is now, as Trino shows them: names in lower case.
    ValueError for one whose type Trino does not have."""
    columns = tuple(
        TableColumn(
            field["name"].lower(),
            trino_type(field["type"]),
            not field.get("required", False),
            field.get("doc"),
        )
        for field in current_schema(metadata)["fields"]
    )
    kept = _types_in_properties(metadata)
    if len(kept) != len(columns):
        return columns
    return tuple(
        replace(column, type=kind) if carrier(kind) == carrier(column.type) else column
        for column, kind in zip(columns, kept, strict=True)
    )


def _types_in_properties(metadata: Json) -> list[TrinoType]:
    """Empty where nothing usable is kept: users can write properties as well."""
    properties = metadata.get("properties") or {}
    try:
        kinds = [parse_type(text) for text in json.loads(properties[VIEW_COLUMNS])]
        if VIEW_ZONES in properties:
            zones = json.loads(properties[VIEW_ZONES])
            kinds = [in_zone(kind, zone) for kind, zone in zip(kinds, zones, strict=True)]
        for kind in kinds:
            carrier(kind)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        return []
    return kinds
