"""A write that is checked becomes one of rows that meet its condition; see ``writes.py``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sqlglot import exp

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.rewrite.barrier import Harmless
from sqe.rewrite.checked_table import CheckedTable
from sqe.rewrite.expression_types import Types
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.rendering import Rendering
from sqe.rewrite.writes import check_of
from sqe.sql.splice import Edit
from sqe.sql.statement import Access


def hold_writes(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    written = [
        reference for reference in bound.references if reference.reference.access is Access.WRITE
    ]
    for reference in written if rendering.checked else ():
        target, condition = reference.target, reference.check
        if not isinstance(target, BoundTable) or condition is None:
            continue
        check = check_of(
            bound.statement, CheckedTable(bound.statement, reference, target, condition)
        )
        text_of = partial(_condition, reference, condition, rendering)
        return [*edits, *check.edits(text_of, edits, partial(_cannot_fail, rendering.guarded))]
    return edits


def _condition(
    written: BoundReference, condition: BoundStatement, rendering: Rendering, edits: Sequence[Edit]
) -> str:
    """For the engine, with changes to it."""
    text = rendering.text_of(condition, edits).strip()
    if written.relation is not None:
        rendering.names.check(written.relation, text)
    return text


def _cannot_fail(guarded: GuardedStatement, condition: exp.Expr) -> bool:
    """A text that stands for a condition is read as one where it is put together with others."""
    kind = Types(guarded, certain=True).of(condition)
    return kind == "boolean" and Harmless(guarded)(condition)
