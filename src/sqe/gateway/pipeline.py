"""The pipe: what happens to a statement, in order. Only here are all stages called.

request -> Translation -> Statement -> BoundStatement -> decisions -> GuardedStatement -> Route,
Prepared -> ResultStream
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqe.access.control import AccessControl
from sqe.access.functions import SqlFunctions
from sqe.access.statement_guard import SessionRelations, StatementGuard
from sqe.binding.statement_cache import statement_cache
from sqe.engines.protocol import Run
from sqe.engines.router import Router
from sqe.gateway.dialects import Dialect
from sqe.gateway.runner import Planned, Runner
from sqe.gateway.transactions import check_transaction, join_transaction
from sqe.model.query import EngineKind, QueryRequest, Route
from sqe.model.stages import Stage, do_not_time
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.parameters import fill_markers
from sqe.sessions.session import Session
from sqe.sql.parser import Parser

_NO_ENGINE = Route(EngineKind.COORDINATOR, "SQE answers it without an engine")


@dataclass(frozen=True)
class Pipeline:
    dialects: Mapping[str, Dialect]
    parser: Parser
    functions: SqlFunctions
    guarding: StatementGuard
    router: Router
    runner: Runner

    @property
    def access(self) -> AccessControl:
        return self.guarding.access

    def plan(
        self, request: QueryRequest, session: Session, stage: Stage, *, describes: bool = False
    ) -> Planned:
        """``describes``: markers may be left without values, which nothing is run with."""
        with statement_cache():
            with stage("translate"):
                translation = self.dialects[request.dialect].translate(
                    request, session, SessionRelations(self.guarding, session)
                )
                self.access.check_properties(session.identity, translation.properties)
            if translation.text is None:
                self.access.check_may_run(session.identity)
                return Planned(translation, None, _NO_ENGINE)
            with stage("parse"):
                parsed = self.parser.parse(translation.text, session.variables)
                statement = self.functions.write_in(parsed, session)
                self.access.check_scope(statement, session.identity)
                join_transaction(statement)
            values = translation.session_values
            decided = self.guarding.decide(statement, session, stage, values)
            check_transaction(decided.bound)
            guarded = self.guarding.guard(decided, session, stage)
            guarded = fill_markers(guarded, request.parameters, request.rows, describes=describes)
            with stage("route"):
                routed = self.router.route(guarded, session)
            return Planned(translation, guarded, routed.route, routed.prepared, routed.keeping)

    def run(self, planned: Planned, run: Run) -> ResultStream:
        """Only where ``planned.guarded`` is there."""
        text = planned.guarded_statement.bound.statement.text
        return self.runner.run(planned, run, lambda: self.plan_text(planned, run.session, text))

    def plan_text(self, planned: Planned, session: Session, text: str) -> Planned:
        """Another text of the same statement, or the same one once more, in Spark's SQL."""
        return self.plan(planned.request_for(text, session.id), session, do_not_time)

    def describe(self, planned: Planned, run: Run) -> Description:
        return self.runner.describe(planned, run)
