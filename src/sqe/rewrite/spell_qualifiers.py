"""``hr.emp`` of ``hr.emp.salary`` follows what its relation is called now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqe.binding.bound import BoundStatement, BoundTable
from sqe.model.names import quote
from sqe.rewrite.rendering import Names, Rendering, outside, quote_parts
from sqe.sql.splice import Edit


def spell_qualifiers(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    return [*edits, *outside(edits, _qualifiers(bound, rendering.names))]


def _qualifiers(bound: BoundStatement, names: Names) -> Iterator[Edit]:
    for qualifier in bound.statement.qualifiers:
        # The longest prefix that names a relation here; a single part needs no change.
        for count in range(len(qualifier.parts), 1, -1):
            spelled = _spell_qualifier(bound, qualifier.parts[:count], names)
            if spelled is not None:
                yield Edit(qualifier.spans[count - 1], spelled)
                break


def _spell_qualifier(bound: BoundStatement, parts: tuple[str, ...], names: Names) -> str | None:
    """``hr.emp`` of ``hr.emp.salary`` as the engine knows it, if a relation here is meant by it."""
    wanted = tuple(part.lower() for part in parts)
    for reference in bound.references:
        target, relation = reference.target, reference.relation
        if reference.reference.alias is not None or relation is None:
            continue
        stored = reference.stored_target
        suffix = stored.suffix if isinstance(stored, BoundTable) else ()
        full = tuple(part.lower() for part in (*relation.parts, *suffix))
        if full[-len(wanted) :] != wanted:
            continue
        if isinstance(target, BoundTable):
            return quote_parts((*names.table(target.name), *suffix)[-len(wanted) :])
        return quote(reference.reference.parts[-1])
    return None
