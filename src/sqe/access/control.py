"""What the pipe asks about access: whether a statement may be sent, and what it may touch.

Everything is denied that nothing allows; an exception here denies too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from sqe.access.other_users import OtherUsers
from sqe.access.privileges import Privileges
from sqe.access.scopes import check_scope
from sqe.access.view_disclosure import decisions_on
from sqe.binding.bound import BoundStatement
from sqe.catalog.protocol import Catalogs
from sqe.model.decision import Decision
from sqe.model.identity import Identity
from sqe.policy.policy import Policy
from sqe.rewrite.needs import Key
from sqe.sessions.session import Session
from sqe.sql.statement import Statement


@dataclass(frozen=True)
class AccessControl:
    """``catalogs`` show what users may know of, ``whole`` is all that is in them."""

    policy: Policy
    catalogs: Catalogs
    whole: Catalogs

    @cached_property
    def _privileges(self) -> Privileges:
        return Privileges(self.policy, self.catalogs, self.whole)

    @property
    def other_users(self) -> OtherUsers:
        return OtherUsers(self.policy)

    def check_may_run(self, identity: Identity) -> None:
        """ACCESS_DENIED where the user may run no statement at all."""
        self._privileges.check_may_run(identity)

    def check_properties(self, identity: Identity, names: Collection[str]) -> None:
        """ACCESS_DENIED where the user may not set one of these session properties."""
        self._privileges.check_properties(identity, names)

    def check_scope(self, statement: Statement, identity: Identity) -> None:
        """ACCESS_DENIED where the credential is not for such statements."""
        check_scope(identity, statement)

    def decide(self, bound: BoundStatement, session: Session) -> Mapping[Key, Decision]:
        """A decision on each table and view that the statement touches. ACCESS_DENIED where it
        takes a privilege on something else that is missing."""
        self._privileges.check(bound.statement, session)
        return decisions_on(self.policy, bound, session.identity)
