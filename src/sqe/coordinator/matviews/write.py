"""The statements that write a materialized view's rows: SQE's words around the view's own query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.binding.bound import BoundReference, BoundStatement, BoundTarget
from sqe.broker.commits import CommitExtras
from sqe.catalog.materialized import DEFINITION, STATE, Definition, State
from sqe.catalog.protocol import Json
from sqe.engines.protocol import Engine, Run
from sqe.model.names import RelationName, quote
from sqe.rewrite.guarded import GuardedStatement, replace_statement
from sqe.sql.compose import insert_texts
from sqe.sql.statement import Access, Reference, Span, StatementKind


def compose_statement(
    kind: StatementKind,
    words: tuple[str, str, str],
    target: tuple[RelationName, BoundTarget, Access],
    query: GuardedStatement,
    pieces: Sequence[tuple[int, str]] = (),
) -> GuardedStatement:
    """``words``: before the view's name, between it and the query, behind the query."""
    before, between, behind = words
    name, bound_target, access = target
    inner = query.bound
    spelled = str(name)
    text = inner.statement.text
    head = f"{before}{spelled}{between}"
    statement = insert_texts(inner.statement, [(0, head), *pieces, (len(text), behind)])
    span = Span(len(before), len(before) + len(spelled))
    reference = Reference(name.parts, span, access, alias_at=span.end, if_exists=True)
    moved = [
        BoundReference(reference, old.target, old.as_user)
        for reference, old in zip(statement.references, inner.references, strict=True)
    ]
    whole = replace(statement, kind=kind, references=(reference, *statement.references))
    bound = BoundStatement(whole, (BoundReference(reference, bound_target), *moved))
    return replace_statement(query, bound)


def select_clause(columns: Sequence[str]) -> str:
    """The beginning of a SELECT of the query's columns by name, or of all if names repeat."""
    unique = len({name.lower() for name in columns}) == len(columns)
    items = ", ".join(quote(name) for name in columns) if unique else "*"
    return f" SELECT {items} FROM (\n"  # noqa: S608  names are quoted


def with_state(
    run: Run,
    name: RelationName,
    definition: Definition,
    state: State,
    requirements: tuple[Json, ...] = (),
) -> Run:
    """The run whose commit holds the view's definition and state beside its rows."""
    updates = {DEFINITION: definition.to_json(), STATE: state.to_json()}
    extras = CommitExtras(({"action": "set-properties", "updates": updates},), requirements)
    return replace(run, extras={name: extras})


def require_unchanged(snapshot: int | None) -> Json:
    """Two refreshes at once would add the same rows twice: the second one must fail."""
    return {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": snapshot}


def count_written(statement: GuardedStatement, run: Run, spark: Engine) -> int:
    with spark.prepare(statement, run.session).run(run) as result:
        for _ in result:
            pass
        affected = result.rows_affected
    return affected.inserted or 0 if affected is not None else 0
