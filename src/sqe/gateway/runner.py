"""Runs a planned statement: on the second engine if the first gives up, again after a conflict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from sqe.access.ownership import Ownership
from sqe.catalog.transaction import current
from sqe.engines.fallback import run_with_fallback
from sqe.engines.protocol import Engine, Prepared, Run
from sqe.engines.rerun import Reruns, same_tables
from sqe.engines.result_cache.cache import Keeping
from sqe.engines.router import RoutedStatement
from sqe.errors import ErrorCode, InternalError
from sqe.gateway.dialects import Translation
from sqe.model.query import EngineKind, QueryRequest, RelationUse, Route
from sqe.results.arrow_types import arrow_schema
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.relation_uses import relation_uses
from sqe.sql.statement import StatementKind


@dataclass(frozen=True)
class Planned:
    """A statement that may run, and where. ``guarded`` is None where no engine has work to do.
    ``prepared`` and ``keeping``: see ``RoutedStatement``."""

    translation: Translation
    guarded: GuardedStatement | None
    route: Route
    prepared: Prepared | None = None
    keeping: Keeping | None = None

    @property
    def guarded_statement(self) -> GuardedStatement:
        if self.guarded is None:
            raise InternalError(ErrorCode.INTERNAL_ERROR, "No engine has anything to run here.")
        return self.guarded

    @property
    def routed(self) -> RoutedStatement:
        return RoutedStatement(self.guarded_statement, self.route, self.prepared)

    def request_for(self, text: str, session_id: str) -> QueryRequest:
        """Asks for another text of the same statement, with the same values."""
        return QueryRequest(
            session_id,
            text,
            parameters=self.guarded.parameters if self.guarded is not None else (),
            rows=self.guarded.value_rows if self.guarded is not None else (),
            session_values=self.translation.session_values,
        )

    @property
    def restricted(self) -> bool:
        return self.guarded is not None and self.guarded.restricted

    @property
    def relations(self) -> tuple[RelationUse, ...]:
        """The relations that it touches, for the record."""
        return relation_uses(self.guarded) if self.guarded is not None else ()

    @property
    def label(self) -> str:
        """The kind of the statement in words."""
        label = self.guarded.bound.statement.label if self.guarded is not None else ""
        return self.translation.label or label


@dataclass(frozen=True)
class Runner:
    """``engines`` has the coordinator as well, which answers what needs no engine."""

    engines: Mapping[EngineKind, Engine]
    reruns: Reruns = field(default_factory=Reruns)
    ownership: Ownership | None = None

    def run(self, planned: Planned, run: Run, plan_again: Callable[[], Planned]) -> ResultStream:
        """``plan_again`` plans the same text from the catalogs as they are then."""
        if current() is not None:  # a conflict in a transaction is with one of its own statements
            return self._run(planned, run)
        return self.reruns.of(
            planned.guarded_statement.bound.statement,
            run,
            first=lambda: self._run(planned, run),
            again=lambda: self._run_again(planned, plan_again(), run),
        )

    def _run(self, planned: Planned, run: Run) -> ResultStream:
        result = run_with_fallback(
            planned.routed, self.engines, run, lambda prepared, run: prepared.run(run)
        )
        with ExitStack() as unless_noted:
            unless_noted.callback(result.close)
            if self.ownership is not None:
                self.ownership.note(planned.guarded_statement, run.session)
            unless_noted.pop_all()
        return planned.keeping.keep(result) if planned.keeping is not None else result

    def _run_again(self, planned: Planned, fresh: Planned, run: Run) -> ResultStream:
        same_tables(planned.guarded_statement.bound, fresh.guarded_statement.bound)
        reason = f"{fresh.route.reason}; run again after a conflict"
        run.note_replan(fresh.relations, fresh.restricted)
        run.rerouted(replace(fresh.route, reason=reason))
        return self._run(fresh, run)

    def describe(self, planned: Planned, run: Run) -> Description:
        if planned.guarded is None:
            return Description((), arrow_schema(()))
        guarded = planned.guarded
        described = run_with_fallback(
            planned.routed, self.engines, run, lambda prepared, run: prepared.describe(run)
        )
        reads = guarded.bound.statement.kind is StatementKind.QUERY
        return replace(
            described,
            parameters=tuple(parameter.type for parameter in guarded.parameters),
            changes=not reads and not described.columns,
        )
