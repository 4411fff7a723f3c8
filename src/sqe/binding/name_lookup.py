"""Finds what a name means in a catalog: spelled as it is written, or differing in case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqe.binding.resolve import Candidate
from sqe.binding.statement_cache import CatalogReader
from sqe.catalog.protocol import Ident, Loaded, Namespace
from sqe.errors import ABSENT, ErrorCode, SqeError, UserError
from sqe.model.names import RelationName, SchemaName

_T = TypeVar("_T")
# A schema that this user may not look into is as good as none.
_HIDDEN = (ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.ACCESS_DENIED)


@dataclass(frozen=True)
class Match:
    name: RelationName
    ident: Ident
    loaded: Loaded
    is_view: bool


def look_up(catalog: CatalogReader, reading: Candidate) -> Match | None:
    """The table or view, spelled exactly as written or differing only in case."""
    target = _load(catalog, RelationName(reading.schema, reading.name))
    if target is not None:
        return target
    schema = look_up_schema(catalog, reading.schema)
    if schema is None:
        return None
    wanted = reading.name.lower()
    matches = [name for name in relations(catalog, schema) if name.lower() == wanted]
    if len(matches) > 1:
        raise UserError(
            ErrorCode.AMBIGUOUS_NAME,
            f"{RelationName(schema, reading.name)} fits {', '.join(sorted(matches))}.",
            hint="Write the name exactly as it was created.",
        )
    return _load(catalog, RelationName(schema, matches[0])) if matches else None


def _load(catalog: CatalogReader, name: RelationName) -> Match | None:
    ident = Ident(name.schema.path, name.name)
    for load, is_view in ((catalog.load_table, False), (catalog.load_view, True)):
        try:
            return Match(name, ident, load(ident), is_view)
        except SqeError as error:
            if error.code not in ABSENT:
                raise
    return None


def relations(catalog: CatalogReader, schema: SchemaName) -> list[str]:
    tables = list_or_hide(catalog.list_tables, schema.path)
    return [*tables, *list_or_hide(catalog.list_views, schema.path)]


def list_or_hide(list_them: Callable[[Namespace], list[_T]], at: Namespace) -> list[_T]:
    """An empty list where this user may not list them: nothing may hint at what is there."""
    try:
        return list_them(at)
    except SqeError as error:
        if error.code not in _HIDDEN:
            raise
    return []


def look_up_schema(
    catalog: CatalogReader, schema: SchemaName, *, creates: bool = False
) -> SchemaName | None:
    """The schema as the catalog spells it, or None. ``creates``: for a statement that creates
    something in it. A user may be allowed to do that without seeing the schema; the catalog
    decides then."""
    try:
        catalog.load_namespace(schema.path)
        return schema
    except SqeError as error:
        if error.code not in _HIDDEN:
            raise
        if creates and error.code is ErrorCode.ACCESS_DENIED:
            return schema
    path: tuple[str, ...] = ()
    for part in schema.path:
        children = list_or_hide(catalog.list_namespaces, path)
        matches = [child for child in children if child[-1].lower() == part.lower()]
        if len(matches) != 1:
            return None
        path = matches[0]
    return SchemaName(schema.catalog, path)
