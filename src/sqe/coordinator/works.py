"""Commands that the coordinator answers with an engine's help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqe.access.functions import SqlFunctions
from sqe.catalog.protocol import Catalogs
from sqe.coordinator.defaults import run_with_defaults, set_default
from sqe.coordinator.explain import DESCRIBE_COLUMNS, describe_query
from sqe.coordinator.functions import create_function
from sqe.coordinator.matviews.create import create_materialized_view
from sqe.coordinator.matviews.refresh import REFRESH_COLUMNS, refresh_materialized_view
from sqe.coordinator.statistics import (
    MAINTENANCE_COLUMNS,
    STATS_COLUMNS,
    analyze_table,
    show_maintenance,
    show_stats,
)
from sqe.coordinator.unload import UNLOAD_COLUMNS, unload
from sqe.coordinator.unload_places import UnloadPlaces
from sqe.coordinator.variables import declare_variables, set_variables
from sqe.engines.fallback import Engines
from sqe.engines.protocol import Engine, Run
from sqe.engines.router import Router
from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column, EngineKind
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.alter import ColumnsWithDefaults
from sqe.sql.alter_actions import AlterColumnDefault
from sqe.sql.analyze import AnalyzeTable, ShowMaintenance, ShowStats
from sqe.sql.forms import DescribeQuery
from sqe.sql.materialized import CreateMaterializedView, RefreshMaterializedView
from sqe.sql.own_functions.definition import CreateFunction, CreateTemporaryFunction
from sqe.sql.statement import Command
from sqe.sql.unload import Unload
from sqe.sql.variables import DeclareVariable, SetVariable


@dataclass(frozen=True)
class Tools:
    engines: Engines
    router: Router
    catalogs: Catalogs
    unload_places: UnloadPlaces = field(default_factory=UnloadPlaces)
    functions: SqlFunctions | None = None

    @property
    def spark(self) -> Engine:
        return self.engines[EngineKind.SPARK]


@dataclass(frozen=True)
class Work:
    """``columns`` are known before anything is done."""

    columns: tuple[Column, ...]
    run: Callable[[GuardedStatement, Run, Tools], ResultStream]


def _create_function(statement: GuardedStatement, run: Run, tools: Tools) -> ResultStream:
    if tools.functions is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "The coordinator keeps no functions.")
    return create_function(statement, run, tools.spark, tools.functions)


WORKS: dict[type[Command], Work] = {
    DescribeQuery: Work(
        DESCRIBE_COLUMNS,
        lambda statement, run, tools: describe_query(statement, run, tools.engines, tools.router),
    ),
    AnalyzeTable: Work(
        (), lambda statement, run, tools: analyze_table(statement, run, tools.spark)
    ),
    ShowStats: Work(
        STATS_COLUMNS,
        lambda statement, run, tools: show_stats(
            statement, run, tools.engines, tools.router, tools.catalogs
        ),
    ),
    ShowMaintenance: Work(
        MAINTENANCE_COLUMNS,
        lambda statement, run, tools: show_maintenance(statement, run, tools.catalogs),
    ),
    DeclareVariable: Work(
        (),
        lambda statement, run, tools: declare_variables(
            statement, run, tools.engines, tools.router
        ),
    ),
    SetVariable: Work(
        (),
        lambda statement, run, tools: set_variables(statement, run, tools.engines, tools.router),
    ),
    Unload: Work(
        UNLOAD_COLUMNS,
        lambda statement, run, tools: unload(
            statement, run, tools.engines, tools.router, tools.unload_places
        ),
    ),
    AlterColumnDefault: Work(
        (),
        lambda statement, run, tools: set_default(statement, run, tools.spark, tools.catalogs),
    ),
    ColumnsWithDefaults: Work(
        (), lambda statement, run, tools: run_with_defaults(statement, run, tools.spark)
    ),
    CreateFunction: Work((), _create_function),
    CreateTemporaryFunction: Work((), _create_function),
    CreateMaterializedView: Work(
        (), lambda statement, run, tools: create_materialized_view(statement, run, tools.spark)
    ),
    RefreshMaterializedView: Work(
        REFRESH_COLUMNS,
        lambda statement, run, tools: refresh_materialized_view(
            statement, run, tools.spark, tools.catalogs
        ),
    ),
}
