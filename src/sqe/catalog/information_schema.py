"""``information_schema``: a catalog's schemas, tables, columns and views as relations.

Columns are those of Trino and the SQL standard; types are Spark's. A namespace of several levels
prints dotted. The relations of ``information_schema`` itself are not listed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pyarrow as pa

from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Namespace
from sqe.catalog.schemas import (
    columns_of_schema,
    current_schema,
    current_view_version,
    string_literal,
    view_text,
)
from sqe.errors import ErrorCode, SqeError
from sqe.model.query import Column

SCHEMA = "information_schema"
_T = TypeVar("_T")


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

# What may happen to one table or schema while the others are well: it was dropped in between, it
# is damaged, or this user may not see it. Anything else, above all a catalog that is down, fails
# the listing, because an empty answer would be a wrong one.
_SKIPPED = frozenset(
    {
        ErrorCode.SCHEMA_NOT_FOUND,
        ErrorCode.TABLE_NOT_FOUND,
        ErrorCode.VIEW_NOT_FOUND,
        ErrorCode.ACCESS_DENIED,
        ErrorCode.CORRUPT_DATA,
    }
)


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Names that may be asked for. A superset of what the query wants is always right."""

    names: frozenset[str] | None = None  # None: any
    prefixes: tuple[str, ...] = ()  # all of them must fit

    def admits(self, name: str) -> bool:
        return (self.names is None or name in self.names) and all(
            name.startswith(prefix) for prefix in self.prefixes
        )

    def admits_below(self, parent: str) -> bool:
        """Whether a dotted name that starts with ``parent`` and a dot may be admitted."""
        inside = parent + "."
        return (self.names is None or any(n.startswith(inside) for n in self.names)) and all(
            inside.startswith(prefix) or prefix.startswith(inside) for prefix in self.prefixes
        )

    def both(self, other: NameFilter) -> NameFilter:
        if self.names is None or other.names is None:
            names = self.names if other.names is None else other.names
        else:
            names = self.names & other.names
        return NameFilter(names, self.prefixes + other.prefixes)


@dataclass(frozen=True, slots=True)
class ListingFilter:
    schemas: NameFilter = field(default_factory=NameFilter)
    tables: NameFilter = field(default_factory=NameFilter)


def _nothing() -> None:
    return None


def rows(
    catalog: Catalog,
    catalog_name: str,
    table: str,
    wanted: ListingFilter,
    check: Callable[[], None] = _nothing,
) -> pa.Table:
    """The rows of one relation, in the order of their names.

    Only the schemas and tables that ``wanted`` admits are listed and loaded. ``check`` is called
    between loads and may raise, to stop.
    """
    listing = _Listing(catalog, catalog_name, wanted, check)
    columns = RELATIONS[table]
    schema = pa.schema([pa.field(column.name, _ARROW[column.type]) for column in columns])
    found = list(listing.rows_of(table))
    return pa.Table.from_arrays(
        [pa.array([row[i] for row in found], type=part.type) for i, part in enumerate(schema)],
        schema=schema,
    )


class _Listing:
    def __init__(
        self,
        catalog: Catalog,
        catalog_name: str,
        wanted: ListingFilter,
        check: Callable[[], None],
    ) -> None:
        self._catalog = catalog
        self._name = catalog_name
        self._wanted = wanted
        self._check = check

    def rows_of(self, table: str) -> Iterator[tuple[Any, ...]]:
        readers: dict[str, Callable[[Namespace], Iterator[tuple[Any, ...]]]] = {
            "schemata": self._schemata,
            "tables": self._tables,
            "columns": self._columns,
            "views": self._views,
        }
        for namespace in self._namespaces(()):
            yield from readers[table](namespace)

    def _namespaces(self, parent: Namespace) -> Iterator[Namespace]:
        self._check()
        wanted = self._wanted.schemas
        for namespace in sorted(_or_empty(lambda: self._catalog.list_namespaces(parent))):
            name = ".".join(namespace)
            if wanted.admits(name):
                yield namespace
            if wanted.admits_below(name):
                yield from self._namespaces(namespace)

    def _schemata(self, namespace: Namespace) -> Iterator[tuple[Any, ...]]:
        yield self._name, ".".join(namespace)

    def _tables(self, namespace: Namespace) -> Iterator[tuple[Any, ...]]:
        for name, is_view in self._relations(namespace):
            kind = "VIEW" if is_view else "BASE TABLE"
            yield self._name, ".".join(namespace), name, kind

    def _columns(self, namespace: Namespace) -> Iterator[tuple[Any, ...]]:
        for name, is_view in self._relations(namespace):
            load = self._catalog.load_view if is_view else self._catalog.load_table
            fields = self._read(load, Ident(namespace, name), _column_rows)
            for row in fields or ():
                yield self._name, ".".join(namespace), name, *row

    def _views(self, namespace: Namespace) -> Iterator[tuple[Any, ...]]:
        for name in sorted(self._names(self._catalog.list_views, namespace)):
            text = self._read(self._catalog.load_view, Ident(namespace, name), _any_view_text)
            if text is not None:
                yield self._name, ".".join(namespace), name, text

    def _relations(self, namespace: Namespace) -> list[tuple[str, bool]]:
        """Names with True for a view. Some catalogs list views among the tables as well."""
        views = set(self._names(self._catalog.list_views, namespace))
        tables = set(self._names(self._catalog.list_tables, namespace)) - views
        return sorted([(name, False) for name in tables] + [(name, True) for name in views])

    def _names(self, list_names: Callable[[Namespace], list[str]], at: Namespace) -> list[str]:
        self._check()
        names = _or_empty(lambda: list_names(at))
        return [name for name in names if self._wanted.tables.admits(name)]

    def _read(
        self, load: Callable[[Ident], Loaded], ident: Ident, read: Callable[[Json], Any]
    ) -> Any:
        """What ``read`` makes of the metadata, or None where it cannot be had."""
        self._check()
        try:
            return read(load(ident).metadata)
        except SqeError as error:
            if error.code not in _SKIPPED:
                raise
        except (ValueError, KeyError, TypeError, AttributeError):
            pass  # metadata that is not JSON, or not of Iceberg's shape
        return None


def _or_empty(listing: Callable[[], list[_T]]) -> list[_T]:
    try:
        return listing()
    except SqeError as error:
        if error.code not in _SKIPPED:
            raise
    return []


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


def _any_view_text(metadata: Json) -> str | None:
    text = view_text(metadata)
    if text is not None:
        return text
    for representation in current_view_version(metadata)["representations"]:
        return str(representation["sql"])
    return None
