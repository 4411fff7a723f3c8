"""MERGE writes a row of the table several times (decision 0015).

Defect: Spark joins a copy-on-write table with the source and writes what comes out. It refuses a
row that matches several rows of the source only if there is a WHEN MATCHED clause. With nothing but
WHEN NOT MATCHED BY SOURCE, the row is written once for each of them.

Repair: a WHEN MATCHED that is true of no row makes Spark look.

Upstream: no report was found. apache/spark#41448 (SPARK-43885) makes the check depend on the
WHEN MATCHED clauses, ``shouldCheckCardinality(matchedActions)``; apache/spark#41577 (SPARK-43963)
brought the same rewrite to copy-on-write tables.

It can go when Spark refuses such a MERGE by itself, or writes the row once:
``tests/embedded/writes/test_repairs.py`` fails then, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.binding.bound import BoundReference, BoundTable
from sqe.errors import ErrorCode, UserError
from sqe.rewrite.merges_text import when_places
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement, position_at

_MODE = "write.merge.mode"
_NOBODY = "WHEN MATCHED AND FALSE THEN DELETE "


def check_matches(
    statement: Statement, written: BoundReference, others: Sequence[Edit]
) -> list[Edit]:
    """Nothing where Spark looks by itself, or need not."""
    tree, target = statement.tree, written.target
    whens = tree.args["whens"].expressions if isinstance(tree, exp.Merge) else []
    if not any(one.args["source"] for one in whens) or any(one.args["matched"] for one in whens):
        return []
    metadata = target.metadata if isinstance(target, BoundTable) else {}
    properties = metadata.get("properties") or {}
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
