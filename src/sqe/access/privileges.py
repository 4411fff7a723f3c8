"""Privileges that are not about a table's rows: on schemas, procedures, session properties, and on
the system itself. What is said depends on the user and the name alone, not on what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from sqe.access.stored_relation import decide_access, relation_of_loaded
from sqe.binding.name_lookup import list_or_hide, look_up_schema
from sqe.binding.statement_cache import read_catalog
from sqe.catalog.information_schema import SCHEMA as INFORMATION_SCHEMA
from sqe.catalog.protocol import Catalog, Catalogs, Ident
from sqe.errors import ABSENT, AccessError, ErrorCode, SqeError
from sqe.model.decision import Allow, Deny
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, ObjectKind, Privilege
from sqe.policy.policy import Policy, denial
from sqe.sessions.session import Session
from sqe.sql.call import ProcedureCall
from sqe.sql.commands import DropSchema, Name, ShowSchemas, UseSchema
from sqe.sql.settings import ResetSession, SetSession
from sqe.sql.statement import Access, Statement, StatementKind
from sqe.sql.traits import DecidedBy

_OWN = ("sqe.", "spark.")  # in front of properties that are no catalog's


class _OfSchema(Protocol):
    """A command about a schema. None: about the session's schema."""

    @property
    def schema(self) -> Name | None: ...


class Privileges:
    """``catalogs`` show what users may know of, ``whole`` is all that is in them."""

    def __init__(self, policy: Policy, catalogs: Catalogs, whole: Catalogs) -> None:
        self._policy = policy
        self._catalogs = catalogs
        self._whole = whole

    def check(self, statement: Statement, session: Session) -> None:
        """ACCESS_DENIED where one is missing. Tables and views are decided on elsewhere."""
        if not self._policy.ruled:
            return
        self.check_may_run(session.identity)
        decided_by = statement.traits.decided_by
        if decided_by is DecidedBy.NOBODY or _names_nothing(statement):
            message = f"No rule can allow {statement.label.upper()}."
            raise AccessError(ErrorCode.ACCESS_DENIED, message)
        if decided_by not in _ELSEWHERE:
            _CHECKS[decided_by](self, statement.command, session)
        if statement.inner is not None:
            self.check(statement.inner, session)

    def check_may_run(self, identity: Identity) -> None:
        if not self._policy.ruled:
            return
        runs = self._policy.permits(identity, Privilege.EXECUTE, SYSTEM)
        if isinstance(runs, Deny):
            hint = runs.reason if runs.unanswered else ""
            raise AccessError(ErrorCode.ACCESS_DENIED, "You may not run statements.", hint=hint)

    def check_properties(self, identity: Identity, names: Iterable[str]) -> None:
        if self._policy.ruled:
            for name in dict.fromkeys(names):
                self._policy.check(identity, Privilege.SET, _property(name.lower()))

    def _check_property(self, command: SetSession | ResetSession, session: Session) -> None:
        self.check_properties(session.identity, [command.name])

    def _check_procedure(self, command: ProcedureCall, session: Session) -> None:
        self._policy.check(session.identity, Privilege.EXECUTE, _procedure(command, session))

    def _check_listed(self, command: ShowSchemas, session: Session) -> None:
        within, identity = command.within, session.identity
        if within is not None and self._catalog(within, identity) is None:
            self._check_visible(identity, self._schema(within, session))

    def _check_seen(self, command: _OfSchema, session: Session) -> None:
        self._check_visible(session.identity, self._schema(command.schema, session))

    def _check_altered(self, command: _OfSchema, session: Session) -> None:
        schema = self._schema(command.schema, session)
        self.check_schema(session.identity, Privilege.ALTER, schema)

    def _check_created(self, command: _OfSchema, session: Session) -> None:
        schema = self._schema(command.schema, session)
        self.check_schema(session.identity, Privilege.CREATE, schema)

    def check_schema(self, identity: Identity, privilege: Privilege, schema: SchemaName) -> None:
        """A schema is made by who may create in the catalog, or may have one of this name."""
        if not self._policy.ruled:
            return
        places = [Object.schema(schema)]
        if privilege is Privilege.CREATE:
            places.append(Object.catalog(schema.catalog))
        answers = [self._policy.permits(identity, privilege, place) for place in places]
        if not any(isinstance(answer, Allow) for answer in answers):
            raise denial(privilege, places[0])

    def _check_dropped(self, command: DropSchema, session: Session) -> None:
        identity, schema = session.identity, self._schema(command.schema, session)
        self._policy.check(identity, Privilege.DROP, Object.schema(schema))
        if not command.cascade:
            return
        catalog = self._whole.open(schema.catalog, identity)
        if not all(self._droppable(identity, catalog, schema)):
            raise AccessError(
                ErrorCode.ACCESS_DENIED, f"You may not drop everything that is in schema {schema}."
            )

    def _droppable(
        self, identity: Identity, catalog: Catalog, schema: SchemaName
    ) -> Iterator[bool]:
        """For each thing in the schema, whether the user may drop it."""
        for path in list_or_hide(catalog.list_namespaces, schema.path):
            child = SchemaName(schema.catalog, path)
            dropped = self._policy.permits(identity, Privilege.DROP, Object.schema(child))
            yield isinstance(dropped, Allow)
            yield from self._droppable(identity, catalog, child)
        for names, load, view in (
            (list_or_hide(catalog.list_views, schema.path), catalog.load_view, True),
            (list_or_hide(catalog.list_tables, schema.path), catalog.load_table, False),
        ):
            for name in names:
                try:
                    loaded = load(Ident(schema.path, name))
                except SqeError as error:
                    if error.code not in ABSENT:
                        raise
                    continue
                target = relation_of_loaded(RelationName(schema, name), loaded, view)
                yield isinstance(decide_access(self._policy, identity, target, Access.DROP), Allow)

    def _check_used(self, command: UseSchema, session: Session) -> None:
        identity, name = session.identity, command.name
        if command.catalog:
            catalog = Object.catalog(self._catalog(name, identity) or name.parts[0])
            if not all(self._policy.visible(identity, [catalog])):
                raise denial(Privilege.SHOW, catalog)
        elif command.schema or self._catalog(name, identity) is None:
            self._check_visible(identity, self._schema(name, session))

    def _check_visible(self, identity: Identity, schema: SchemaName) -> None:
        if schema.path[-1:] == (INFORMATION_SCHEMA,) or not schema.path:
            seen = Object.catalog(schema.catalog)
        else:
            seen = Object.schema(schema)
        if not all(self._policy.visible(identity, [seen])):
            raise denial(Privilege.SHOW, Object.schema(schema))

    def _catalog(self, name: Name, identity: Identity) -> str | None:
        """The catalog that a name of one part means, in its own spelling."""
        if len(name.parts) > 1:
            return None
        names = self._catalogs.names(identity)
        return next(
            (
                catalog_name
                for catalog_name in names
                if catalog_name.lower() == name.parts[0].lower()
            ),
            None,
        )

    def _schema(self, name: Name | None, session: Session) -> SchemaName:
        """In the catalog's own spelling, if the user sees it; see ``CommandCall.find_schema``."""
        if name is None:
            return session.schema
        first, *rest = name.parts
        names = self._catalogs.names(session.identity) if rest else []
        catalog = next(
            (schema_name for schema_name in names if schema_name.lower() == first.lower()), None
        )
        wanted = SchemaName(session.schema.catalog, name.parts)
        if catalog is not None:
            wanted = SchemaName(catalog, tuple(rest))
        catalog_of_it = read_catalog(self._catalogs, wanted.catalog, session.identity)
        return look_up_schema(catalog_of_it, wanted) or wanted


# The tables and views of a statement are decided on by the policy itself, grants by who may grant,
# functions by ``FunctionRights``, ``OtherUsers`` knows who may end a query, and the settings who
# administers.
_ELSEWHERE = (
    DecidedBy.RELATIONS,
    DecidedBy.EVERYBODY,
    DecidedBy.GRANT_AUTHORITY,
    DecidedBy.QUERY_OWNER,
    DecidedBy.FUNCTION_OWNER,
    DecidedBy.ADMINISTRATION,
)
_CHECKS: dict[DecidedBy, Callable[[Privileges, Any, Session], None]] = {
    DecidedBy.PROPERTY: Privileges._check_property,
    DecidedBy.PROCEDURE: Privileges._check_procedure,
    DecidedBy.USED_SCHEMA: Privileges._check_used,
    DecidedBy.LISTED_SCHEMAS: Privileges._check_listed,
    DecidedBy.SEEN_SCHEMA: Privileges._check_seen,
    DecidedBy.CREATED_SCHEMA: Privileges._check_created,
    DecidedBy.DROPPED_SCHEMA: Privileges._check_dropped,
    DecidedBy.ALTERED_SCHEMA: Privileges._check_altered,
}


def _names_nothing(statement: Statement) -> bool:
    """A command that is decided by its tables and views, and has none: nobody decides on it."""
    return (
        statement.kind is StatementKind.COMMAND
        and statement.traits.decided_by is DecidedBy.RELATIONS
        and not statement.references
        and statement.inner is None
    )


def _property(name: str) -> Object:
    catalog, dot, rest = name.partition(".")
    parts = (catalog, rest) if dot and not name.startswith(_OWN) else (name,)
    return Object(ObjectKind.PROPERTY, parts)


def _procedure(command: ProcedureCall, session: Session) -> Object:
    catalog = command.catalog or session.schema.catalog
    return Object(ObjectKind.PROCEDURE, (catalog, "system", command.procedure.name))
