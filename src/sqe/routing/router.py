"""Gathers what the choice needs and makes it: one router for the pipe and for EXPLAIN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqe.model.query import Route
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.choose import asks_for_facts, choose
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.sessions.session import Session

_ON_A_BRANCH = LocalFacts(
    "the session has a sqe.wap_branch, which only Spark reads", "RESET SESSION sqe.wap_branch."
)
Survey = Callable[[GuardedStatement, Session], LocalFacts]


@dataclass(frozen=True)
class Router:
    """``survey`` asks the local engine; None where it is turned off."""

    survey: Survey | None
    limits: RoutingLimits

    def route(self, guarded: GuardedStatement, session: Session) -> Route:
        wanted = session.property("sqe.engine")
        facts = None
        if self.survey is not None and asks_for_facts(guarded, wanted):
            branch = session.property("sqe.wap_branch")
            facts = _ON_A_BRANCH if branch else self.survey(guarded, session)
        route = choose(guarded, wanted, facts, self.limits)
        # By how much is read, and of what kind its files are: of rows too that are not shown.
        by_data = facts is not None and wanted == "auto"
        return replace(route, hidden=by_data and guarded.restricted)
