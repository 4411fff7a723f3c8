"""EXPLAIN, EXPLAIN ANALYZE and DESCRIBE QUERY: about a statement, not of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.engines.fallback import Engines, run_with_fallback
from sqe.engines.protocol import Explanation, Prepared, Run
from sqe.engines.router import Router
from sqe.model.query import NOT_SHOWN, Column, Route
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
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
    routed = router.route(inner, run.session)
    routes = [routed.route]

    def ask(prepared: Prepared, run: Run) -> Explanation:
        if inner.restricted:
            return _of_a_part(inner, run, prepared, analyzes)
        return prepared.analyze(run) if analyzes else prepared.explain(run, mode)

    explanation = run_with_fallback(routed, engines, replace(run, rerouted=routes.append), ask)
    page = _page(routes[-1], explanation, _restrictions(inner))
    return result_of_rows(PLAN_COLUMNS, [(page,)])


def _of_a_part(
    inner: GuardedStatement, run: Run, prepared: Prepared, analyzes: bool
) -> Explanation:
    """An engine's plan would show the policy's conditions, and how many rows and files there are
    of all of a table."""
    text = inner.bound.statement.text.strip()
    if not analyzes:
        prepared.describe(run)  # what is wrong with the statement is said as ever
        return Explanation(text, _NO_PLAN)
    with prepared.run(run) as result:
        count = sum(batch.num_rows for batch in result)
        amount = str(result.rows_affected) if result.rows_affected else f"{count:,} rows returned"
    return Explanation(text, f"{amount}\n{_NO_PLAN}")


def _restrictions(inner: GuardedStatement) -> list[str]:
    """Which tables are seen in part, and by which rule."""
    lines = {
        f"{reference.relation}: {restriction.reason}": None
        for reference in inner.bound.walk()
        if (restriction := inner.restriction(reference)) is not None and not reference.as_user
    }
    return list(lines)


def describe_query(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router
) -> ResultStream:
    inner = inner_statement(guarded)
    routed = router.route(inner, run.session)
    description = run_with_fallback(
        routed, engines, run, lambda prepared, run: prepared.describe(run)
    )
    rows = [(column.name, column.type, column.comment or None) for column in description.columns]
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
