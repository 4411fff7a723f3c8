"""What the engine would carry out wrongly, said so that it does not: see Spark's ``repairs``."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.binding.bound import BoundStatement, BoundTable
from sqe.rewrite.rendering import Rendering
from sqe.sql.splice import Edit
from sqe.sql.statement import Access


def apply_repairs(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    repaired = list(edits)
    for reference in bound.references if rendering.checked else ():
        if reference.reference.access is Access.WRITE and isinstance(reference.target, BoundTable):
            for repair in rendering.names.repairs:
                repaired += repair(bound.statement, reference, edits)
    return repaired
