"""What an engine makes of the statement: values for its markers, a count of its rows, a CALL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.binding.bound import BoundStatement
from sqe.rewrite.rendering import Rendering, is_inside
from sqe.sql.splice import Edit


def apply_changes(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    """What stands in a change is gone."""
    changes = rendering.changes
    kept = (one for one in edits if not any(is_inside(one.span, each.span) for each in changes))
    return [*kept, *changes]
