"""What policies' own expressions are read with: the session's user, and no policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundReference, BoundStatement, BoundTarget
from sqe.model.decision import Allow
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.query import ClientState
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import identity_as, needs_of
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.statement import Reference, Statement
from sqe.sql.text import TextLimits

if TYPE_CHECKING:  # read when the first expression in Trino's dialect comes, not at start
    from sqe.sql.trino.context import Lookup


@dataclass(frozen=True)
class SessionAuthority:
    """See ``rewrite.authority``."""

    binder: Binder
    limits: TextLimits
    session: Session
    keys: HashKeys
    known: Callable[[Identity], Identity]  # with the roles that policy sources give

    def reader(self, as_user: str) -> Identity:
        return self.known(identity_as(self.session.identity, as_user))

    def find(self, statement: Statement, reference: Reference, schema: SchemaName) -> BoundTarget:
        return self.binder.find(statement, reference, self.session, schema)

    def subkeys(self, name: str) -> tuple[Secret, Secret] | None:
        return self.keys.subkeys(name)

    def lookup(self) -> Lookup:
        from sqe.access.trino_lookup import PipeLookup

        return PipeLookup(self.binder.whole, self.session, ClientState(), self._open)

    def _open(self, text: str) -> GuardedStatement:
        """``SELECT * FROM`` a relation that the policy's text names, all of it."""
        statement = parse(text, self.limits)
        schema = self.session.schema  # not asked: the translation writes names in full
        references = tuple(
            BoundReference(one, self.find(statement, one, schema)) for one in statement.references
        )
        bound = BoundStatement(statement, references)
        allowed = Allow("read under the policy's own authority")
        return GuardedStatement(bound, {need.key: allowed for need in needs_of(bound)})
