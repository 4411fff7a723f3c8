"""What policies' own expressions are read with: the session's user, and no policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundReference, BoundStatement, BoundTable, BoundTarget, BoundView
from sqe.catalog.protocol import Catalogs
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.rewrite.guarded import GuardedStatement, trust_policy_text
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import identity_as
from sqe.rewrite.unfit import Unfit
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.statement import Reference, Statement
from sqe.sql.text import TextLimits


@dataclass(frozen=True)
class PolicyReading:
    """How an expression of a policy reads other relations: all of them, as the session's user."""

    catalogs: Catalogs
    session: Session
    guard_text: Callable[[str], GuardedStatement]


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
        """The expression in Spark's SQL. ``kind`` is the type that is wanted: boolean of a filter,
        the column's of a mask. Raises Unfit."""
        ...


@dataclass(frozen=True)
class SessionAuthority:
    """Implements ``rewrite.authority.Authority``."""

    binder: Binder
    limits: TextLimits
    session: Session
    keys: HashKeys
    known: Callable[[Identity], Identity]  # with the roles that policy sources give
    dialects: Mapping[str, ExpressionDialect] = field(default_factory=dict)

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
        reading = PolicyReading(self.binder.whole, self.session, self._guard_text)
        return translator.expression(sql, kind, target, identity, reading)

    def _guard_text(self, text: str) -> GuardedStatement:
        """``SELECT * FROM`` a relation that the policy's text names, all of it."""
        statement = parse(text, self.limits)
        schema = self.session.schema  # not asked: the translation writes names in full
        references = tuple(
            BoundReference(one, self.find(statement, one, schema)) for one in statement.references
        )
        return trust_policy_text(BoundStatement(statement, references))
