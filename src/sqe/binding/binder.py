"""Binds a statement: every relation it names is found, as the user, or the query is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from sqe.binding.bound import (
    BoundAbsent,
    BoundMetadata,
    BoundReference,
    BoundStatement,
    BoundTable,
    BoundTarget,
    BoundView,
)
from sqe.binding.name_lookup import Match, list_or_hide, look_up, look_up_schema, relations
from sqe.binding.problems import no_schema, not_found, refuse_existing, refuse_views
from sqe.binding.reader_text import text_for_reader
from sqe.binding.resolve import Candidate, candidates
from sqe.binding.statement_cache import read_catalog
from sqe.catalog.information_schema import RELATIONS
from sqe.catalog.information_schema import SCHEMA as INFORMATION_SCHEMA
from sqe.catalog.materialized import is_materialized, read_definition, refuse_change
from sqe.catalog.protocol import Catalogs, Json, Loaded
from sqe.catalog.schemas import columns_of
from sqe.catalog.views import DEFINER, SECURITY, StoredView, digest_of, read_view
from sqe.errors import ErrorCode, SqeError, TextPosition, UserError, error_of
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.sessions.session import Session
from sqe.sql.markers import without_markers
from sqe.sql.materialized import RefreshMaterializedView
from sqe.sql.parse import parse
from sqe.sql.settings import TIME_ZONE
from sqe.sql.statement import Access, Reference, Statement, StatementKind, position_at
from sqe.sql.text import TextLimits
from sqe.store.owners import Owners

# Whether a user may know of a table or view.
Sees = Callable[[Identity, RelationName], bool]


@dataclass(frozen=True)
class _Context:
    """Where unqualified names are looked up, and which views are being opened. ``inside`` and
    ``where``: the prefix of errors in a view's text, and the place that such errors are reported
    for."""

    schema: SchemaName
    temporary_views: bool = True
    open_views: tuple[str, ...] = ()
    as_user: str = ""  # in whose name it is read; see ``BoundReference``
    values: Mapping[str, str] = field(default_factory=dict)  # see ``QueryRequest.session_values``
    inside: str = ""
    where: TextPosition | None = None

    def error_in_context(self, error: SqeError) -> SqeError:
        """A place in a view's text would mislead: users see only their own text."""
        if not self.inside:
            return error
        return error_of(
            error.code, self.inside + error.message, hint=error.hint, position=self.where
        )


def _sees_all(identity: Identity, name: RelationName) -> bool:
    return True


@dataclass(frozen=True)
class Hiding:
    """Present where users may not know of everything. ``whole``: the catalogs without any cuts, for
    views that are read with their owner's rights."""

    sees: Sees = _sees_all
    whole: Catalogs | None = None


class ReservedRelations(Protocol):
    """Relations that are no tables, below a first part of a name that is reserved for them.
    ``exclusive``: nothing else can be below it."""

    exclusive: bool

    def find(self, parts: Sequence[str], catalogs: Sequence[str]) -> BoundMetadata | None:
        """None: there is none of that name. ``catalogs`` are those that the user may know of."""
        ...


class Binder:
    """Looks names up in the catalogs, as the session's user. ``owners`` know which views are read
    with their owner's rights; without them none is. What is wrong with a name is not raised here
    but kept with it, in ``BoundAbsent``."""

    def __init__(  # noqa: PLR0913  made in one place
        self,
        catalogs: Catalogs,
        limits: TextLimits,
        view_depth: int = 50,
        owners: Owners | None = None,
        hiding: Hiding = Hiding(),  # noqa: B008  frozen
        reserved: Mapping[str, ReservedRelations] = MappingProxyType({}),
    ) -> None:
        self.catalogs = catalogs
        self.whole = hiding.whole or catalogs
        self._hiding = hiding
        self._sees = hiding.sees
        self.limits = limits
        self._view_depth = view_depth
        self._owners = owners
        self._reserved = reserved

    def without_owners(self) -> Binder:
        """One for which no view is read with its owner's rights."""
        return Binder(
            self.catalogs, self.limits, self._view_depth, None, self._hiding, self._reserved
        )

    def _find_reserved(
        self, statement: Statement, reference: Reference, catalogs: Sequence[str]
    ) -> BoundMetadata | None:
        """A relation that is no table, below a reserved first part of a name."""
        first, *rest = reference.parts
        reserved = self._reserved.get(first.lower())
        if reserved is None or not rest:
            return None
        if reference.access in (Access.READ, Access.DESCRIBE):
            relation = reserved.find(rest, catalogs)
            if relation is not None:
                return relation
        if not reserved.exclusive:
            return None
        raise not_found(statement, reference, ".".join(rest), [])

    def bind(
        self, statement: Statement, session: Session, values: Mapping[str, str] | None = None
    ) -> BoundStatement:
        """``values``: see ``QueryRequest.session_values``."""
        return self._bind(statement, session, _Context(session.schema, values=values or {}))

    def find(
        self, statement: Statement, reference: Reference, session: Session, schema: SchemaName
    ) -> BoundTarget:
        """What a name in a policy's own text means: nothing that the user's session has a say in,
        and not only what the policy lets this user know of. The catalogs are asked as the user."""
        context = _Context(schema, temporary_views=False, as_user=session.identity.user)
        bound = self._resolve(statement, reference, session, context)
        if isinstance(bound, BoundAbsent) and bound.problem is not None:
            raise bound.problem
        return bound

    def _bind(self, statement: Statement, session: Session, context: _Context) -> BoundStatement:
        bound = tuple(
            BoundReference(
                reference,
                self._resolve(statement, reference, session, context),
                context.as_user,
            )
            for reference in statement.references
        )
        return BoundStatement(statement, bound, self._inner(statement, bound, session, context))

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
        name = bound[0].reference.parts[-1]
        inside = _Context(SchemaName("", ()), False, values=context.values)
        return self._bind_definition(name, loaded, session, inside)

    def bind_kept_query(self, view: BoundTable, session: Session, as_user: str) -> BoundStatement:
        """What a materialized view keeps the rows of, as ``as_user`` (empty: the user) reads it."""
        inside = _Context(SchemaName("", ()), False, as_user=as_user)
        return self._bind_definition(view.name.name, view.loaded, session, inside)

    def _bind_definition(
        self, name: str, loaded: Loaded | None, session: Session, context: _Context
    ) -> BoundStatement:
        definition = read_definition(loaded.metadata if loaded is not None else {})
        about = f"In materialized view {name}: "
        inside = replace(context, schema=definition.schema, inside=about)
        try:
            query = without_markers(parse(definition.text, self.limits))
        except SqeError as error:
            raise inside.error_in_context(error) from error
        return self._bind(query, session, inside)

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
        known = self.whole if context.as_user else self.catalogs
        names = known.names(session.identity)
        reserved = self._find_reserved(statement, reference, names)
        if reserved is not None:
            return reserved
        readings = list(candidates(reference.parts, context.schema, names))
        if not readings:
            raise context.error_in_context(
                not_found(statement, reference, ".".join(reference.parts), [])
            )
        suffixed = next((candidate for candidate in readings if candidate.suffix), None)
        for number, reading in enumerate(readings):
            name = RelationName(reading.schema, reading.name)
            try:
                target = self._find(statement, reference, reading, session, context)
            except SqeError as error:
                return BoundAbsent(name, context.error_in_context(error))
            # Which of several readings is meant must not tell that there is a hidden table.
            certain = number == 0 and suffixed is None
            if target is not None and (certain or self._shows(target, session, context)):
                return target
        try:
            absent = self._absent(statement, reference, readings[0], session)
        except SqeError as error:
            # Of ``hr.emp.files`` the table is decided on, whether it is there or not.
            about = readings[0] if reference.access is Access.CREATE else suffixed or readings[0]
            absent = BoundAbsent(
                RelationName(about.schema, about.name), context.error_in_context(error)
            )
        return absent

    def _shows(self, target: BoundTarget, session: Session, context: _Context) -> bool:
        name = target.relation if isinstance(target, BoundView) else None
        if isinstance(target, BoundTable | BoundAbsent):
            name = target.name
        return name is None or bool(context.as_user) or self._sees(session.identity, name)

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
        known = self.whole if context.as_user else self.catalogs
        catalog = read_catalog(known, reading.schema.catalog, session.identity)
        target = look_up(catalog, reading)
        if target is None or (target.is_view and reading.suffix):
            return None
        try:
            refuse_existing(statement, reference, target.name)
            if target.is_view:
                return self._view(statement, reference, target, session, context)
            return _table(statement, reference, target, reading.suffix)
        except SqeError as error:
            return BoundAbsent(target.name, context.error_in_context(error))

    def _view(
        self,
        statement: Statement,
        reference: Reference,
        match: Match,
        session: Session,
        context: _Context,
    ) -> BoundView:
        name = match.name
        refuse_views(statement, reference, name)
        reads = reference.access is Access.READ
        metadata = match.loaded.metadata
        stored = read_view(name, match.loaded, reads=reads)
        stored = replace(stored, definer=self._definer(name, stored, metadata))
        view = self._open_view(statement, reference, stored, session, context)
        return replace(view, metadata=metadata, definer=stored.definer)

    def owner_of_kept_query(self, view: BoundTable) -> str:
        """Who lends what a materialized view keeps, by SQE's own store; empty: nobody."""
        try:
            definition = read_definition(view.metadata)
        except SqeError:
            return ""  # another program has written there
        uuid = str(view.metadata.get("table-uuid", ""))
        digest = digest_of(definition.text, definition.schema, uuid)
        owner = self._owners.definer(view.name, uuid, digest) if self._owners is not None else None
        return owner or ""

    def _definer(self, name: RelationName, view: StoredView, metadata: Json) -> str:
        """The owner whose rights the view is read with. Only SQE's own store can say so, and only
        of the view that it was told of: another engine may have replaced it since."""
        is_definer = (metadata.get("properties") or {}).get(SECURITY) == DEFINER
        if self._owners is None or not is_definer:
            return ""
        uuid = str(metadata.get("view-uuid", ""))
        digest = digest_of(view.text, view.schema, uuid)
        return self._owners.definer(name, uuid, digest) or ""

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
        own = f"In view {view.relation or view.name}: "
        inside = _Context(
            view.schema or session.schema,
            temporary_views=view.relation is None,
            open_views=(*context.open_views, key),
            # An owner who reads it themselves is here, with all the rights they have.
            as_user=view.definer if view.definer != session.identity.user else "",
            values=context.values,
            inside=context.inside + own,
            where=context.where if context.inside else where,
        )
        try:
            text = text_for_reader(view, context.values, session.property(TIME_ZONE))
            query = without_markers(parse(text, self.limits))
        except SqeError as error:
            message = own + error.message
            raise error_of(error.code, message, hint=error.hint, position=where) from error
        inner = self._bind(query, session, inside)
        return BoundView(
            view.name, inner, view.columns, view.relation, view.query_columns, view.types
        )

    def _absent(
        self, statement: Statement, reference: Reference, reading: Candidate, session: Session
    ) -> BoundAbsent:
        catalog = read_catalog(self.catalogs, reading.schema.catalog, session.identity)
        name = RelationName(reading.schema, reading.name)
        if reference.access is Access.CREATE:
            schema = look_up_schema(catalog, reading.schema, creates=True)
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
        schema = look_up_schema(catalog, reading.schema)
        if schema is None:
            raise no_schema(
                statement, reference, reading, lambda: self._list_names(reading, session)
            )
        neighbours = relations(catalog, schema)
        neighbours += [view.name for view in session.temporary_views()]
        raise not_found(statement, reference, str(name), neighbours)

    def _list_names(self, reading: Candidate, session: Session) -> tuple[list[str], list[str]]:
        catalog = read_catalog(self.catalogs, reading.schema.catalog, session.identity)
        schemas = [path[0] for path in list_or_hide(catalog.list_namespaces, ())]
        return self.catalogs.names(session.identity), schemas


def _table(
    statement: Statement, reference: Reference, match: Match, suffix: tuple[str, ...]
) -> BoundTable:
    name = match.name
    try:
        columns = columns_of(match.loaded.metadata)
    except SqeError as error:
        where = position_at(statement.text, reference.span.start)
        message = f"{name}: {error.message}"
        raise error_of(error.code, message, hint=error.hint, position=where) from error
    if is_materialized(match.loaded.metadata):
        refuse_change(statement, reference, name)
    return BoundTable(name, match.ident, match.loaded, columns, suffix)


def _metadata(reference: Reference, reading: Candidate) -> BoundMetadata | None:
    columns = RELATIONS.get(reading.name.lower())
    if columns is None or reference.access not in (Access.READ, Access.DESCRIBE):
        return None
    return BoundMetadata(reading.schema.catalog, reading.name.lower(), columns)
