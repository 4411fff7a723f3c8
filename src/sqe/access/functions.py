"""Functions that people have written in SQL: which a name means to a user, and who may do what.

A function is known to whoever sees its schema, and called with the rights of who calls it. Rules
may say more: EXECUTE on a function (Trino's ``rules.json``, OPA, Cedar). Who may make a table of
its name may make it; its maker, and who may drop a table of its name, may replace or drop it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqe.access.control import decision_on
from sqe.access.statement_guard import StatementGuard
from sqe.binding.bound import BoundAbsent
from sqe.binding.name_lookup import look_up_schema
from sqe.binding.resolve import candidates
from sqe.binding.statement_cache import read_catalog
from sqe.catalog import information_schema
from sqe.catalog.protocol import Catalogs
from sqe.errors import AccessError, ErrorCode, SqeError, UserError
from sqe.model.decision import Allow
from sqe.model.functions import TRINO_ONLY, SqlFunction
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.policy.policy import Policy
from sqe.sessions.session import Session
from sqe.sql.own_functions.inline import write_functions_in
from sqe.sql.own_functions.texts import body_as_query
from sqe.sql.parse import parse
from sqe.sql.statement import Statement
from sqe.sql.text import TextLimits
from sqe.store.functions import FunctionStore


@dataclass(frozen=True)
class SqlFunctions:
    """``catalogs`` show what users may know of."""

    catalogs: Catalogs
    policy: Policy
    store: FunctionStore
    limits: TextLimits

    def write_in(self, statement: Statement, session: Session) -> Statement:
        """The statement with the bodies of functions in place of their calls."""

        def find(parts: tuple[str, ...]) -> SqlFunction | None:
            function = self.find(parts, session)
            if function is not None and TRINO_ONLY in function.origin:
                message = f"Function {function.shown_name} has types that only Trino has."
                hint = "Statements in Trino's SQL can call it."
                raise UserError(ErrorCode.NOT_SUPPORTED, message, hint=hint)
            return function

        return write_functions_in(statement, find, self.limits)

    def find(self, parts: Sequence[str], session: Session) -> SqlFunction | None:
        """A name of one part is first a temporary function's. Spark's own come before all; see
        ``Statement.calls``."""
        if len(parts) == 1:
            temporary = session.temporary_function(parts[0])
            if temporary is not None:
                return temporary
        return self.find_kept(parts, session)

    def find_kept(self, parts: Sequence[str], session: Session) -> SqlFunction | None:
        """A stored function, even where a temporary function has the same name."""
        for name in self._find_meanings(parts, session):
            function = self.store.find(name)
            if function is not None and self.may_call(session.identity, function.name or name):
                return function
        return None

    def _find_meanings(self, parts: Sequence[str], session: Session) -> list[RelationName]:
        """The functions that the name can mean, in schemas that the user sees."""
        names = self.catalogs.names(session.identity)
        meanings = []
        for reading in candidates(parts, session.schema, names):
            if reading.suffix or reading.schema.catalog not in names:
                continue
            schema = self._find_schema(reading.schema, session.identity)
            if schema is not None:
                meanings.append(RelationName(schema, reading.name))
        return meanings

    def _find_schema(self, schema: SchemaName, identity: Identity) -> SchemaName | None:
        """The schema as the catalog spells it. None: the user may not know of it."""
        return look_up_schema(read_catalog(self.catalogs, schema.catalog, identity), schema)

    def new_name(self, parts: Sequence[str], session: Session) -> RelationName:
        """The full name that a new function gets."""
        names = self._find_meanings(parts, session)
        if not names:
            where = ".".join(parts[:-1]) or str(session.schema)
            raise UserError(ErrorCode.SCHEMA_NOT_FOUND, f"There is no schema {where}.")
        if names[0].schema.path == (information_schema.SCHEMA,):
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"{information_schema.SCHEMA} is SQE's own schema."
            )
        return names[0]

    def list_in(self, schema: SchemaName, identity: Identity) -> list[SqlFunction]:
        """The functions of the schema that the user may call."""
        if schema.catalog not in self.catalogs.names(identity) or not schema.path:
            return []
        seen = self._find_schema(schema, identity)
        functions = self.store.list_in(seen) if seen is not None else []
        return [each for each in functions if each.name and self.may_call(identity, each.name)]

    def may_call(self, identity: Identity, name: RelationName) -> bool:
        if not self.policy.ruled:
            return True
        on = Object(ObjectKind.FUNCTION, name.parts)
        return isinstance(self.policy.permits(identity, Privilege.EXECUTE, on), Allow)

    def check_create(self, identity: Identity, name: RelationName) -> None:
        if not self._may(identity, name, Privilege.CREATE):
            raise _denial("create", name)

    def check_change(self, identity: Identity, function: SqlFunction) -> None:
        """ACCESS_DENIED where the user may neither replace nor drop the function."""
        name = function.name
        assert name is not None  # noqa: S101  a temporary one is its user's
        ruled = self.policy.ruled and self._may(identity, name, Privilege.DROP)
        if not ruled and function.owner != identity.user:
            raise _denial("replace or drop", name)

    def _may(self, identity: Identity, name: RelationName, privilege: Privilege) -> bool:
        decision = decision_on(self.policy, BoundAbsent(name), privilege, identity)
        return isinstance(decision, Allow)


@dataclass(frozen=True)
class FunctionDisclosure:
    """A function's body names tables. Its author may see it, and so may users who see all that it
    reads."""

    functions: SqlFunctions
    guard: StatementGuard

    def tells_body(self, function: SqlFunction, session: Session) -> bool:
        if function.name is None or function.owner == session.identity.user:
            return True
        text, _ = body_as_query(function.body, function.is_query)
        try:
            parsed = parse(text, self.functions.limits, own_functions=True)
            decided = self.guard.decide(self.functions.write_in(parsed, session), session)
        except SqeError:
            return False
        absent = any(
            isinstance(reference.target, BoundAbsent) for reference in decided.bound.walk()
        )
        return not absent and all(
            isinstance(decision, Allow) for decision in decided.decisions.values()
        )


def _denial(what: str, name: RelationName) -> AccessError:
    message = f"You may not {what} function {name}, or it does not exist."
    return AccessError(ErrorCode.ACCESS_DENIED, message)
