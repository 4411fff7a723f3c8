"""The coordinator as an engine: commands, explanations, views, and questions about metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import ListingFilter
from sqe.catalog.protocol import Catalogs
from sqe.coordinator.explain import PLAN_COLUMNS, explain
from sqe.coordinator.unload_places import UnloadPlaces
from sqe.coordinator.views import create_temporary_view, create_view
from sqe.coordinator.works import WORKS, Tools, Work
from sqe.engines.fallback import Engines
from sqe.engines.metadata import MetadataSource
from sqe.engines.protocol import Engine, Explanation, GaveUp, Run
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind
from sqe.results.arrow_types import arrow_schema
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.router import Router
from sqe.sql.statement import StatementKind

if TYPE_CHECKING:
    from sqe.engines.local.metadata import MetadataQuery


class Coordinator:
    """``commands`` answers SHOW, DESCRIBE, USE, SET SESSION and catalogue statements; ``engines``
    are the others."""

    def __init__(  # noqa: PLR0913  made in one place, by name
        self,
        commands: Engine,
        catalogs: Catalogs,
        metadata: MetadataSource,
        engines: Mapping[EngineKind, Engine],
        router: Router,
        unload_places: UnloadPlaces | None = None,
    ) -> None:
        self._unload_places = unload_places or UnloadPlaces()
        self._commands = commands
        self._metadata = metadata
        self._router = router
        self._catalogs = catalogs
        self._spark, self._local = engines[EngineKind.SPARK], engines[EngineKind.LOCAL]
        self._engines: Engines = {EngineKind.COORDINATOR: self, **engines}

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
            tools = Tools(self._engines, self._router, self._catalogs, self._unload_places)
            return work.run(statement, run, tools)
        return self._commands.run(statement, run)

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
        return self._commands.describe(statement, run)

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
        # Imported here: DuckDB and the optimizer are not needed for most statements.
        from sqe.engines.local.metadata import NotLocal, run_metadata_query

        if not _asks_provider(statement):
            with suppress(NotLocal):
                query = metadata_query(statement, run)
                return run_metadata_query(query, self._fetch(run), run.cancellation)
        try:
            return self._local.run(statement, run)
        except GaveUp:
            return self._spark.run(statement, run)

    def _describe_metadata_query(self, statement: GuardedStatement, run: Run) -> Description:
        from sqe.engines.local.metadata import NotLocal, describe_metadata_query

        if not _asks_provider(statement):
            with suppress(NotLocal):
                return describe_metadata_query(metadata_query(statement, run))
        try:
            return self._local.describe(statement, run)
        except GaveUp:
            return self._spark.describe(statement, run)

    def _fetch(self, run: Run) -> Callable[[BoundMetadata, ListingFilter], pa.Table]:
        return lambda relation, wanted: self._metadata.rows(relation, wanted, run)


def _asks_provider(statement: GuardedStatement) -> bool:
    return any(
        isinstance(reference.target, BoundMetadata) and bool(reference.target.provider)
        for reference in statement.bound.references
    )


def _work(statement: GuardedStatement) -> Work | None:
    command = statement.bound.statement.command
    return WORKS.get(type(command)) if command is not None else None


def metadata_query(statement: GuardedStatement, run: Run) -> MetadataQuery:
    from sqe.engines.local.metadata import MetadataQuery

    source = statement.bound.statement
    relations = {
        reference.reference.parts: reference.target
        for reference in statement.bound.references
        if isinstance(reference.target, BoundMetadata)
    }
    schema = run.session.schema
    values = {
        "current_catalog": schema.catalog,
        "current_schema": ".".join(schema.path),
        "current_user": run.session.identity.user,
    }
    return MetadataQuery(source.tree, source.text, relations, values, statement.parameters)
