"""The coordinator as an engine: commands, explanations, views, and questions about metadata."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.access.functions import SqlFunctions
from sqe.catalog.protocol import Catalogs
from sqe.coordinator.explain import PLAN_COLUMNS, explain
from sqe.coordinator.unload_places import UnloadPlaces
from sqe.coordinator.views import create_temporary_view, create_view
from sqe.coordinator.works import WORKS, Tools, Work
from sqe.engines.direct import DirectStatement
from sqe.engines.fallback import Engines
from sqe.engines.protocol import Engine, Explanation, GaveUp, Run
from sqe.engines.router import Router
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind
from sqe.results.arrow_types import arrow_schema
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.session_values import answer_session_functions
from sqe.sessions.session import Session
from sqe.sql.statement import StatementKind


class Coordinator:
    """``commands`` answers SHOW, DESCRIBE, USE, SET SESSION and catalogue statements; ``engines``
    are the others."""

    def __init__(  # noqa: PLR0913  made in one place
        self,
        commands: Engine,
        catalogs: Catalogs,
        engines: Mapping[EngineKind, Engine],
        router: Router,
        unload_places: UnloadPlaces | None = None,
        functions: SqlFunctions | None = None,
    ) -> None:
        self._functions = functions
        self._unload_places = unload_places or UnloadPlaces()
        self._commands = commands
        self._router = router
        self._catalogs = catalogs
        self._spark, self._local = engines[EngineKind.SPARK], engines[EngineKind.LOCAL]
        self._engines: Engines = {EngineKind.COORDINATOR: self, **engines}

    def prepare(self, statement: GuardedStatement, session: Session) -> DirectStatement:
        return DirectStatement(self, statement)

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        kind = statement.bound.statement.kind
        if kind.traits.explains:
            return explain(statement, run, self._engines, self._router)
        if kind is StatementKind.CREATE_TEMPORARY_VIEW:
            return create_temporary_view(statement, run, self._spark)
        if kind is StatementKind.CREATE_VIEW:
            return create_view(statement, run, self._spark, self._catalogs)
        if kind is StatementKind.QUERY:
            return self._metadata_query(statement, run)
        work = _work(statement)
        if work is not None:
            tools = Tools(
                self._engines, self._router, self._catalogs, self._unload_places, self._functions
            )
            return work.run(statement, run, tools)
        return self._commands.prepare(statement, run.session).run(run)

    def describe(self, statement: GuardedStatement, run: Run) -> Description:
        kind = statement.bound.statement.kind
        if kind.traits.explains:
            return Description(PLAN_COLUMNS, arrow_schema(PLAN_COLUMNS))
        if kind is StatementKind.QUERY:
            return self._describe_metadata_query(statement, run)
        if kind is not StatementKind.COMMAND:  # views are made, which has no rows
            return Description((), arrow_schema(()))
        work = _work(statement)
        if work is not None:
            return Description(work.columns, arrow_schema(work.columns))
        return self._commands.prepare(statement, run.session).describe(run)

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        source = statement.bound.statement
        if source.traits.explains:
            raise UserError(ErrorCode.NOT_SUPPORTED, "EXPLAIN of EXPLAIN is not supported.")
        return Explanation(source.text.strip(), "Answered by the coordinator; no engine is asked.")

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        explanation = self.explain(statement, run)
        with self.run(statement, run) as result:
            count = sum(batch.num_rows for batch in result)
        return Explanation(explanation.text, f"{count:,} rows returned\n{explanation.plan}")

    def close(self) -> None:
        self._commands.close()

    def _metadata_query(self, statement: GuardedStatement, run: Run) -> ResultStream:
        try:
            prepared = self._local.prepare(_with_session_values(statement, run), run.session)
            return prepared.run(run)
        except GaveUp:
            return self._spark.prepare(statement, run.session).run(run)

    def _describe_metadata_query(self, statement: GuardedStatement, run: Run) -> Description:
        try:
            prepared = self._local.prepare(_with_session_values(statement, run), run.session)
            return prepared.describe(run)
        except GaveUp:
            return self._spark.prepare(statement, run.session).describe(run)


def _with_session_values(statement: GuardedStatement, run: Run) -> GuardedStatement:
    session = run.session
    return answer_session_functions(statement, session.schema, session.identity.user)


def _work(statement: GuardedStatement) -> Work | None:
    command = statement.bound.statement.command
    return WORKS.get(type(command)) if command is not None else None
