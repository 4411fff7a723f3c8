"""``information_schema``: a catalog's schemas, tables, columns and views as relations.

Columns are those of Trino and the SQL standard; types are Spark's. A namespace of several levels
prints dotted. The relations of ``information_schema`` itself are not listed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from sqe.catalog.listing import Listing
from sqe.catalog.protocol import Json, Namespace
from sqe.catalog.schemas import columns_of_schema, current_schema, current_view_version, view_text
from sqe.model.names import string_literal
from sqe.model.query import Column
from sqe.results.arrow_types import arrow_schema, batch_of_rows

SCHEMA = "information_schema"


def _strings(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "string") for name in names)


_TABLE_NAME = _strings("table_catalog", "table_schema", "table_name")
RELATIONS: dict[str, tuple[Column, ...]] = {
    "schemata": _strings("catalog_name", "schema_name"),
    "tables": (*_TABLE_NAME, *_strings("table_type")),
    "columns": (
        *_TABLE_NAME,
        *_strings("column_name"),
        Column("ordinal_position", "bigint"),
        *_strings("column_default", "is_nullable", "data_type", "comment"),
    ),
    "views": (*_TABLE_NAME, *_strings("view_definition")),
}


def rows(listing: Listing, catalog_name: str, table: str) -> pa.Table:
    """The rows of one relation, in the order of their names."""
    schema_rows = (
        (catalog_name, ".".join(namespace), *row) for namespace, row in _READERS[table](listing)
    )
    return pa.Table.from_batches([batch_of_rows(arrow_schema(RELATIONS[table]), schema_rows)])


Rows = Iterator[tuple[Namespace, tuple[Any, ...]]]


def _schemata(listing: Listing) -> Rows:
    for namespace in listing.namespaces():
        yield namespace, ()


def _tables(listing: Listing) -> Rows:
    for namespace, name, is_view in listing.all_relations():
        yield namespace, (name, "VIEW" if is_view else "BASE TABLE")


def _columns(listing: Listing) -> Rows:
    relations = list(listing.all_relations())
    read = listing.map(lambda relation: listing.read(*relation, _column_rows), relations)
    for (namespace, name, _), columns in zip(relations, read, strict=True):
        for row in columns or ():
            yield namespace, (name, *row)


def _views(listing: Listing) -> Rows:
    namespaces = list(listing.namespaces())
    lists = zip(namespaces, listing.map(listing.views, namespaces), strict=True)
    views = [(namespace, name) for namespace, names in lists for name in names]
    texts = listing.map(lambda view: listing.read(*view, True, any_view_text), views)
    for (namespace, name), text in zip(views, texts, strict=True):
        if text is not None:
            yield namespace, (name, text)


# Of each relation, its rows without the names of catalog and schema, each with its namespace.
_READERS: dict[str, Callable[[Listing], Rows]] = {
    "schemata": _schemata,
    "tables": _tables,
    "columns": _columns,
    "views": _views,
}


def _column_rows(metadata: Json) -> list[tuple[Any, ...]]:
    schema = current_schema(metadata)
    return [
        (
            column.name,
            position,
            _default(described.get("write-default")),
            "YES" if column.nullable else "NO",
            column.type,
            column.comment or None,
        )
        for position, (column, described) in enumerate(
            zip(columns_of_schema(schema), schema["fields"], strict=True), start=1
        )
    ]


def _default(value: Any) -> str | None:
    if value is None:
        return None
    return string_literal(value) if isinstance(value, str) else json.dumps(value)


def any_view_text(metadata: Json) -> str | None:
    """The view's query in Spark's dialect, or in another where it has none."""
    text = view_text(metadata)
    if text is not None:
        return text
    for representation in current_view_version(metadata)["representations"]:
        return str(representation["sql"])
    return None
