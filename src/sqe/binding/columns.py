"""Checks columns against schemas, for errors that come at once and name the nearest column.

Safety never depends on this: what it cannot tell for sure it leaves to the engine.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping

from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable, BoundView
from sqe.errors import AccessError, ErrorCode, SqeError, UserError, error_of
from sqe.sql.columns import column_names, column_uses
from sqe.sql.statement import Span, Statement, position_at
from sqe.sql.visible_columns import Names, fold_case, names_of, unknown_columns

# Iceberg's columns that every table has besides its own.
_OWN = frozenset({"_file", "_pos", "_partition", "_spec_id", "_deleted", "_row_id"}) | {
    "_last_updated_sequence_number"
}
_LISTED = 20  # columns in a hint
# The columns of a relation that do not exist for this user, in small letters.
Hidden = Callable[[BoundReference], Collection[str]]


def check_columns(bound: BoundStatement, hidden: Hidden) -> None:
    """Refuses a column that nothing in the query certainly has, in views too. Only for those
    who may read the tables: what is said tells their columns."""
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
        inside = f"In view {view.relation or view.name}: "
        if view.definer and error.code is ErrorCode.COLUMN_NOT_FOUND:
            # What it is made of is not the reader's to know.
            problem = "a column that it reads is not there."
            raise error_of(error.code, inside + problem, position=where) from error
        raise error_of(
            error.code, inside + error.message, hint=error.hint, position=where
        ) from error


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
    used = column_names(view.inner.statement.tree) | {
        column_name.lower() for column_name in view.query_columns
    }
    if unseen & used - seen:
        raise AccessError(ErrorCode.ACCESS_DENIED, "It reads columns that you may not see.")


def _check(bound: BoundStatement, hidden: Hidden) -> None:
    statement = bound.statement
    if statement.tree is None:
        return
    known: dict[int, tuple[str, Names]] = {}
    struct_roots: set[str] = set()
    for reference in bound.references:
        target = reference.target
        if isinstance(target, BoundAbsent):
            continue
        unseen = hidden(reference)
        columns = [
            candidate.name for candidate in target.columns if candidate.name.lower() not in unseen
        ]
        struct_roots |= {column.lower() for column in columns}
        # A snapshot, a branch or a metadata table may have other columns than the table has now.
        now = reference.reference.temporal is None and not reference.reference.options
        if now and columns and not (isinstance(target, BoundTable) and target.suffix):
            table = str(target.name) if isinstance(target, BoundTable) else ""
            name = table or reference.reference.parts[-1]
            known[reference.reference.span.start] = (name, names_of(columns))
    if known:
        _check_qualified(statement, known, struct_roots)
    _check_unqualified(statement, known)


def _check_qualified(
    statement: Statement, known: Mapping[int, tuple[str, Names]], struct_roots: Collection[str]
) -> None:
    for use in column_uses(statement.tree):
        if use.relation.start not in known:
            continue
        relation, columns = known[use.relation.start]
        if (
            fold_case(use.column) in columns
            or use.column.lower() in _OWN
            or _qualifier(statement.text, use.span.start) in struct_roots
        ):
            continue
        raise _not_found(statement, use.column, use.span, relation, columns)


def _check_unqualified(statement: Statement, known: Mapping[int, tuple[str, Names]]) -> None:
    def columns_of(start: int) -> Names | None:
        return known[start][1] if start in known else None

    for unknown in unknown_columns(statement.text, statement.tree, columns_of):
        relation = known[unknown.relation][0] if unknown.relation is not None else ""
        raise _not_found(statement, unknown.name, unknown.span, relation, unknown.near)


def _not_found(
    statement: Statement, column: str, span: Span, relation: str, columns: Names
) -> UserError:
    """``relation``: the one that should have it, where that is certain."""
    close = difflib.get_close_matches(fold_case(column), columns, n=1)
    if close:
        hint = f"Did you mean {columns[close[0]]}?"
    elif columns:
        listed = ", ".join(list(columns.values())[:_LISTED])
        hint = f"It has {listed}." if relation else f"There are {listed}."
    else:
        hint = f"Nothing is read here that has columns; text is written as '{column}'."
    return UserError(
        ErrorCode.COLUMN_NOT_FOUND,
        f"{relation} has no column {column}." if relation else f"There is no column {column}.",
        hint=hint,
        position=position_at(statement.text, span.start, span.of(statement.text)),
    )


def _qualifier(text: str, column_start: int) -> str:
    """The word in front of the column's dot: a struct column of that name may be meant instead."""
    before = text[:column_start].rstrip().rstrip(".").rstrip()
    start = len(before)
    while start and (before[start - 1].isalnum() or before[start - 1] in "_`"):
        start -= 1
    return before[start:].strip("`").lower()
