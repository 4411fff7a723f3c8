"""The pipe: what happens to a statement, in order. Nothing else calls these stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from sqe.access.ownership import Ownership
from sqe.access.policy_authority import SessionAuthority
from sqe.access.privileges import Privileges
from sqe.access.scopes import check_scope
from sqe.access.view_disclosure import decisions_on
from sqe.binding.binder import Binder
from sqe.binding.statement_cache import statement_cache
from sqe.catalog.redaction import Redaction, show_all
from sqe.catalog.transaction import current
from sqe.engines.fallback import run_with_fallback
from sqe.engines.protocol import Engine, Run
from sqe.engines.rerun import Reruns, same_tables
from sqe.gateway.transactions import check_transaction, join_transaction
from sqe.model.query import ClientState, EngineKind, QueryRequest, Route
from sqe.policy.policy import Policy
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.parameters import described, with_values
from sqe.routing.router import Router
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.statement import StatementKind
from sqe.sql.text import TextLimits

if TYPE_CHECKING:  # read when the first Trino statement comes, not at start
    from sqe.access.trino_lookup import Open
    from sqe.sql.trino.translated import Translated

Stage = Callable[[str], AbstractContextManager[None]]
# A statement depends on its text alone and nobody changes it; dashboards repeat theirs.
_parse_once = lru_cache(maxsize=256)(parse)
_SHORT = 20_000  # characters
NOTHING = "SELECT 1"  # stands for statements that only change what the client keeps


@dataclass(frozen=True)
class Planned:
    """A statement that may run, and where. ``translated``: what it is of a Trino statement."""

    guarded: GuardedStatement
    route: Route
    translated: Translated | None = None

    @property
    def restricted(self) -> bool:
        return self.guarded.restricted

    @property
    def label(self) -> str:
        if self.translated is not None and self.translated.update_type:
            return self.translated.update_type.lower()
        return self.guarded.bound.statement.label


@dataclass(frozen=True)
class Pipeline:
    limits: TextLimits
    binder: Binder
    policy: Policy
    engines: Mapping[EngineKind, Engine]
    router: Router
    reruns: Reruns = field(default_factory=Reruns)
    hash_keys: HashKeys = field(default_factory=HashKeys)
    grants: bool = False  # rules can be made with SQL
    ownership: Ownership | None = None
    sight: Redaction = show_all

    @cached_property
    def rights(self) -> Privileges:
        return Privileges(self.policy, self.binder.catalogs, self.binder.whole)

    def plan(
        self, request: QueryRequest, session: Session, stage: Stage, *, describes: bool = False
    ) -> Planned:
        """``describes``: markers may be left without values, which nothing is run with."""
        with statement_cache():
            return self._plan(request, session, stage, describes=describes)

    def _plan(
        self, request: QueryRequest, session: Session, stage: Stage, *, describes: bool = False
    ) -> Planned:
        if request.client is not None:
            return self._plan_trino(request, session, stage)
        with stage("parse"):
            read = _parse_once if len(request.text) <= _SHORT else parse
            statement = read(request.text, self.limits)
            check_scope(session.identity, statement)
            join_transaction(statement)
        with stage("bind"):
            bound = self.binder.bind(statement, session, request.session_values)
            check_transaction(bound)
        with stage("decide"):
            self.rights.check(statement, session)
            decisions = decisions_on(self.policy, bound, session.identity)
        with stage("guard"):
            guarded = guard(bound, decisions, self._authority(session))
            values, rows = request.parameters, request.rows
            left_open = describes and values is None and not rows
            guarded = described(guarded) if left_open else with_values(guarded, values, rows)
        with stage("route"):
            route = self.router.route(guarded, session)
        return Planned(guarded, route)

    def _plan_trino(self, request: QueryRequest, session: Session, stage: Stage) -> Planned:
        """Translated to Spark's SQL, it goes through the same pipe as everything else."""
        with stage("translate"):
            from sqe.access.trino_lookup import PipeLookup
            from sqe.gateway.trino import translate_request

            client, look = request.client or ClientState(), self._look_into(session)
            lookup = PipeLookup(self.binder.catalogs, session, client, look, self.sight)
            translated = translate_request(request, session, lookup, grants=self.grants)
            self.rights.check_client(request, translated.changes, session.identity)
        text, values = translated.text or NOTHING, translated.session_values
        inner = replace(request, text=text, client=None, session_values=values)
        return replace(self._plan(inner, session, stage), translated=translated)

    def _look_into(self, session: Session) -> Open:
        def look(text: str) -> GuardedStatement:
            bound = self.binder.bind(parse(text, self.limits), session)
            decisions = decisions_on(self.policy, bound, session.identity)
            return guard(bound, decisions, self._authority(session))

        return look

    def _authority(self, session: Session) -> SessionAuthority:
        return SessionAuthority(
            self.binder, self.limits, session, self.hash_keys, self.policy.known
        )

    def run(self, planned: Planned, run: Run) -> ResultStream:
        if planned.translated is None:
            return self._run_spark(planned, run)
        from sqe.gateway.trino_results import trino_result

        return trino_result(
            planned.translated,
            lambda: self._run_spark(planned, run),
            lambda text: self._run_spark(self._plan_anew(planned, run.session, text), run),
        )

    def _plan_anew(self, planned: Planned, session: Session, text: str) -> Planned:
        values = planned.translated.session_values if planned.translated is not None else {}
        request = QueryRequest(
            session.id,
            text,
            parameters=planned.guarded.parameters,
            rows=planned.guarded.value_rows,
            session_values=values,
        )
        return self.plan(request, session, lambda stage: nullcontext())

    def _run_spark(self, planned: Planned, run: Run) -> ResultStream:
        if current() is not None:  # a conflict there is one of its own statements
            return self._run(planned, run)
        return self.reruns.of(
            planned.guarded.bound.statement,
            run,
            first=lambda: self._run(planned, run),
            again=lambda: self._run_again(planned, run),
        )

    def _run(self, planned: Planned, run: Run) -> ResultStream:
        guarded = planned.guarded
        result = run_with_fallback(
            planned.route, self.engines, run, lambda engine: engine.run(guarded, run)
        )
        with ExitStack() as unless_noted:
            unless_noted.callback(result.close)
            if self.ownership is not None:
                self.ownership.note(guarded, run.session)
            unless_noted.pop_all()
        return result

    def _run_again(self, planned: Planned, run: Run) -> ResultStream:
        fresh = self._plan_anew(planned, run.session, planned.guarded.bound.statement.text)
        same_tables(planned.guarded.bound, fresh.guarded.bound)
        reason = f"{fresh.route.reason}; run again after a conflict"
        run.rerouted(replace(fresh.route, reason=reason))
        return self._run(fresh, run)

    def describe(self, planned: Planned, run: Run) -> Description:
        guarded = planned.guarded
        found = run_with_fallback(
            planned.route, self.engines, run, lambda engine: engine.describe(guarded, run)
        )
        reads = guarded.bound.statement.kind is StatementKind.QUERY
        return replace(
            found,
            parameters=tuple(parameter.type for parameter in guarded.parameters),
            changes=not reads and not found.columns,
        )
