"""A table's name becomes the engine's own name for it: a handle that only this query has."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable
from sqe.model.names import string_literal
from sqe.rewrite.rendering import Names, Rendering, quote_parts
from sqe.sql.splice import Edit


def spell_tables(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    return [
        *edits,
        *(
            edit
            for reference in bound.references
            for edit in _spell_table(reference, rendering.names)
        ),
    ]


def _spell_table(bound: BoundReference, names: Names) -> list[Edit]:
    reference, target = bound.reference, bound.target
    if isinstance(target, BoundAbsent):
        return [Edit(reference.span, quote_parts(names.table(target.name)))]
    if not isinstance(target, BoundTable):
        return []
    name = quote_parts((*names.table(target.name), *target.suffix))
    if reference.literal:
        return [Edit(reference.span, string_literal(name))]
    options = "" if reference.temporal else reference.options
    return [Edit(reference.span, name + options)]
