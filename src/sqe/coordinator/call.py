"""One command being answered: who asks, about what, and how names resolve for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar

from sqe.access.functions import FunctionDisclosure
from sqe.binding.bound import BoundReference, BoundTarget, BoundView
from sqe.catalog import information_schema
from sqe.catalog.catalog_type import CatalogFacts
from sqe.catalog.protocol import Catalog, Catalogs, Json, Loaded
from sqe.catalog.redaction import Redaction, redact_metadata, show_all
from sqe.coordinator.access_tools import AccessTools
from sqe.engines.protocol import Run
from sqe.errors import AccessError, ErrorCode, InternalError, SqeError, UserError
from sqe.model.decision import Restrict
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session
from sqe.sql.commands import Name
from sqe.sql.statement import Command, Span, position_at

Row = Sequence[Any]
_C = TypeVar("_C", bound=Command)


@dataclass(frozen=True)
class Answer:
    """How one kind of command is answered. The columns are known before anything is done."""

    columns: Callable[[Any], tuple[Column, ...]]
    rows: Callable[[Any, CommandCall], Iterable[Row]]


def answer(columns: Sequence[Column], rows: Callable[[_C, CommandCall], Iterable[Row]]) -> Answer:
    fixed = tuple(columns)
    return Answer(lambda command: fixed, rows)


def strings(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "string") for name in names)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint, or nothing."""
    by_folded = {candidate.lower(): candidate for candidate in sorted(known)}
    near = get_close_matches(name.lower(), list(by_folded), n=1)
    return f"Did you mean {by_folded[near[0]]}?" if near else ""


# Ends a query for a user who may do so, with a message for its reader: what has become of it.
KillQueries = Callable[[Identity, str, str], str]


def no_queries(identity: Identity, query_id: str, message: str) -> str:
    raise UserError(ErrorCode.QUERY_NOT_FOUND, f"Target query not found: {query_id}")


class CatalogChanges(Protocol):
    """Catalogs that are attached with SQL, by those who administer SQE: ACCESS_DENIED for others.
    CATALOG_NOT_FOUND and CATALOG_ALREADY_EXISTS; NOT_SUPPORTED for those of the settings."""

    def create(
        self,
        identity: Identity,
        name: str,
        kind: str,
        properties: Mapping[str, str],
        *,
        if_not_exists: bool,
    ) -> None: ...
    def alter(self, identity: Identity, name: str, properties: Mapping[str, str]) -> None: ...
    def drop(self, identity: Identity, name: str, *, if_exists: bool) -> None: ...
    def show(self, identity: Identity, name: str) -> tuple[str, Mapping[str, str]]:
        """Its kind and its properties, secrets as references."""
        ...


@dataclass(frozen=True)
class ServerTools:
    """What statements about the server itself are answered with."""

    kill_query: KillQueries = no_queries
    catalog_facts: Mapping[str, CatalogFacts] = field(default_factory=dict)
    functions: FunctionDisclosure | None = None
    attached_catalogs: CatalogChanges | None = None

    @property
    def catalog_changes(self) -> CatalogChanges:
        if self.attached_catalogs is None:
            raise UserError(ErrorCode.NOT_SUPPORTED, "Catalogs cannot be attached here.")
        return self.attached_catalogs


@dataclass(frozen=True)
class CommandCall:
    """The catalogs are opened as the user, and show what the user may know of. ``whole``: all that
    is in them, which must not be told. ``redaction``: what the user sees of a table beside the one
    that the command names."""

    catalogs: Catalogs
    statement: GuardedStatement
    run: Run
    whole: Catalogs
    redaction: Redaction = show_all
    access_tools: AccessTools | None = None
    server: ServerTools = ServerTools()

    @property
    def access(self) -> AccessTools:
        """What statements about access are answered with."""
        if self.access_tools is None:
            raise InternalError(ErrorCode.INTERNAL_ERROR, "The coordinator knows of no policies.")
        return self.access_tools

    @property
    def functions(self) -> FunctionDisclosure:
        """Functions that people have written."""
        if self.server.functions is None:
            raise InternalError(ErrorCode.INTERNAL_ERROR, "The coordinator keeps no functions.")
        return self.server.functions

    @property
    def session(self) -> Session:
        return self.run.session

    @property
    def reference(self) -> BoundReference:
        """Of a command that names one relation."""
        [only] = self.statement.bound.references
        return only

    @property
    def target(self) -> BoundTarget:
        return self.reference.target

    @property
    def restriction(self) -> Restrict | None:
        return self.statement.restriction(self.reference)

    def visible(self, columns: Iterable[Column]) -> tuple[Column, ...]:
        """Without the columns that do not exist for this user; of masked ones only the type."""
        if self.restriction is None:
            return tuple(columns)
        hidden = {name.lower() for name in self.restriction.hidden}
        masked = {name.lower() for name in self.restriction.masks}
        return tuple(
            replace(column, comment="") if column.name.lower() in masked else column
            for column in columns
            if column.name.lower() not in hidden
        )

    def redact(self, reference: BoundReference, metadata: Json) -> Json:
        """What this user sees of the relation's metadata."""
        restriction = self.statement.restriction(reference)
        return metadata if restriction is None else redact_metadata(metadata, restriction)

    def view_metadata(self, view: BoundView) -> Json:
        """The same of a view. ACCESS_DENIED for those who may not read what it is made of."""
        if view.relation is None:
            return {}
        loaded = Loaded(json.dumps(view.metadata).encode())
        redacted = self.redaction(self.session.identity, view.relation, loaded, True)
        if redacted is None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"In view {view.relation}: It reads what you may not see.",
            )
        return redacted

    def error(
        self, code: ErrorCode, message: str, at: Span | None = None, hint: str = ""
    ) -> UserError:
        """``at`` is the place of the name that is wrong, if the text has it."""
        text = self.statement.bound.statement.text
        place = position_at(text, at.start, at.of(text)) if at else None
        return UserError(code, message, hint=hint, position=place)

    def catalog_named(self, name: str) -> str | None:
        """The catalog's own spelling of its name; case does not matter."""
        return next(
            (catalog for catalog in self.catalog_names if catalog.lower() == name.lower()), None
        )

    @property
    def catalog_names(self) -> list[str]:
        return self.catalogs.names(self.session.identity)

    def open(self, catalog: str, at: Span | None = None) -> Catalog:
        if catalog not in self.catalogs.names():
            message = f"There is no catalog {catalog}."
            hint = nearest(catalog, self.catalog_names) or "SHOW CATALOGS lists them."
            raise self.error(ErrorCode.CATALOG_NOT_FOUND, message, at, hint)
        return self.catalogs.open(catalog, self.session.identity)

    def schema(self, name: Name | None) -> SchemaName:
        """One part is a schema of the current catalog; of several, the first may be a catalog."""
        if name is None:
            return self.session.schema
        catalog = self.catalog_named(name.parts[0]) if len(name.parts) > 1 else None
        if catalog is not None:
            return SchemaName(catalog, name.parts[1:])
        return SchemaName(self.session.schema.catalog, name.parts)

    def find_schema(self, schema: SchemaName) -> SchemaName | None:
        """The schema as the catalog spells it, or None. Case does not matter, as in Spark."""
        if is_information_schema(schema):
            return SchemaName(schema.catalog, (information_schema.SCHEMA,))
        catalog = self.open(schema.catalog)
        try:
            catalog.load_namespace(schema.path)
            return schema
        except SqeError as error:
            if error.code is ErrorCode.ACCESS_DENIED:
                return schema  # it may still be listed; what is done with it will tell
            if error.code is not ErrorCode.SCHEMA_NOT_FOUND:
                raise
        path: tuple[str, ...] = ()
        for part in schema.path:
            children = self._children(schema.catalog, path)
            matches = [child for child in children if child[-1].lower() == part.lower()]
            if len(matches) != 1:
                return None
            path = matches[0]
        return SchemaName(schema.catalog, path)

    def require_schema(self, name: Name | None) -> SchemaName:
        """The schema a command names, which must be there. () is a catalog without a schema."""
        schema = self.schema(name)
        if not schema.path:
            return schema
        existing = self.find_schema(schema)
        if existing is None:
            raise self.no_schema(schema, name.span if name else None)
        return existing

    def no_schema(self, schema: SchemaName, at: Span | None) -> UserError:
        known = [".".join(path) for path in self._children(schema.catalog, schema.path[:-1])]
        hint = nearest(".".join(schema.path), known)
        if not hint and len(schema.path) == 1 and self.catalog_named(schema.path[0]):
            hint = f"{schema.path[0]} is a catalog; name a schema in it."
        return self.error(ErrorCode.SCHEMA_NOT_FOUND, f"There is no schema {schema}.", at, hint)

    def _children(self, catalog: str, parent: tuple[str, ...]) -> list[tuple[str, ...]]:
        """For a hint only, so whatever prevents it is not the user's concern."""
        try:
            return self.open(catalog).list_namespaces(parent)
        except SqeError:
            return []


def is_information_schema(schema: SchemaName) -> bool:
    return len(schema.path) == 1 and schema.path[0].lower() == information_schema.SCHEMA
