"""What may be done with ``t.branch_x``, ``t.snapshots``, ``t WITH (…)`` and their kin."""

from __future__ import annotations

import difflib

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.errors import ErrorCode, UserError
from sqe.model.names import quote
from sqe.sql.statement import Access, position_at

_LOOKING = (Access.READ, Access.DESCRIBE, Access.DROP)  # DROP says itself what it takes
_BRANCH = "branch_"


def refuse_odd_writes(bound: BoundStatement) -> None:
    for reference in bound.references:
        if reference.reference.access not in _LOOKING:
            _check(bound, reference)
    if bound.inner is not None:
        refuse_odd_writes(bound.inner)


def _check(bound: BoundStatement, reference: BoundReference) -> None:
    target, text, span = reference.target, bound.statement.text, reference.reference.span
    if not isinstance(target, BoundTable) or not target.suffix or target.loaded is None:
        return
    part = target.suffix[-1]
    where = position_at(text, span.start, span.of(text))
    if not part.startswith(_BRANCH) or reference.reference.access is not Access.WRITE:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{target.name}.{quote(part)} cannot be changed; a table can be, and rows of a branch.",
            position=where,
        )
    wanted = part.removeprefix(_BRANCH)
    known = target.loaded.metadata.get("refs") or {}
    branches = [name for name, what in known.items() if what["type"] == "branch"]
    if wanted in branches or wanted == "main":
        return
    close = difflib.get_close_matches(wanted, branches, n=1)
    make = f"ALTER TABLE {target.name} CREATE BRANCH {quote(wanted)} makes it."
    raise UserError(
        ErrorCode.SNAPSHOT_NOT_FOUND,
        f"{target.name} has no branch {wanted}.",
        hint=f"Did you mean {close[0]}?" if close else make,
        position=where,
    )


def refuse_odd_options(bound: BoundStatement) -> None:
    """Options belong to tables, and Spark takes those of one place for every place of a query that
    names the same table."""
    chosen: dict[tuple[object, ...], str] = {}
    for reference in bound.walk():
        target, options = reference.target, reference.reference.options
        if not isinstance(target, BoundTable):
            if options:
                name = ".".join(reference.reference.parts)
                raise UserError(
                    ErrorCode.NOT_SUPPORTED, f"{name} is not a table; it takes no options."
                )
            continue
        if chosen.setdefault((target.name, *target.suffix), options) != options:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"{target.name} is read twice in one query, with different options.",
                hint="Read it once and filter by _commit_snapshot_id, or keep one of the two in a "
                "table.",
            )
