"""EXPLAIN, EXPLAIN ANALYZE and DESCRIBE QUERY: about a statement, not of it."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.engines.protocol import Engine, Explanation, Run
from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column, EngineKind, Route
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.choose import choose
from sqe.sql.forms import ExplainMode
from sqe.sql.statement import StatementKind

PLAN_COLUMNS = (Column("plan", "string", nullable=False),)
DESCRIBE_COLUMNS = (
    Column("col_name", "string", nullable=False),
    Column("data_type", "string", nullable=False),
    Column("comment", "string"),
)
Engines = Mapping[EngineKind, Engine]


def inner_of(guarded: GuardedStatement) -> GuardedStatement:
    """The statement inside, under the same decisions: they were made for it too."""
    inner = guarded.bound.inner
    if inner is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "The statement holds no other statement.")
    return GuardedStatement(inner, guarded.decisions)


def explain(guarded: GuardedStatement, run: Run, engines: Engines) -> ResultStream:
    inner = inner_of(guarded)
    route = choose(inner, run.session.property("sqe.engine"))
    engine = engines[route.engine]
    command = guarded.bound.statement.command
    mode = command.word if isinstance(command, ExplainMode) else ""
    if guarded.bound.statement.kind is StatementKind.EXPLAIN_ANALYZE:
        explanation = engine.analyze(inner, run)
    else:
        explanation = engine.explain(inner, run, mode)
    return result_of_rows(PLAN_COLUMNS, [(_page(route, explanation),)])


def describe_query(guarded: GuardedStatement, run: Run, engines: Engines) -> ResultStream:
    inner = inner_of(guarded)
    route = choose(inner, run.session.property("sqe.engine"))
    columns = engines[route.engine].describe(inner, run)
    rows = [(column.name, column.type, column.comment or None) for column in columns]
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
