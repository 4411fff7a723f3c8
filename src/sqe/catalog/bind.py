"""Binds a statement: every relation it names is found, as the user, or the query is refused."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sqe.catalog.bound import (
    BoundAbsent,
    BoundMetadata,
    BoundReference,
    BoundStatement,
    BoundTable,
    BoundTarget,
    BoundView,
)
from sqe.catalog.columns import check_columns
from sqe.catalog.information_schema import RELATIONS
from sqe.catalog.information_schema import SCHEMA as INFORMATION_SCHEMA
from sqe.catalog.materialized import is_materialized, read_definition, refuse_change
from sqe.catalog.one_view import Looks, look_into
from sqe.catalog.protocol import Catalogs, Ident, Loaded, Namespace
from sqe.catalog.resolve import Candidate, candidates
from sqe.catalog.schemas import columns_of
from sqe.catalog.views import StoredView, read_view
from sqe.errors import ABSENT, ErrorCode, SqeError, UserError, error_of
from sqe.model.names import RelationName, SchemaName
from sqe.sessions.session import Session
from sqe.sql.alter import RenameTable
from sqe.sql.comments import CommentOn
from sqe.sql.markers import without_markers
from sqe.sql.materialized import RefreshMaterializedView
from sqe.sql.parse import parse
from sqe.sql.statement import Access, Reference, Statement, StatementKind, position_at
from sqe.sql.text import TextLimits
from sqe.sql.trino.metadata.relations import RESERVED, SYSTEM, carriers
from sqe.sql.trino.metadata.relations import columns_of as trino_columns
from sqe.sql.views import AlterViewProperties, ViewDefinition

_T = TypeVar("_T")
# A schema that this user may not look into is as good as none.
_HIDDEN = (ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.ACCESS_DENIED)
# What Spark takes for a data source in front of a path.
_FILE_FORMATS = frozenset(
    {"avro", "binaryfile", "csv", "delta", "hive", "iceberg", "jdbc", "json", "orc", "parquet"}
    | {"text", "xml"}
)

_CREATES_TABLES = (StatementKind.CREATE_TABLE, StatementKind.CREATE_TABLE_AS)
_CHANGES_VIEWS = (CommentOn, RenameTable, ViewDefinition, AlterViewProperties)


@dataclass(frozen=True)
class _Context:
    """Where unqualified names look, and which views are being opened right now."""

    schema: SchemaName
    temporary_views: bool = True
    open_views: tuple[str, ...] = ()


class Binder:
    """Looks names up in the catalogs, as the session's user."""

    def __init__(self, catalogs: Catalogs, limits: TextLimits, view_depth: int = 50) -> None:
        self.catalogs = catalogs
        self._limits = limits
        self._view_depth = view_depth

    def bind(self, statement: Statement, session: Session) -> BoundStatement:
        return self._bind(statement, session, _Context(session.schema))

    def _bind(self, statement: Statement, session: Session, context: _Context) -> BoundStatement:
        bound = tuple(
            BoundReference(reference, self._resolve(statement, reference, session, context))
            for reference in statement.references
        )
        result = BoundStatement(statement, bound, self._inner(statement, bound, session, context))
        check_columns(result)
        return result

    def _inner(
        self,
        statement: Statement,
        bound: tuple[BoundReference, ...],
        session: Session,
        context: _Context,
    ) -> BoundStatement | None:
        """The statement inside. To refresh a materialized view is to run the query it keeps."""
        if statement.inner is not None:
            return self._bind(statement.inner, session, context)
        if not isinstance(statement.command, RefreshMaterializedView):
            return None
        view = bound[0].target
        loaded = view.loaded if isinstance(view, BoundTable) else None
        if loaded is None or not is_materialized(loaded.metadata):
            return None  # it is refused for what it is
        definition = read_definition(loaded.metadata)
        try:
            query = without_markers(parse(definition.text, self._limits))
            return self._bind(query, session, _Context(definition.schema, temporary_views=False))
        except SqeError as error:
            # Places in the view's text would mislead: the user sees their own text only.
            message = f"In materialized view {bound[0].reference.parts[-1]}: {error.message}"
            raise error_of(error.code, message, hint=error.hint) from error

    def _resolve(
        self, statement: Statement, reference: Reference, session: Session, context: _Context
    ) -> BoundTarget:
        if len(reference.parts) == 1 and reference.access in (
            Access.READ,
            Access.DESCRIBE,
            Access.DROP,
        ):
            view = session.temporary_view(reference.parts[0])
            if view is not None and context.temporary_views:
                stored = StoredView(
                    view.name,
                    view.text,
                    view.columns,
                    view.schema,
                    query_columns=view.query_columns,
                )
                return self._open_view(statement, reference, stored, session, context)
        names = self.catalogs.names()
        if reference.parts[0] == RESERVED:
            return _trino_metadata(statement, reference, names)
        readings = list(candidates(reference.parts, context.schema, names))
        for reading in readings:
            target = self._find(statement, reference, reading, session, context)
            if target is not None:
                return target
        if not readings:
            raise _not_found(statement, reference, ".".join(reference.parts), [])
        return self._absent(statement, reference, readings[0], session)

    def _find(
        self,
        statement: Statement,
        reference: Reference,
        reading: Candidate,
        session: Session,
        context: _Context,
    ) -> BoundTarget | None:
        if reading.schema.path == (INFORMATION_SCHEMA,) and not reading.suffix:
            return _metadata(reference, reading)
        catalog = look_into(self.catalogs, reading.schema.catalog, session.identity)
        found = _look_up(catalog, reading)
        if found is None:
            return None
        where = position_at(statement.text, reference.span.start)
        name = RelationName(
            SchemaName(reading.schema.catalog, found.ident.namespace), found.ident.name
        )
        if reference.access is Access.CREATE and not reference.if_exists:
            raise UserError(
                ErrorCode.TABLE_ALREADY_EXISTS,
                f"{name} already exists.",
                hint="Use IF NOT EXISTS or OR REPLACE.",
                position=where,
            )
        if not found.is_view:
            try:
                columns = columns_of(found.loaded.metadata)
            except SqeError as error:
                message = f"{name}: {error.message}"
                raise error_of(error.code, message, hint=error.hint, position=where) from error
            if is_materialized(found.loaded.metadata):
                refuse_change(statement, reference, name)
            return BoundTable(name, found.ident, found.loaded, columns, reading.suffix)
        if reading.suffix:
            return None
        _refuse_views(statement, reference, name)
        reads = reference.access is Access.READ
        stored = read_view(name, found.loaded, reads=reads)
        view = self._open_view(statement, reference, stored, session, context)
        return replace(view, metadata=found.loaded.metadata)

    def _open_view(
        self,
        statement: Statement,
        reference: Reference,
        view: StoredView,
        session: Session,
        context: _Context,
    ) -> BoundView:
        key = str(view.relation or view.name).lower()
        where = position_at(statement.text, reference.span.start)
        if key in context.open_views or len(context.open_views) >= self._view_depth:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"View {view.relation or view.name} refers to itself, or views are nested deeper "
                f"than {self._view_depth}.",
                position=where,
            )
        if reference.temporal is not None:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"{view.relation or view.name} is a view; time travel works on tables.",
                position=where,
            )
        if reference.access is not Access.READ:
            # Dropped, replaced or described: what is inside does not matter, and may be broken.
            unopened = BoundStatement(Statement(view.text, StatementKind.QUERY), ())
            return BoundView(view.name, unopened, view.columns, view.relation)
        inside = _Context(
            view.schema or session.schema,
            temporary_views=view.relation is None,
            open_views=(*context.open_views, key),
        )
        try:
            query = without_markers(parse(view.text, self._limits))
            inner = self._bind(query, session, inside)
        except SqeError as error:
            # Places in the view's text would mislead: the user sees their own text only.
            message = f"In view {view.relation or view.name}: {error.message}"
            raise error_of(error.code, message, hint=error.hint, position=where) from error
        return BoundView(
            view.name, inner, view.columns, view.relation, view.query_columns, view.types
        )

    def _absent(
        self, statement: Statement, reference: Reference, reading: Candidate, session: Session
    ) -> BoundAbsent:
        catalog = look_into(self.catalogs, reading.schema.catalog, session.identity)
        name = RelationName(reading.schema, reading.name)
        if reference.access is Access.CREATE:
            schema = _existing_schema(catalog, reading.schema, creates=True)
            if schema is None:
                raise UserError(
                    ErrorCode.SCHEMA_NOT_FOUND,
                    f"Schema {reading.schema} does not exist.",
                    hint=f"CREATE SCHEMA {reading.schema} first.",
                    position=position_at(statement.text, reference.span.start),
                )
            return BoundAbsent(RelationName(schema, reading.name))
        if reference.if_exists:
            return BoundAbsent(name)
        schema = _existing_schema(catalog, reading.schema)
        if schema is None:
            raise self._no_schema(statement, reference, reading, catalog)
        neighbours = _relations(catalog, schema)
        neighbours += [view.name for view in session.temporary_views()]
        raise _not_found(statement, reference, str(name), neighbours)

    def _no_schema(
        self, statement: Statement, reference: Reference, reading: Candidate, catalog: Looks
    ) -> UserError:
        """What comes before the table's name is not there: a catalog or a schema is misspelled."""
        first = reference.parts[0]
        where = position_at(statement.text, reference.span.start, reference.span.of(statement.text))
        if len(reference.parts) == 2 and first.lower() in _FILE_FORMATS:
            return UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Reading files by path ({first}.`…`) is not supported.",
                hint="Load them into a table first.",
                position=where,
            )
        schemas = [path[0] for path in _visible(catalog.list_namespaces, ())]
        catalogs = self.catalogs.names()
        if len(reference.parts) > 2 and first not in (*catalogs, *schemas):
            code, what, near = ErrorCode.CATALOG_NOT_FOUND, f"Catalog {first}", catalogs
        else:
            code, what, near = ErrorCode.SCHEMA_NOT_FOUND, f"Schema {reading.schema}", schemas
            first = reading.schema.path[0]
        close = difflib.get_close_matches(first, near, n=1)
        return UserError(
            code,
            f"{what} does not exist.",
            hint=f"Did you mean {close[0]}?" if close else "",
            position=where,
        )


def _refuse_views(statement: Statement, reference: Reference, name: RelationName) -> None:
    """A view's name where a table must stand."""
    where = position_at(statement.text, reference.span.start)
    if reference.access is Access.CREATE and statement.kind in _CREATES_TABLES:
        raise UserError(
            ErrorCode.TABLE_ALREADY_EXISTS,
            f"{name} is a view.",
            hint="Drop it first, or choose another name.",
            position=where,
        )
    changes = reference.access in (Access.WRITE, Access.ALTER)
    if not changes or isinstance(statement.command, _CHANGES_VIEWS):
        return
    hint = "ALTER VIEW changes its query, its properties or its name."
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{name} is a view; it cannot be written to.",
        hint=hint if reference.access is Access.ALTER else "",
        position=where,
    )


@dataclass(frozen=True)
class _Found:
    ident: Ident
    loaded: Loaded
    is_view: bool


def _look_up(catalog: Looks, reading: Candidate) -> _Found | None:
    """The table or view, spelled exactly as written or differing only in case."""
    found = _load(catalog, Ident(reading.schema.path, reading.name))
    if found is not None:
        return found
    schema = _existing_schema(catalog, reading.schema)
    if schema is None:
        return None
    wanted = reading.name.lower()
    matches = [name for name in _relations(catalog, schema) if name.lower() == wanted]
    if len(matches) > 1:
        raise UserError(
            ErrorCode.AMBIGUOUS_NAME,
            f"{RelationName(schema, reading.name)} fits {', '.join(sorted(matches))}.",
            hint="Write the name exactly as it was created.",
        )
    return _load(catalog, Ident(schema.path, matches[0])) if matches else None


def _load(catalog: Looks, ident: Ident) -> _Found | None:
    for load, is_view in ((catalog.load_table, False), (catalog.load_view, True)):
        try:
            return _Found(ident, load(ident), is_view)
        except SqeError as error:
            if error.code not in ABSENT:
                raise
    return None


def _relations(catalog: Looks, schema: SchemaName) -> list[str]:
    tables = _visible(catalog.list_tables, schema.path)
    return [*tables, *_visible(catalog.list_views, schema.path)]


def _visible(list_them: Callable[[Namespace], list[_T]], at: Namespace) -> list[_T]:
    """None where this user may not list them: it must not seem that there is something."""
    try:
        return list_them(at)
    except SqeError as error:
        if error.code not in _HIDDEN:
            raise
    return []


def _existing_schema(
    catalog: Looks, schema: SchemaName, *, creates: bool = False
) -> SchemaName | None:
    """The schema as the catalog spells it, or None. ``creates``: something in it, which one may be
    allowed to without being allowed to look into it; the catalog will tell."""
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
        children = _visible(catalog.list_namespaces, path)
        matches = [child for child in children if child[-1].lower() == part.lower()]
        if len(matches) != 1:
            return None
        path = matches[0]
    return SchemaName(schema.catalog, path)


def _metadata(reference: Reference, reading: Candidate) -> BoundMetadata | None:
    columns = RELATIONS.get(reading.name.lower())
    if columns is None or reference.access not in (Access.READ, Access.DESCRIBE):
        return None
    return BoundMetadata(reading.schema.catalog, reading.name.lower(), columns)


def _trino_metadata(
    statement: Statement, reference: Reference, catalogs: Sequence[str]
) -> BoundMetadata:
    """One of Trino's own relations, as its translator names them."""
    found = None
    if len(reference.parts) == 4 and reference.access is Access.READ:
        _, catalog, schema, table = reference.parts
        if catalog != SYSTEM and catalog not in (name.lower() for name in catalogs):
            raise UserError(ErrorCode.CATALOG_NOT_FOUND, f"Catalog '{catalog}' not found")
        found = trino_columns(catalog, schema, table)
    if found is None:
        raise _not_found(statement, reference, ".".join(reference.parts[1:]), [])
    return BoundMetadata(catalog, table, carriers(found), schema, trino=True)


def _not_found(
    statement: Statement, reference: Reference, name: str, neighbours: list[str]
) -> UserError:
    """The same words whether the relation is absent or hidden from this user."""
    close = difflib.get_close_matches(
        reference.parts[-1].lower(), [neighbour.lower() for neighbour in neighbours], n=1
    )
    written = next((n for n in neighbours if close and n.lower() == close[0]), "")
    if written == reference.parts[-1]:  # listed, but not this user's to read
        written = ""
    return UserError(
        ErrorCode.TABLE_NOT_FOUND,
        f"Table or view {name} does not exist.",
        hint=f"Did you mean {written}?" if written else "",
        position=position_at(
            statement.text, reference.span.start, reference.span.of(statement.text)
        ),
    )
