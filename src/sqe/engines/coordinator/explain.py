"""EXPLAIN, EXPLAIN ANALYZE and DESCRIBE QUERY: about a statement, not of it."""

from __future__ import annotations

from dataclasses import replace

from sqe.engines.attempt import Engines, attempt
from sqe.engines.protocol import Engine, Explanation, Run
from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column, Route
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.router import Router
from sqe.sql.forms import ExplainMode
from sqe.sql.statement import StatementKind

PLAN_COLUMNS = (Column("plan", "string", nullable=False),)
DESCRIBE_COLUMNS = (
    Column("col_name", "string", nullable=False),
    Column("data_type", "string", nullable=False),
    Column("comment", "string"),
)


def inner_of(guarded: GuardedStatement) -> GuardedStatement:
    """The statement inside, under the same decisions: they were made for it too."""
    inner = guarded.bound.inner
    if inner is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "The statement holds no other statement.")
    return GuardedStatement(inner, guarded.decisions, guarded.parameters)


def explain(guarded: GuardedStatement, run: Run, engines: Engines, router: Router) -> ResultStream:
    inner = inner_of(guarded)
    command = guarded.bound.statement.command
    mode = command.word if isinstance(command, ExplainMode) else ""
    analyzes = guarded.bound.statement.kind is StatementKind.EXPLAIN_ANALYZE
    routes = [router.route(inner, run.session)]

    def ask(engine: Engine) -> Explanation:
        return engine.analyze(inner, run) if analyzes else engine.explain(inner, run, mode)

    explanation = attempt(routes[0], engines, replace(run, rerouted=routes.append), ask)
    return result_of_rows(PLAN_COLUMNS, [(_page(routes[-1], explanation),)])


def describe_query(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router
) -> ResultStream:
    inner = inner_of(guarded)
    route = router.route(inner, run.session)
    found = attempt(route, engines, run, lambda engine: engine.describe(inner, run))
    rows = [(column.name, column.type, column.comment or None) for column in found.columns]
    return result_of_rows(DESCRIBE_COLUMNS, rows)


def _page(route: Route, explanation: Explanation) -> str:
    return "\n".join(
        (
            f"Engine: {route.engine.value}",
            f"Reason: {route.reason}",
            "Query:",
            *(f"  {line}" for line in explanation.text.splitlines()),
            "Plan:",
            *(f"  {line}" for line in explanation.plan.strip().splitlines()),
        )
    )
