"""A guard becomes a derived table: the rows and columns that this user sees, and no others.

Its name is one that nobody can guess: the engine looks for it in the plan (lock 5). Keys of hash
masks are markers, whose values go to the engine beside the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqe.binding.bound import BoundReference, BoundStatement, BoundView, Guard
from sqe.model.names import quote
from sqe.rewrite.derived import derive
from sqe.rewrite.rendering import Rendering
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement


def inline_guards(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    guards = (
        edit
        for reference in bound.references
        for edit in _inline_view(bound.statement, reference, rendering)
    )
    return [*edits, *guards]


def _inline_view(statement: Statement, bound: BoundReference, rendering: Rendering) -> list[Edit]:
    reference, target = bound.reference, bound.target
    if not isinstance(target, BoundView) or target.guard is None:
        return []
    # What stood behind the name is inside the guard now.
    end = reference.temporal.end if reference.temporal else reference.span.end
    text = _guard_text(target, target.guard, rendering)
    return derive(statement, bound, text, Span(reference.span.start, end))


def _guard_text(view: BoundView, guard: Guard, rendering: Rendering) -> str:
    """A sample of all rows is a barrier: Spark moves no filter, join or expression through it, and
    unlike a random condition it is allowed wherever a query is."""
    names = rendering.names
    markers = zip(view.inner.statement.markers, guard.keys, strict=True)
    keys = [Edit(span, f" {names.key(key)} ") for span, key in markers]
    text = rendering.text_of(view.inner, keys).strip()
    barrier = " TABLESAMPLE (100 PERCENT)" if guard.barrier else ""
    alias = quote(names.guard(view, text))
    return f"(SELECT * FROM ({text}\n){barrier} AS {alias})"  # noqa: S608  names are quoted, the rest is the policy's own SQL
