"""MERGE that would write rows of the table several times.

Spark joins a copy-on-write table with the source and writes what comes out. Where a row of the
table matches several of the source, it says so, but only if WHEN MATCHED does something: with
nothing but WHEN NOT MATCHED BY SOURCE, the row is written once for each of them. A WHEN MATCHED
that is for no row makes it look (decision 0015).
"""

from __future__ import annotations

from sqlglot import exp

from sqe.binding.bound import BoundTable
from sqe.errors import ErrorCode, UserError
from sqe.rewrite.merges_text import when_places
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement, position_at

_MODE = "write.merge.mode"
_NOBODY = "WHEN MATCHED AND FALSE THEN DELETE "


def match_edits(statement: Statement, target: BoundTable) -> list[Edit]:
    """Nothing where Spark looks by itself, or need not."""
    tree = statement.tree
    whens = tree.args["whens"].expressions if isinstance(tree, exp.Merge) else []
    if not any(one.args["source"] for one in whens) or any(one.args["matched"] for one in whens):
        return []
    properties = target.metadata.get("properties") or {}
    if str(properties.get(_MODE)).lower() == "merge-on-read":
        return []  # only what changes is written
    places = when_places(statement)
    if len(places) != len(whens):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "It cannot be told where this MERGE says WHEN.",
            hint="Add WHEN MATCHED AND FALSE THEN DELETE as its first clause.",
            position=position_at(statement.text, 0),
        )
    return [Edit(Span(places[0], places[0]), _NOBODY)]
