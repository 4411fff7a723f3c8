"""SHOW CATALOGS, CATALOGS EXTENDED, SCHEMAS, TABLES, VIEWS, FUNCTIONS."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqe.catalog import information_schema
from sqe.catalog.catalog_type import CatalogFacts
from sqe.coordinator.call import (
    Answer,
    CommandCall,
    Row,
    answer,
    is_information_schema,
    strings,
)
from sqe.coordinator.catalog_states import states_of
from sqe.model.names import SchemaName, quote
from sqe.model.query import Column
from sqe.sql.commands import (
    Name,
    NamePattern,
    ShowCatalogs,
    ShowCatalogsExtended,
    ShowFunctions,
    ShowSchemas,
    ShowTables,
    ShowViews,
)
from sqe.sql.functions import ALLOWED
from sqe.sql.statement import Command


def _match_names(names: Iterable[str], pattern: NamePattern | None) -> list[str]:
    return sorted(name for name in names if pattern is None or pattern.matches(name))


def _join_path(path: Iterable[str]) -> str:
    return ".".join(quote(part) for part in path)


def _catalogs(command: ShowCatalogs, call: CommandCall) -> Iterator[Row]:
    for name in _match_names(call.catalog_names, command.pattern):
        yield (name,)


def _catalogs_extended(command: ShowCatalogsExtended, call: CommandCall) -> Iterator[Row]:
    names = _match_names(call.catalog_names, command.pattern)
    states = states_of(names, call.open)
    for name in names:
        facts = call.server.catalog_facts.get(name, _NO_FACTS)
        yield name, facts.type, facts.address or None, facts.identity, states[name]


def _schemas(command: ShowSchemas, call: CommandCall) -> Iterator[Row]:
    within = _within(command.within, call)
    namespaces = call.open(within.catalog).list_namespaces(within.path)
    for name in _match_names(map(_join_path, namespaces), command.pattern):
        yield (name,)


def _within(name: Name | None, call: CommandCall) -> SchemaName:
    """Here a single part is a catalog first: SHOW SCHEMAS FROM lake."""
    if name is None:
        return SchemaName(call.session.schema.catalog, ())
    if len(name.parts) > 1:
        return call.require_schema(name)
    catalog = call.catalog_named(name.parts[0])
    if catalog is not None:
        return SchemaName(catalog, ())
    schema = call.find_schema(call.schema(name))
    if schema is None:
        call.open(name.parts[0], name.span)  # neither: the error is about a catalog
        raise call.no_schema(call.schema(name), name.span)
    return schema


def _tables(command: ShowTables, call: CommandCall) -> Iterator[Row]:
    schema = call.require_schema(command.schema)
    names: list[str] = []
    if is_information_schema(schema):
        names = list(information_schema.RELATIONS)
    elif schema.path:  # a session may be in a catalog without being in a schema
        names = call.open(schema.catalog).list_tables(schema.path)
    for name in _match_names(names, command.pattern):
        yield _join_path(schema.path), name, False
    yield from _temporary_views(command.pattern, call)


def _views(command: ShowViews, call: CommandCall) -> Iterator[Row]:
    schema = call.require_schema(command.schema)
    names: list[str] = []
    if schema.path and not is_information_schema(schema):
        names = call.open(schema.catalog).list_views(schema.path)
    for name in _match_names(names, command.pattern):
        yield _join_path(schema.path), name, False
    yield from _temporary_views(command.pattern, call)


def _temporary_views(pattern: NamePattern | None, call: CommandCall) -> Iterator[Row]:
    for name in _match_names((view.name for view in call.session.temporary_views()), pattern):
        yield "", name, True


def _functions(command: ShowFunctions, call: CommandCall) -> Iterator[Row]:
    names = set(ALLOWED if command.system else ())
    for name in _match_names(names, command.pattern):
        yield (name,)
    if not command.user or call.server.functions is None:
        return
    schema = call.require_schema(command.schema)
    functions = [
        *call.session.temporary_functions(),
        *call.functions.functions.list_in(schema, call.session.identity),
    ]
    for function in functions:
        if command.pattern is None or command.pattern.matches(function.short_name):
            yield (function.shown_name,)


_NO_FACTS = CatalogFacts("")
_TEMPORARY = Column("isTemporary", "boolean")

LISTINGS: dict[type[Command], Answer] = {
    ShowCatalogs: answer(strings("catalog"), _catalogs),
    ShowCatalogsExtended: answer(
        strings("catalog", "type", "address", "identity", "state"), _catalogs_extended
    ),
    ShowSchemas: answer(strings("namespace"), _schemas),
    ShowTables: answer((*strings("namespace", "tableName"), _TEMPORARY), _tables),
    ShowViews: answer((*strings("namespace", "viewName"), _TEMPORARY), _views),
    ShowFunctions: answer(strings("function"), _functions),
}
