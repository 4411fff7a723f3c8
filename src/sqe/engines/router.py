"""Gathers what the choice of an engine needs and makes it: one router for the pipe and EXPLAIN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqe.engines.protocol import Prepared
from sqe.engines.result_cache.cache import Keeping, KeptAnswer, ResultCache
from sqe.engines.result_cache.question import Refusal
from sqe.model.query import EngineKind, Route
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.choose import asks_for_facts, choose, only_metadata
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.sessions.session import Session


@dataclass(frozen=True, slots=True)
class Survey:
    """What the local engine says of a query; ``prepared`` where nothing stands in the way."""

    facts: LocalFacts
    prepared: Prepared | None = None


@dataclass(frozen=True, slots=True)
class RoutedStatement:
    """A statement and the engine for it. ``prepared``: what that engine has planned already, when
    it was asked about the statement; None: it has not been asked. ``keeping``: the result cache
    shall have what it answers."""

    statement: GuardedStatement
    route: Route
    prepared: Prepared | None = None
    keeping: Keeping | None = None


SurveyQuery = Callable[[GuardedStatement, Session], Survey]


def _own_to_spark(session: Session) -> Survey | None:
    """What the session has set that only Spark honours."""
    if session.property("sqe.wap_branch"):
        obstacle = "the session has a sqe.wap_branch, which only Spark reads"
        return Survey(LocalFacts(obstacle, "RESET SESSION sqe.wap_branch."))
    for setting in session.changed_answers:
        obstacle = f"{setting.name} is set, and the local engine is proven for Spark's defaults"
        return Survey(LocalFacts(obstacle, f"RESET {setting.name}."))
    return None


@dataclass(frozen=True)
class Router:
    """``survey`` asks the local engine; None where it is turned off. ``cache``: None keeps no
    answers."""

    survey: SurveyQuery | None
    limits: RoutingLimits
    cache: ResultCache | None = None

    def route(self, guarded: GuardedStatement, session: Session) -> RoutedStatement:
        kept = self.cache.look_up(guarded, session) if self.cache is not None else None
        if isinstance(kept, KeptAnswer):
            return RoutedStatement(guarded, kept.route, kept)
        routed = self._route(guarded, session)
        if kept is None or routed.route.engine is EngineKind.COORDINATOR:
            return routed
        if isinstance(kept, Refusal):
            return replace(routed, route=_and(routed.route, f"the answer is not kept: {kept.why}"))
        return replace(
            routed, route=_and(routed.route, "the result cache keeps the answer"), keeping=kept
        )

    def _route(self, guarded: GuardedStatement, session: Session) -> RoutedStatement:
        wanted = session.property("sqe.engine")
        if session.changed_answers and wanted == "auto" and only_metadata(guarded.bound):
            wanted = "spark"  # the coordinator would ask the local engine
        survey = None
        if self.survey is not None and asks_for_facts(guarded, wanted):
            survey = _own_to_spark(session) or self.survey(guarded, session)
        route = choose(guarded, wanted, survey.facts if survey else None, self.limits)
        # By how much is read, and of what kind its files are: of rows too that are not shown.
        by_data = survey is not None and wanted == "auto"
        route = replace(route, hidden=by_data and guarded.restricted)
        # Another engine has no use for it: its lists of files are let go.
        local = survey is not None and route.engine is EngineKind.LOCAL
        return RoutedStatement(guarded, route, survey.prepared if survey and local else None)


def _and(route: Route, what: str) -> Route:
    return replace(route, reason=f"{route.reason}; {what}")
