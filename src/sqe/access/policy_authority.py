"""Reads what the expressions of policies name: as the session's user, and under no policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqe.access.relations import Relations, SeenRelation
from sqe.binding.binder import Binder
from sqe.binding.bound import BoundTable, BoundTarget, BoundView
from sqe.catalog.protocol import Catalogs
from sqe.model.decision import Allow
from sqe.model.identity import Identity, Secret
from sqe.model.names import RelationName, SchemaName
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import identity_as
from sqe.rewrite.unfit import Unfit
from sqe.sessions.session import Session
from sqe.sql.settings import TIME_ZONE
from sqe.sql.statement import Access, Reference, Statement, statement_about

_TRUSTED = Allow("read under the policy's own authority")


@dataclass(frozen=True)
class PolicyReading:
    """How the expression of a policy reads other relations: any of them, as the session's user."""

    catalogs: Catalogs
    session: Session
    relations: Relations


class ExpressionDialect(Protocol):
    """A dialect, other than Spark's, that policies may be written in."""

    def expression(
        self,
        sql: str,
        kind: str,
        target: BoundTable | BoundView,
        identity: Identity,
        reading: PolicyReading,
    ) -> str:
        """The expression in Spark's SQL. ``kind`` is its type: boolean for a filter, the column's
        type for a mask. Raises Unfit."""
        ...


@dataclass(frozen=True)
class SessionAuthority:
    """Implements ``rewrite.authority.Authority``."""

    binder: Binder
    session: Session
    keys: HashKeys
    known: Callable[[Identity], Identity]  # with the roles that policy sources give
    dialects: Mapping[str, ExpressionDialect] = field(default_factory=dict)

    @property
    def time_zone(self) -> str:
        return self.session.property(TIME_ZONE)

    def reader(self, as_user: str) -> Identity:
        return self.known(identity_as(self.session.identity, as_user))

    def find(self, statement: Statement, reference: Reference, schema: SchemaName) -> BoundTarget:
        return self.binder.find(statement, reference, self.session, schema)

    def subkeys(self, name: str) -> tuple[Secret, Secret] | None:
        return self.keys.subkeys(name)

    def translate(
        self, sql: str, dialect: str, kind: str, target: BoundTable | BoundView, identity: Identity
    ) -> str:
        translator = self.dialects.get(dialect)
        if translator is None:
            raise Unfit(f"the dialect {dialect} is not known")
        reading = PolicyReading(self.binder.whole, self.session, self)
        return translator.expression(sql, kind, target, identity, reading)

    def read(self, name: RelationName) -> SeenRelation:
        """Implements ``Relations``: no policy applies to what a policy reads."""
        statement = statement_about(name, Access.READ)
        schema = self.session.schema  # not asked: the name is a full one
        [reference] = statement.references
        return SeenRelation(self.find(statement, reference, schema), _TRUSTED)

    def change(self, name: RelationName) -> SeenRelation:
        raise Unfit("an expression of a policy changes nothing")
