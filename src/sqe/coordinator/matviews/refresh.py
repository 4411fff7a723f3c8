"""REFRESH MATERIALIZED VIEW: nothing, the new rows, or everything, and the answer says which."""

from __future__ import annotations

import time
from dataclasses import replace

from sqe.binding.bound import BoundTable
from sqe.catalog.materialized import (
    STATE,
    Definition,
    State,
    current_snapshot_id,
    read_definition,
    read_state,
)
from sqe.catalog.protocol import Catalogs, Json
from sqe.coordinator.alterations import commit
from sqe.coordinator.matviews.checks import check_query, view_of
from sqe.coordinator.matviews.plan import (
    FULL,
    INCREMENTAL,
    NONE,
    Inputs,
    Plan,
    inputs_of,
    plan_refresh,
)
from sqe.coordinator.matviews.spark_plan import row_by_row
from sqe.coordinator.matviews.write import (
    compose_statement,
    count_written,
    require_unchanged,
    select_clause,
    with_state,
)
from sqe.engines.protocol import Engine, Run
from sqe.errors import ErrorCode, InternalError, SqeError, error_of
from sqe.model.query import Column
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
from sqe.sql.materialized import RefreshMaterializedView
from sqe.sql.statement import Access, StatementKind

REFRESH_COLUMNS = (
    Column("kind", "string", nullable=False),
    Column("reason", "string", nullable=False),
    Column("rows", "bigint", nullable=False),
)


def refresh_materialized_view(
    guarded: GuardedStatement, run: Run, spark: Engine, catalogs: Catalogs
) -> ResultStream:
    target, metadata = view_of(guarded)
    query = inner_statement(guarded)
    check_query(query, target.name, run.session)
    inputs = inputs_of(query.bound)
    plan = _plan(guarded, metadata, inputs, run)
    if plan.kind == INCREMENTAL and not row_by_row(
        spark.prepare(query, run.session).explain(run, "EXTENDED").plan
    ):
        plan = Plan(FULL, "the query cannot be refreshed by parts: Spark does more than filter it")
    state = State(
        inputs.sources,
        int(time.time() * 1000),
        plan.kind,
        current_snapshot_id(metadata),
        run.session.property("sqe.time_zone"),
        inputs.views,
    )
    if plan.kind == NONE:
        _remember(target, metadata, state, run, catalogs)
        rows = 0
    else:
        definition = read_definition(metadata)
        statement = _statement(target, query, definition, plan)
        unchanged = (require_unchanged(state.base),)
        whole = with_state(run, target.name, definition, state, unchanged)
        rows = _write(statement, target, whole, spark)
    return result_of_rows(REFRESH_COLUMNS, [(plan.kind, plan.reason, rows)])


def _plan(guarded: GuardedStatement, metadata: Json, inputs: Inputs, run: Run) -> Plan:
    command = guarded.bound.statement.command
    inner = guarded.bound.inner
    if not isinstance(command, RefreshMaterializedView) or inner is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "REFRESH without a query.")
    if command.full:
        return Plan(FULL, "asked for")
    return plan_refresh(
        metadata, read_state(metadata), inner, inputs, run.session.property("sqe.time_zone")
    )


def _statement(
    target: BoundTable, query: GuardedStatement, definition: Definition, plan: Plan
) -> GuardedStatement:
    """REPLACE WHERE true replaces all rows whatever the partitions, in one commit."""
    pieces = [(reading.span.end, reading.clause) for reading in plan.readings]
    overwrite = "" if plan.kind == INCREMENTAL else " REPLACE WHERE true"
    words = ("INSERT INTO ", f"{overwrite}{select_clause(definition.query_columns)}", "\n)")
    return compose_statement(
        StatementKind.INSERT, words, (target.name, target, Access.WRITE), query, pieces
    )


def _write(statement: GuardedStatement, target: BoundTable, run: Run, spark: Engine) -> int:
    try:
        return count_written(statement, run, spark)
    except SqeError as error:
        # Places are in the definition, which the user has not written here.
        message = f"Materialized view {target.name} was not refreshed: {error.message}"
        raise error_of(error.code, message, hint=error.hint) from error


def _remember(
    target: BoundTable, metadata: Json, state: State, run: Run, catalogs: Catalogs
) -> None:
    """Sources whose files were rewritten have new snapshots with the same rows."""
    before = read_state(metadata)
    if before.sources == state.sources:
        return
    kept = replace(state, kind=before.kind, base=before.base)
    catalog = catalogs.open(target.name.catalog, run.session.identity)
    update = {"action": "set-properties", "updates": {STATE: kept.to_json()}}
    commit(catalog, target, [update], [require_unchanged(current_snapshot_id(metadata))])
