"""Puts guards around relations of which the user sees only a part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqe.access.policy_authority import ExpressionDialect, SessionAuthority
from sqe.binding.binder import Binder
from sqe.binding.bound import BoundStatement
from sqe.model.decision import Decision
from sqe.model.identity import Identity
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import Key
from sqe.sessions.session import Session


@dataclass(frozen=True)
class Guards:
    """``known``: an identity with the roles that policy sources give it. ``dialects``: of policies'
    expressions, besides Spark's."""

    binder: Binder
    known: Callable[[Identity], Identity]
    hash_keys: HashKeys = field(default_factory=HashKeys)
    dialects: Mapping[str, ExpressionDialect] = field(default_factory=dict)

    def with_binder(self, binder: Binder) -> Guards:
        return replace(self, binder=binder)

    def guard(
        self, bound: BoundStatement, decisions: Mapping[Key, Decision], session: Session
    ) -> GuardedStatement:
        authority = SessionAuthority(
            self.binder, session, self.hash_keys, self.known, self.dialects
        )
        return guard(bound, decisions, authority)
