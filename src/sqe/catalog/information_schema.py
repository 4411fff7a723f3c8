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

# The columns by which a listing can be cut short, in each relation.
SCHEMA_COLUMNS = frozenset({"schema_name", "table_schema"})
TABLE_COLUMNS = frozenset({"table_name"})

_ARROW = {"string": pa.string(), "bigint": pa.int64()}


def rows(listing: Listing, catalog_name: str, table: str) -> pa.Table:
    """The rows of one relation, in the order of their names."""
    columns = RELATIONS[table]
    schema = pa.schema([pa.field(column.name, _ARROW[column.type]) for column in columns])
    found = [
        (catalog_name, ".".join(namespace), *row)
        for namespace in listing.namespaces()
        for row in _READERS[table](listing, namespace)
    ]
    return pa.Table.from_arrays(
        [pa.array([row[i] for row in found], type=part.type) for i, part in enumerate(schema)],
        schema=schema,
    )


Rows = Iterator[tuple[Any, ...]]


def _schemata(listing: Listing, namespace: Namespace) -> Rows:
    yield ()


def _tables(listing: Listing, namespace: Namespace) -> Rows:
    for name, is_view in listing.relations(namespace):
        yield name, "VIEW" if is_view else "BASE TABLE"


def _columns(listing: Listing, namespace: Namespace) -> Rows:
    for name, is_view in listing.relations(namespace):
        for row in listing.read(namespace, name, is_view, _column_rows) or ():
            yield name, *row


def _views(listing: Listing, namespace: Namespace) -> Rows:
    for name in listing.views(namespace):
        text = listing.read(namespace, name, True, any_view_text)
        if text is not None:
            yield name, text


# Of each relation, what comes behind the names of catalog and schema.
_READERS: dict[str, Callable[[Listing, Namespace], Rows]] = {
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
