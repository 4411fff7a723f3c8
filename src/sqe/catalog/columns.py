"""Checks columns against schemas, for errors that come at once and name the nearest column.

Safety never depends on this: what it cannot tell for sure it leaves to the engine.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection

from sqe.catalog.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable, BoundView
from sqe.errors import AccessError, ErrorCode, SqeError, UserError, error_of
from sqe.sql.columns import column_names, column_uses
from sqe.sql.statement import position_at

# Iceberg's columns that every table has besides its own.
_OWN = frozenset({"_file", "_pos", "_partition", "_spec_id", "_deleted", "_row_id"}) | {
    "_last_updated_sequence_number"
}
# The columns of a relation that do not exist for this user, in small letters.
Hidden = Callable[[BoundReference], Collection[str]]


def check_columns(bound: BoundStatement, hidden: Hidden) -> None:
    """Refuses a qualified column that its table certainly does not have, in views too. Only for
    those who may read the tables: what is said tells their columns."""
    for reference in bound.references:
        if isinstance(reference.target, BoundView):
            _check_view(bound, reference, reference.target, hidden)
    if bound.inner is not None:
        check_columns(bound.inner, hidden)
    _check(bound, hidden)


def _check_view(
    bound: BoundStatement, reference: BoundReference, view: BoundView, hidden: Hidden
) -> None:
    where = position_at(bound.statement.text, reference.reference.span.start)
    try:
        _check_unseen(view, hidden)
        check_columns(view.inner, hidden)
    except SqeError as error:
        # Places in the view's text would mislead: the user sees their own text only.
        message = f"In view {view.relation or view.name}: {error.message}"
        raise error_of(error.code, message, hint=error.hint, position=where) from error


def _check_unseen(view: BoundView, hidden: Hidden) -> None:
    """A view may name columns that do not exist for who reads it. Engines would say which."""
    unseen = {name for reference in view.inner.references for name in hidden(reference)}
    if view.relation is None or not unseen or view.inner.statement.tree is None:
        return
    seen = {
        column.name.lower()
        for reference in view.inner.references
        if not isinstance(reference.target, BoundAbsent)
        for column in reference.target.columns
        if column.name.lower() not in hidden(reference)
    }
    used = column_names(view.inner.statement.tree) | {one.lower() for one in view.query_columns}
    if unseen & used - seen:
        raise AccessError(ErrorCode.ACCESS_DENIED, "It reads columns that you may not see.")


def _check(bound: BoundStatement, hidden: Hidden) -> None:
    statement = bound.statement
    known: dict[int, tuple[str, list[str]]] = {}
    struct_roots: set[str] = set()
    for reference in bound.references:
        target = reference.target
        if isinstance(target, BoundAbsent):
            continue
        unseen = hidden(reference)
        columns = [one.name for one in target.columns if one.name.lower() not in unseen]
        struct_roots |= {column.lower() for column in columns}
        # A snapshot, a branch or a metadata table may have other columns than the table has now.
        now = reference.reference.temporal is None
        if now and not (isinstance(target, BoundTable) and target.suffix):
            table = str(target.name) if isinstance(target, BoundTable) else ""
            name = table or reference.reference.parts[-1]
            known[reference.reference.span.start] = (name, columns)
    if not known or statement.tree is None:
        return
    for use in column_uses(statement.tree):
        if use.relation.start not in known:
            continue
        relation, columns = known[use.relation.start]
        wanted = use.column.lower()
        lowered = [column.lower() for column in columns]
        if (
            wanted in lowered
            or wanted in _OWN
            or _qualifier(statement.text, use.span.start) in struct_roots
        ):
            continue
        close = difflib.get_close_matches(wanted, lowered, n=1)
        nearest = columns[lowered.index(close[0])] if close else ""
        raise UserError(
            ErrorCode.COLUMN_NOT_FOUND,
            f"{relation} has no column {use.column}.",
            hint=f"Did you mean {nearest}?" if nearest else f"It has {', '.join(columns[:20])}.",
            position=position_at(statement.text, use.span.start, use.span.of(statement.text)),
        )


def _qualifier(text: str, column_start: int) -> str:
    """The word in front of the column's dot: a struct column of that name may be meant instead."""
    before = text[:column_start].rstrip().rstrip(".").rstrip()
    start = len(before)
    while start and (before[start - 1].isalnum() or before[start - 1] in "_`"):
        start -= 1
    return before[start:].strip("`").lower()
