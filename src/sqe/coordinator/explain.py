"""EXPLAIN, EXPLAIN ANALYZE and DESCRIBE QUERY: about a statement, not of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.engines.fallback import Engines, run_with_fallback
from sqe.engines.protocol import Engine, Explanation, Run
from sqe.model.query import NOT_SHOWN, Column, Route
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
from sqe.routing.router import Router
from sqe.sql.forms import ExplainMode
from sqe.sql.statement import StatementKind

_NO_PLAN = "Not shown: it would tell of what you do not see."
PLAN_COLUMNS = (Column("plan", "string", nullable=False),)
DESCRIBE_COLUMNS = (
    Column("col_name", "string", nullable=False),
    Column("data_type", "string", nullable=False),
    Column("comment", "string"),
)


def explain(guarded: GuardedStatement, run: Run, engines: Engines, router: Router) -> ResultStream:
    inner = inner_statement(guarded)
    command = guarded.bound.statement.command
    mode = command.word if isinstance(command, ExplainMode) else ""
    analyzes = guarded.bound.statement.kind is StatementKind.EXPLAIN_ANALYZE
    routes = [router.route(inner, run.session)]

    def ask(engine: Engine) -> Explanation:
        if inner.restricted:
            return _of_a_part(inner, run, engine, analyzes)
        return engine.analyze(inner, run) if analyzes else engine.explain(inner, run, mode)

    explanation = run_with_fallback(routes[0], engines, replace(run, rerouted=routes.append), ask)
    page = _page(routes[-1], explanation, _restrictions(inner))
    return result_of_rows(PLAN_COLUMNS, [(page,)])


def _of_a_part(inner: GuardedStatement, run: Run, engine: Engine, analyzes: bool) -> Explanation:
    """An engine's plan would show the policy's conditions, and how many rows and files there are
    of all of a table."""
    text = inner.bound.statement.text.strip()
    if not analyzes:
        engine.describe(inner, run)  # what is wrong with the statement is said as ever
        return Explanation(text, _NO_PLAN)
    with engine.run(inner, run) as result:
        count = sum(batch.num_rows for batch in result)
        said = str(result.affected) if result.affected else f"{count:,} rows returned"
    return Explanation(text, f"{said}\n{_NO_PLAN}")


def _restrictions(inner: GuardedStatement) -> list[str]:
    """Which tables are seen in part, and by which rule."""
    found = {
        f"{reference.relation}: {restriction.reason}": None
        for reference in inner.bound.walk()
        if (restriction := inner.restriction(reference)) is not None and not reference.as_user
    }
    return list(found)


def describe_query(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router
) -> ResultStream:
    inner = inner_statement(guarded)
    route = router.route(inner, run.session)
    found = run_with_fallback(route, engines, run, lambda engine: engine.describe(inner, run))
    rows = [(column.name, column.type, column.comment or None) for column in found.columns]
    return result_of_rows(DESCRIBE_COLUMNS, rows)


def _page(route: Route, explanation: Explanation, restricted: Sequence[str]) -> str:
    return "\n".join(
        (
            f"Engine: {'not shown' if route.hidden else route.engine.value}",
            f"Reason: {NOT_SHOWN if route.hidden else route.reason}",
            "Query:",
            *(f"  {line}" for line in explanation.text.splitlines()),
            *(["Seen in part:"] if restricted else []),
            *(f"  {line}" for line in restricted),
            "Plan:",
            *(f"  {line}" for line in explanation.plan.strip().splitlines()),
        )
    )
