"""A relation of information_schema, or of a dialect's metadata, becomes the rows that this user may
know of."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.binding.bound import BoundMetadata, BoundStatement
from sqe.rewrite.derived import derive
from sqe.rewrite.rendering import Rendering
from sqe.sql.splice import Edit


def inline_metadata(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    rows = [
        edit
        for reference in bound.references
        if isinstance(reference.target, BoundMetadata)
        for edit in derive(
            bound.statement,
            reference,
            f"({rendering.names.metadata(reference.target)})",
            reference.reference.span,
        )
    ]
    return [*edits, *rows]
