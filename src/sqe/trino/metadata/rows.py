"""The rows of each of Trino's own relations."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from sqe.catalog.information_schema import any_view_text
from sqe.catalog.listing import ListingFilter
from sqe.catalog.materialized import is_materialized, read_definition, read_state
from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.results.arrow_types import arrow_schema, batch_of_rows
from sqe.trino.dialect.functions.load import load
from sqe.trino.dialect.functions.registry import all_functions
from sqe.trino.dialect.functions.signatures import show
from sqe.trino.dialect.metadata.iceberg import view_text
from sqe.trino.dialect.metadata.relations import (
    FUNCTIONS_NAME,
    INFORMATION_SCHEMA,
    SYSTEM,
    carriers,
    columns_of,
)
from sqe.trino.metadata.access import (
    AccessRules,
    applicable_role_rows,
    privilege_rows,
    role_rows,
    rows_of_enabled_roles,
)
from sqe.trino.metadata.jdbc import column_row, type_rows
from sqe.trino.metadata.properties import PROPERTIES
from sqe.trino.metadata.runtime import history_rows, node_rows, query_rows, transaction_rows
from sqe.trino.metadata.viewer import CatalogView, Relation, Viewer, catalog_views

Row = tuple[Any, ...]
_NO_TYPE = (None,) * 6  # of JDBC's getTables: remarks, and what only tables of objects have


@dataclass(frozen=True)
class _Question:
    viewer: Viewer
    catalog: str  # whose relation it is
    wanted: ListingFilter
    of_all: bool  # not only of that one catalog

    def views(self) -> Iterator[CatalogView]:
        only = None if self.of_all else self.catalog
        return catalog_views(self.viewer, self.wanted, only)


def trino_rows(
    viewer: Viewer, catalog: str, schema: str, table: str, wanted: ListingFilter
) -> pa.Table:
    """The rows that ``wanted`` admits, and perhaps more. KeyError for a relation that is none."""
    columns = columns_of(catalog, schema, table)
    if columns is None:
        raise KeyError(f"{catalog}.{schema}.{table}")
    own = schema == INFORMATION_SCHEMA or catalog != SYSTEM
    question = _Question(viewer, catalog, wanted, of_all=not own)
    types = arrow_schema(carriers(columns))
    return pa.Table.from_batches([batch_of_rows(types, _READERS[schema, table](question))])


def _schemas(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for schema in view.schemas():
            yield view.name, schema


def _jdbc_schemas(question: _Question) -> Iterator[Row]:
    for catalog, schema in _schemas(question):
        yield schema, catalog


def _tables(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for relation in view.relations():
            yield *relation.path, "VIEW" if relation.is_view else "BASE TABLE", None


def _jdbc_tables(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for relation in view.relations():
            yield *relation.path, "VIEW" if relation.is_view else "TABLE", *_NO_TYPE


def _columns(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for relation, columns in view.map(Relation.columns, view.relations()):
            for position, column in enumerate(columns, start=1):
                nullable = "YES" if column.nullable else "NO"
                behind = (column.name, position, None, nullable, column.type.display)
                yield *relation.path, *behind, column.comment, None, column.comment


def _jdbc_columns(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for relation, columns in view.map(Relation.columns, view.relations()):
            for position, column in enumerate(columns, start=1):
                yield *relation.path, *column_row(column, position)


def _view_texts(question: _Question) -> Iterator[Row]:
    for view in question.views():
        views = (relation for relation in view.list_stored() if relation.is_view)
        for relation, text in view.map(lambda relation: relation.read(_view_text), views):
            if text is not None:
                yield *relation.path, text


def _view_text(metadata: Json) -> str | None:
    """In Trino's dialect where the view has it, or else as it was written."""
    return view_text(metadata) or any_view_text(metadata)


def _iceberg_tables(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for relation in view.list_stored():
            if not relation.is_view:
                yield relation.schema, relation.name


def _roles(
    read: Callable[[AccessRules, Identity], Iterable[Row]], question: _Question
) -> Iterator[Row]:
    rules = question.viewer.rules
    if rules is not None:
        yield from read(rules, question.viewer.identity)
    elif question.catalog != SYSTEM:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "This connector does not support roles",
            subcode="NOT_SUPPORTED",
        )


def _privileges(question: _Question) -> Iterator[Row]:
    rules = question.viewer.rules
    if rules is not None:
        yield from privilege_rows(rules, question.viewer.identity, question.catalog)


def _catalogs(question: _Question) -> Iterator[Row]:
    for name in question.viewer.names:
        yield name, name, "iceberg"
    yield SYSTEM, SYSTEM, SYSTEM


def _jdbc_catalogs(question: _Question) -> Iterator[Row]:
    for name, *_ in _catalogs(question):
        yield (name,)


def _comments(question: _Question) -> Iterator[Row]:
    for view in question.views():
        for relation, comment in view.map(_comment_of, view.relations()):
            yield *relation.path, comment


def _comment_of(relation: Relation) -> str | None:
    return relation.read(_comment) if relation.own is None else None


def _comment(metadata: Json) -> str | None:
    return (metadata.get("properties") or {}).get("comment")


def _list_materialized(question: _Question) -> Iterator[Row]:
    for view in question.views():
        tables = (relation for relation in view.list_stored() if not relation.is_view)
        for relation, row in view.map(lambda relation: relation.read(_storage), tables):
            if row is not None:
                yield *relation.path, *relation.path, *row


def _storage(metadata: Json) -> Row | None:
    """Freshness is not told: to know it, the view's sources have to be looked at."""
    if not is_materialized(metadata):
        return None
    when = datetime.datetime.fromtimestamp(read_state(metadata).refreshed_ms / 1000, datetime.UTC)
    return "UNKNOWN", when, _comment(metadata), read_definition(metadata).text


def _properties(kind: str, question: _Question) -> Iterator[Row]:
    for name in question.viewer.names:
        for prop in PROPERTIES[kind]:
            yield name, *prop


def _functions() -> Iterator[Row]:
    load()
    for function in all_functions():
        if not function.hidden:
            returns, arguments = show(function.signature.returns), str(function.signature)
            yield (
                function.name,
                returns,
                arguments,
                function.kind,
                function.deterministic,
                function.description,
            )


def _no_rows(question: _Question) -> Iterable[Row]:
    return ()


_READERS: Mapping[tuple[str, str], Callable[[_Question], Iterable[Row]]] = {
    (INFORMATION_SCHEMA, "applicable_roles"): partial(_roles, applicable_role_rows),
    (INFORMATION_SCHEMA, "columns"): _columns,
    (INFORMATION_SCHEMA, "enabled_roles"): partial(_roles, rows_of_enabled_roles),
    (INFORMATION_SCHEMA, "roles"): partial(_roles, role_rows),
    (INFORMATION_SCHEMA, "schemata"): _schemas,
    (INFORMATION_SCHEMA, "table_privileges"): _privileges,
    (INFORMATION_SCHEMA, "tables"): _tables,
    (INFORMATION_SCHEMA, "views"): _view_texts,
    (SYSTEM, "iceberg_tables"): _iceberg_tables,
    # JDBC asks for what Trino does not have, and gets no rows.
    **{
        ("jdbc", name): _no_rows
        for name in (
            "attributes", "procedure_columns", "procedures", "pseudo_columns", "super_tables",
            "super_types", "udts",
        )
    },
    ("history", "queries"): lambda question: history_rows(
        question.viewer.runtime, question.viewer.identity, question.wanted.conditions
    ),
    ("jdbc", "catalogs"): _jdbc_catalogs,
    ("jdbc", "columns"): _jdbc_columns,
    ("jdbc", "schemas"): _jdbc_schemas,
    ("jdbc", "table_types"): lambda question: [("TABLE",), ("VIEW",)],
    ("jdbc", "tables"): _jdbc_tables,
    ("jdbc", "types"): lambda question: type_rows(),
    **{("metadata", name): partial(_properties, name) for name in PROPERTIES},
    ("metadata", "catalogs"): _catalogs,
    ("metadata", FUNCTIONS_NAME): lambda question: _functions(),
    ("metadata", "materialized_views"): _list_materialized,
    ("metadata", "table_comments"): _comments,
    ("runtime", "nodes"): lambda question: node_rows(question.viewer.runtime),
    ("runtime", "queries"): lambda question: query_rows(
        question.viewer.runtime, question.viewer.identity, question.wanted.conditions
    ),
    ("runtime", "tasks"): _no_rows,  # the engines have none that could be told
    ("runtime", "transactions"): lambda question: transaction_rows(),
}  # fmt: skip
