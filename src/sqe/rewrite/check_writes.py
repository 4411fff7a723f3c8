"""A table of which a user sees some rows, and which they write, gets a condition for those rows."""

from __future__ import annotations

from dataclasses import replace

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.errors import ErrorCode, InternalError
from sqe.model.decision import Restrict
from sqe.rewrite.checked_table import CheckedTable
from sqe.rewrite.guard_views import bind_condition
from sqe.rewrite.guarding import Guarding
from sqe.rewrite.masked_writes import refuse_masked, refuse_masked_filters
from sqe.rewrite.needs import key_of
from sqe.rewrite.writes import check_of, parts_of
from sqe.sql.statement import Access, Statement


def may_be_checked(statement: Statement, reference: BoundReference, limits: Restrict) -> bool:
    """Whether no column is hidden, the filters are all such that rows they show may be written, and
    it is a statement that can be held to them, and to leave masked columns alone."""
    target = reference.target
    return (
        statement.traits.row_by_row
        and reference.reference.access is Access.WRITE
        and isinstance(target, BoundTable)
        and not target.suffix
        and bool(limits.filters or limits.masks)
        and all(row_filter.check for row_filter in limits.filters)
        and not limits.hidden
        and parts_of(statement) is not None
    )


def check_writes(bound: BoundStatement, guarding: Guarding) -> BoundStatement:
    """The statement with what the rows of the table it writes are held to."""

    def check_reference(reference: BoundReference) -> BoundReference:
        key = key_of(reference)
        limits = guarding.decisions[key] if key is not None else None
        if not isinstance(limits, Restrict) or reference.reference.access is not Access.WRITE:
            return reference
        return _check_write(bound, reference, limits, guarding)

    return replace(bound, references=tuple(map(check_reference, bound.references)))


def _check_write(
    bound: BoundStatement, reference: BoundReference, limits: Restrict, guarding: Guarding
) -> BoundReference:
    target, authority = reference.target, guarding.authority
    if not isinstance(target, BoundTable) or authority is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A write that cannot be checked.")
    refuse_masked(bound.statement, reference, target, limits)
    if not limits.filters:
        return reference
    condition = bind_condition(limits, target, authority, reference.as_user)
    checked = replace(reference, check=condition)
    table = CheckedTable(bound.statement, checked, target, condition)
    refuse_masked_filters(table, limits)
    check_of(bound.statement, table).refuse()
    return checked
