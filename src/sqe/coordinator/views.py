"""CREATE VIEW and CREATE TEMPORARY VIEW: Spark only analyses the query, SQE keeps its text."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqe import __version__
from sqe.access.ownership import is_definer
from sqe.binding.bound import BoundAbsent, BoundStatement, BoundTable, BoundView
from sqe.catalog.commit.view_updates import version_updates
from sqe.catalog.iceberg_types import iceberg_schema
from sqe.catalog.protocol import Catalogs, Ident
from sqe.catalog.views import (
    COLUMN_TYPES,
    DEFINER,
    DROP_DIALECT,
    QUERY_COLUMNS,
    SCHEMA_MODE,
    SECURITY,
    TRINO_PREFIX,
    TRINO_QUERY,
    TYPE_EVOLUTION,
    view_change,
)
from sqe.engines.protocol import Engine, Run
from sqe.errors import ErrorCode, InternalError, UserError
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
from sqe.sessions.session import TemporaryView
from sqe.sql.views import ViewDefinition

_KEPT = frozenset({"owner", "location", "created-at"})  # the catalog's, whatever the definition


def create_temporary_view(guarded: GuardedStatement, run: Run, spark: Engine) -> ResultStream:
    definition = _definition(guarded)
    name = definition.parts[0]
    inner = inner_statement(guarded)
    existing = run.session.temporary_view(name)
    if existing is not None and not definition.replace:
        if definition.if_not_exists:
            return _empty_result()
        run.session.keep_view(existing, replace=False)  # raises: it exists
    if name.lower() in _temporary_names(inner.bound):
        raise UserError(ErrorCode.NOT_SUPPORTED, f"Temporary view {name} cannot be made of itself.")
    columns = spark.prepare(inner, run.session).describe(run).columns
    view = TemporaryView(
        name=name,
        text=definition.query_text,
        columns=_columns(definition, columns),
        schema=run.session.schema,
        query_columns=tuple(column.name for column in columns),
    )
    run.session.keep_view(view, replace=definition.replace)
    return _empty_result()


def create_view(
    guarded: GuardedStatement, run: Run, spark: Engine, catalogs: Catalogs
) -> ResultStream:
    definition = _definition(guarded)
    target = guarded.bound.references[0].target
    if isinstance(target, BoundTable):
        if definition.alter:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"{target.name} is a table.", hint="Use ALTER TABLE."
            )
        raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, f"{target.name} is a table.")
    if isinstance(target, BoundView) and definition.if_not_exists:
        return _empty_result()
    inner = inner_statement(guarded)
    temporary = sorted(_temporary_names(inner.bound))
    if temporary:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"A view cannot be made of temporary view {temporary[0]}, which ends with the session.",
        )
    name = target.name if isinstance(target, BoundAbsent) else _relation(target)
    described_columns = spark.prepare(inner, run.session).describe(run).columns
    columns = _columns(definition, described_columns)
    catalog = catalogs.open(name.catalog, run.session.identity)
    ident = Ident(name.schema.path, name.name)
    version = _version(definition, run.session.schema)
    properties = _properties(definition, described_columns)
    if _evolves(definition, target):
        properties[SCHEMA_MODE] = TYPE_EVOLUTION
    else:
        properties[COLUMN_TYPES] = json.dumps([column.type for column in described_columns])
    if is_definer(definition, target, run.session.identity.user):
        properties[SECURITY] = DEFINER  # the store is told when it is there; see ``Ownership``
    if isinstance(target, BoundAbsent):
        catalog.create_view(
            ident.namespace,
            {
                "name": ident.name,
                "schema": iceberg_schema(columns),
                "view-version": version,
                "properties": properties,
            },
        )
    else:
        metadata = catalog.load_view(ident).metadata
        if _forgets_trino(metadata, definition):
            properties[DROP_DIALECT] = "true"
        updates: list[dict[str, Any]] = [
            *version_updates(metadata, iceberg_schema(columns), version),
            {"action": "set-properties", "updates": properties},
        ]
        gone = _properties_to_unset(metadata, properties, definition.alter)
        if gone:
            updates.append({"action": "remove-properties", "removals": gone})
        catalog.replace_view(ident, view_change(ident, metadata, updates))
    return _empty_result()


def _evolves(definition: ViewDefinition, target: Any) -> bool:
    """Whether the view has its query's types, whatever they become. ALTER keeps what was said."""
    had = target.metadata.get("properties") or {} if isinstance(target, BoundView) else {}
    return definition.evolves or (definition.alter and SCHEMA_MODE in had)


def _properties_to_unset(
    metadata: dict[str, Any], properties: dict[str, str], alter: bool
) -> list[str]:
    """What the view that is replaced had and the new one does not say: gone with the old. ALTER
    keeps all but what was said about the old query: in Trino's dialect, and by its owner."""
    gone = (metadata.get("properties") or {}).keys() - properties.keys() - _KEPT
    return sorted(n for n in gone if not alter or n.startswith(TRINO_PREFIX) or n == SECURITY)


def _forgets_trino(metadata: dict[str, Any], definition: ViewDefinition) -> bool:
    """A view made in Trino's SQL here gets another query in Spark's: the old text goes. Texts of
    other engines are theirs to keep, and the catalog refuses to lose them."""
    kept = (metadata.get("properties") or {}).keys()
    ours = any(name.startswith(TRINO_PREFIX) for name in kept)
    return ours and "trino" not in _texts(definition)


def _definition(guarded: GuardedStatement) -> ViewDefinition:
    command = guarded.bound.statement.command
    if not isinstance(command, ViewDefinition):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "CREATE VIEW without a definition.")
    return command


def _relation(target: Any) -> RelationName:
    if isinstance(target, BoundView) and target.relation is not None:
        return target.relation
    raise InternalError(ErrorCode.INTERNAL_ERROR, "CREATE VIEW without a target.")


def _temporary_names(bound: BoundStatement) -> set[str]:
    return {
        reference.target.name.lower()
        for reference in bound.walk()
        if isinstance(reference.target, BoundView) and reference.relation is None
    }


def _columns(definition: ViewDefinition, query_columns: Sequence[Column]) -> tuple[Column, ...]:
    """The view's columns: the names it lists, or the query's own. They must tell columns apart."""
    columns = tuple(query_columns)
    if definition.columns:
        if len(definition.columns) != len(query_columns):
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"The view lists {len(definition.columns)} columns and its query gives "
                f"{len(query_columns)}.",
            )
        columns = tuple(
            replace(column, name=name, comment=comment or column.comment)
            for column, (name, comment) in zip(query_columns, definition.columns, strict=True)
        )
    seen: set[str] = set()
    for column in columns:
        if column.name.lower() in seen:
            raise UserError(
                ErrorCode.AMBIGUOUS_NAME,
                f"The view would have two columns named {column.name}.",
                hint="Give them different aliases.",
            )
        seen.add(column.name.lower())
    return columns


def _version(definition: ViewDefinition, schema: SchemaName) -> dict[str, Any]:
    return {
        "version-id": 1,
        "timestamp-ms": int(time.time() * 1000),
        "schema-id": 0,
        "summary": {"engine-name": "sqe", "engine-version": __version__},
        "default-catalog": schema.catalog,
        "default-namespace": list(schema.path),
        "representations": [
            {"type": "sql", "sql": text, "dialect": dialect}
            for dialect, text in _texts(definition).items()
        ],
    }


def _texts(definition: ViewDefinition) -> dict[str, str]:
    """The query by dialect. SQE reads Spark's; who wrote it in Trino's gets that back."""
    texts = {"spark": definition.query_text.strip()}
    written = dict(definition.properties).get(TRINO_QUERY)
    if written is not None:
        texts["trino"] = written
    return texts


def _properties(definition: ViewDefinition, query_columns: Sequence[Column]) -> dict[str, str]:
    properties = {name: value for name, value in definition.properties if name != TRINO_QUERY}
    if definition.comment:
        properties["comment"] = definition.comment
    names = [column.name for column in query_columns]
    if not any("," in name for name in names):
        properties[QUERY_COLUMNS] = ",".join(names)
    return properties


def _empty_result() -> ResultStream:
    return result_of_rows((), [])
