"""What the pipe asks about access: whether a statement may be sent, and what it may touch.

What no rule allows is denied. An exception here denies, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from sqe.access.other_users import OtherUsers
from sqe.access.privileges import Privileges
from sqe.access.scopes import check_scope
from sqe.binding.bound import BoundAbsent, BoundStatement, BoundTable, BoundTarget, BoundView
from sqe.catalog.materialized import is_materialized
from sqe.catalog.protocol import Catalogs
from sqe.model.administrators import NO_ADMINISTRATORS, Administrators
from sqe.model.decision import Allow, Decision, Deny
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.rules import Privilege
from sqe.policy.policy import Policy
from sqe.rewrite.needs import Key, identity_as, need_for, needs_of
from sqe.sessions.session import Session
from sqe.sql.statement import Statement

_OF_TABLES = (Privilege.INSERT, Privilege.DELETE, Privilege.ALTER, Privilege.DROP)


def decisions_on(policy: Policy, bound: BoundStatement, identity: Identity) -> dict[Key, Decision]:
    """A decision on each thing that the statement touches, for the user it is read as: a view may
    be read as its owner."""
    needs = needs_of(bound)
    answers = {
        who: policy.decide(
            identity_as(identity, who),
            dict.fromkeys(
                facts for need in needs if need.as_user == who for facts in need.asked_facts
            ),
        )
        for who in {need.as_user for need in needs}
    }
    return {need.key: need.decision(answers[need.as_user]) for need in needs}


def decision_on(
    policy: Policy, target: BoundTarget, privilege: Privilege, identity: Identity
) -> Decision | None:
    """On a change that needs this privilege alone, whatever the statement. None: nobody decides on
    the relation by itself."""
    need = need_for(target, privilege)
    return need.decision(policy.decide(identity, need.asked_facts)) if need is not None else None


@dataclass(frozen=True)
class AccessControl:
    """``catalogs`` show only what users may know of, ``whole`` shows everything."""

    policy: Policy
    catalogs: Catalogs
    whole: Catalogs
    administrators: Administrators = NO_ADMINISTRATORS

    @cached_property
    def _privileges(self) -> Privileges:
        return Privileges(self.policy, self.catalogs, self.whole)

    @property
    def other_users(self) -> OtherUsers:
        return OtherUsers(self.policy, self.administrators)

    def check_may_run(self, identity: Identity) -> None:
        """ACCESS_DENIED where the user may run no statement at all."""
        self._privileges.check_may_run(identity)

    def check_properties(self, identity: Identity, names: Collection[str]) -> None:
        """ACCESS_DENIED where the user may not set one of these session properties."""
        self._privileges.check_properties(identity, names)

    def check_scope(self, statement: Statement, identity: Identity) -> None:
        """ACCESS_DENIED where the credential is not for such statements."""
        check_scope(identity, statement)

    def check_schema(self, identity: Identity, privilege: Privilege, schema: SchemaName) -> None:
        """ACCESS_DENIED where the user may not make, change or drop the schema."""
        self._privileges.check_schema(identity, privilege, schema)

    def decide(self, bound: BoundStatement, session: Session) -> Mapping[Key, Decision]:
        """A decision on each table and view that the statement touches. ACCESS_DENIED where it
        takes a privilege on something else that is missing."""
        self._privileges.check(bound.statement, session)
        return decisions_on(self.policy, bound, session.identity)

    def decide_change(self, target: BoundTarget, session: Session) -> Decision:
        """Whether the user may change the relation in any way, or create it where it does not
        exist. If so, they may know what it is, even if they may not read it. Users who see only a
        part of it may not change it. ACCESS_DENIED where the user may run no statement at all."""
        self._privileges.check_may_run(session.identity)
        for privilege in _changes_of(target):
            decision = decision_on(self.policy, target, privilege, session.identity)
            if isinstance(decision, Allow):
                return decision
        return Deny("nothing that changes it is allowed")


def _changes_of(target: BoundTarget) -> Collection[Privilege]:
    """The privileges of statements that can change such a relation at all."""
    match target:
        case BoundAbsent():
            return (*_OF_TABLES, Privilege.CREATE)
        case BoundView():
            return (Privilege.DROP,)
        case BoundTable(suffix=()) if not is_materialized(target.metadata):
            return _OF_TABLES
        case _:
            return ()
