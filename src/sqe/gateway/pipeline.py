"""The pipe: what happens to a statement, in order. Nothing else calls these stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sqe.catalog.bind import Binder
from sqe.catalog.bound import BoundStatement
from sqe.engines.attempt import attempt
from sqe.engines.protocol import Engine, Run
from sqe.engines.rerun import Reruns, same_tables
from sqe.model.identity import Identity
from sqe.model.query import Column, EngineKind, Route
from sqe.policy.decide import decide
from sqe.policy.source import PolicySource
from sqe.results.stream import ResultStream
from sqe.rewrite.guard import Decisions, facts_of, guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.router import Router
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits

Stage = Callable[[str], AbstractContextManager[None]]
# A statement depends on its text alone and nobody changes it; dashboards repeat theirs.
_parse_once = lru_cache(maxsize=256)(parse)
_SHORT = 20_000  # characters


@dataclass(frozen=True)
class Planned:
    """A statement that may run, and where."""

    guarded: GuardedStatement
    route: Route

    @property
    def label(self) -> str:
        return self.guarded.bound.statement.label


@dataclass(frozen=True)
class Pipeline:
    limits: TextLimits
    binder: Binder
    sources: Sequence[PolicySource]
    engines: Mapping[EngineKind, Engine]
    router: Router
    reruns: Reruns = field(default_factory=Reruns)

    def plan(self, text: str, session: Session, stage: Stage) -> Planned:
        with stage("parse"):
            read = _parse_once if len(text) <= _SHORT else parse
            statement = read(text, self.limits)
        with stage("bind"):
            bound = self.binder.bind(statement, session)
        with stage("decide"):
            decisions = self._decide(bound, session.identity)
        with stage("guard"):
            guarded = guard(bound, decisions)
        with stage("route"):
            route = self.router.route(guarded, session)
        return Planned(guarded, route)

    def run(self, planned: Planned, run: Run) -> ResultStream:
        return self.reruns.of(
            planned.guarded.bound.statement,
            run,
            first=lambda: self._run(planned, run),
            again=lambda: self._run_again(planned, run),
        )

    def _run(self, planned: Planned, run: Run) -> ResultStream:
        guarded = planned.guarded
        return attempt(planned.route, self.engines, run, lambda engine: engine.run(guarded, run))

    def _run_again(self, planned: Planned, run: Run) -> ResultStream:
        text = planned.guarded.bound.statement.text
        fresh = self.plan(text, run.session, lambda stage: nullcontext())
        same_tables(planned.guarded.bound, fresh.guarded.bound)
        reason = f"{fresh.route.reason}; run again after a conflict"
        run.rerouted(replace(fresh.route, reason=reason))
        return self._run(fresh, run)

    def describe(self, planned: Planned, run: Run) -> tuple[Column, ...]:
        guarded = planned.guarded
        return attempt(
            planned.route, self.engines, run, lambda engine: engine.describe(guarded, run)
        )

    def _decide(self, bound: BoundStatement, identity: Identity) -> Decisions:
        keys = facts_of(bound)
        answers = decide(self.sources, identity, [facts for _, facts in keys])
        return {key: answers[facts] for key, facts in keys}
