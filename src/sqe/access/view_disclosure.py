"""What views are made of, and who may know of it.

A view's columns and its query name what it reads. They are told to whoever may read that: a view
that a user could not read is a name to them and nothing more, and of one that is read with its
owner's rights the query is told to those who have such rights themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqe.access.guards import Guards
from sqe.binding.binder import Binder
from sqe.binding.bound import BoundStatement
from sqe.binding.statement_cache import statement_cache
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.decision import Allow, Decision
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.policy.policy import Policy
from sqe.rewrite.needs import Key, identity_as, needs_of
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.statement import Access
from sqe.sql.text import TextLimits

_READABLE = Allow("what is asked is only what it is made of")
# A view that has lost a table or a column can still be looked at, and mended; so can one whose
# query is in another dialect, but nobody can say who may know that query.
_BROKEN = (
    ErrorCode.TABLE_NOT_FOUND,
    ErrorCode.VIEW_NOT_FOUND,
    ErrorCode.SCHEMA_NOT_FOUND,
    ErrorCode.CATALOG_NOT_FOUND,
    ErrorCode.COLUMN_NOT_FOUND,
)


def decisions_on(policy: Policy, bound: BoundStatement, identity: Identity) -> dict[Key, Decision]:
    """On everything that the statement touches, for whomever it is read as."""
    needs = needs_of(bound)
    answers = {
        who: policy.decide(
            identity_as(identity, who),
            dict.fromkeys(one for need in needs if need.as_user == who for one in need.asked),
        )
        for who in {need.as_user for need in needs}
    }
    return {need.key: need.decision(answers[need.as_user]) for need in needs}


@dataclass(frozen=True)
class ViewDisclosure:
    """Whether users may read what a view is made of, the view itself aside."""

    policy: Policy
    binder: Binder
    limits: TextLimits
    guards: Guards

    @cached_property
    def _as_reader(self) -> Binder:
        return self.binder.without_owners()

    def readable(self, identity: Identity, view: RelationName) -> bool:
        """With the rights that it is read with."""
        return self._reads(self.binder, identity, view, (*_BROKEN, ErrorCode.NOT_SUPPORTED))

    def readable_alone(self, identity: Identity, view: RelationName) -> bool:
        """With the user's own rights, whatever its owner lends."""
        return self._reads(self._as_reader, identity, view, _BROKEN)

    def _reads(
        self, binder: Binder, identity: Identity, view: RelationName, broken: tuple[ErrorCode, ...]
    ) -> bool:
        session = Session(identity, view.schema, lambda _: None)
        with statement_cache():
            bound = binder.bind(parse(f"SELECT * FROM {view}", self.limits), session)  # noqa: S608
            decisions = decisions_on(self.policy, bound, identity)
            decisions[view, Access.READ, ""] = _READABLE
            try:
                self.guards.with_binder(binder).guard(bound, decisions, session)
            except AccessError:
                return False
            except UserError as error:
                unrestricted = all(isinstance(one, Allow) for one in decisions.values())
                return unrestricted and error.code in broken
            return True
