"""The pipe: what happens to a statement, in order. Nothing else calls these stages.

request -> Translation -> Statement -> BoundStatement -> decisions -> GuardedStatement -> Route
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqe.access.control import AccessControl
from sqe.access.guards import Guards
from sqe.binding.binder import Binder
from sqe.binding.statement_cache import statement_cache
from sqe.engines.protocol import Run
from sqe.gateway.dialects import Dialect
from sqe.gateway.runner import Planned, Runner
from sqe.gateway.stages import Stage, untimed
from sqe.gateway.transactions import check_transaction, join_transaction
from sqe.model.query import EngineKind, QueryRequest, Route
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.parameters import fill_markers
from sqe.routing.router import Router
from sqe.sessions.session import Session
from sqe.sql.parser import Parser
from sqe.sql.statement import Statement

_NO_ENGINE = Route(EngineKind.COORDINATOR, "SQE answers it without an engine")


@dataclass(frozen=True)
class Pipeline:
    dialects: Mapping[str, Dialect]
    parser: Parser
    binder: Binder
    access: AccessControl
    guards: Guards
    router: Router
    runner: Runner

    def plan(
        self, request: QueryRequest, session: Session, stage: Stage, *, describes: bool = False
    ) -> Planned:
        """``describes``: markers may be left without values, which nothing is run with."""
        with statement_cache():
            with stage("translate"):
                translation = self.dialects[request.dialect].translate(
                    request, session, lambda text: self._guard(self.parser.parse(text), session)
                )
                self.access.check_properties(session.identity, translation.properties)
            if translation.text is None:
                self.access.check_may_run(session.identity)
                return Planned(translation, None, _NO_ENGINE)
            with stage("parse"):
                statement = self.parser.parse(translation.text)
                self.access.check_scope(statement, session.identity)
                join_transaction(statement)
            guarded = self._guard(statement, session, stage, translation.session_values)
            guarded = fill_markers(guarded, request.parameters, request.rows, describes=describes)
            with stage("route"):
                route = self.router.route(guarded, session)
            return Planned(translation, guarded, route)

    def _guard(
        self,
        statement: Statement,
        session: Session,
        stage: Stage = untimed,
        session_values: Mapping[str, str] | None = None,
    ) -> GuardedStatement:
        with stage("bind"):
            bound = self.binder.bind(statement, session, session_values)
            check_transaction(bound)
        with stage("decide"):
            decisions = self.access.decide(bound, session)
        with stage("guard"):
            return self.guards.guard(bound, decisions, session)

    def run(self, planned: Planned, run: Run) -> ResultStream:
        """Only where ``planned.guarded`` is there."""
        text = planned.guarded_statement.bound.statement.text
        return self.runner.run(planned, run, lambda: self.plan_text(planned, run.session, text))

    def plan_text(self, planned: Planned, session: Session, text: str) -> Planned:
        """Another text of the same statement, or the same one once more, in Spark's SQL."""
        return self.plan(planned.request_for(text, session.id), session, untimed)

    def describe(self, planned: Planned, run: Run) -> Description:
        return self.runner.describe(planned, run)
