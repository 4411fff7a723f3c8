"""Checks columns against schemas, for errors that come at once and name the nearest column.

Safety never depends on this: what it cannot tell for sure it leaves to the engine.
"""

from __future__ import annotations

import difflib

from sqe.catalog.bound import BoundAbsent, BoundStatement, BoundTable
from sqe.errors import ErrorCode, UserError
from sqe.sql.columns import column_uses
from sqe.sql.statement import position_at

# Iceberg's columns that every table has besides its own.
_HIDDEN = frozenset({"_file", "_pos", "_partition", "_spec_id", "_deleted", "_row_id"}) | {
    "_last_updated_sequence_number"
}


def check_columns(bound: BoundStatement) -> None:
    """Refuses a qualified column that its table certainly does not have."""
    statement = bound.statement
    known: dict[int, tuple[str, list[str]]] = {}
    struct_roots: set[str] = set()
    for reference in bound.references:
        target = reference.target
        if isinstance(target, BoundAbsent):
            continue
        struct_roots |= {column.name.lower() for column in target.columns}
        # A snapshot, a branch or a metadata table may have other columns than the table has now.
        now = reference.reference.temporal is None
        if now and not (isinstance(target, BoundTable) and target.suffix):
            name = (
                str(target.name)
                if isinstance(target, BoundTable)
                else reference.reference.parts[-1]
            )
            known[reference.reference.span.start] = (name, [c.name for c in target.columns])
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
            or wanted in _HIDDEN
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
