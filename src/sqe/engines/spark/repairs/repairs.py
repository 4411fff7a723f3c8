"""What SQE does about defects of Spark and Iceberg, until they are mended upstream.

A repair changes no meaning: with it, Spark does what the statement says. It is not optional either,
for without it rows are lost or written twice. Each has a file that says what is wrong, where that
was reported, and when the repair can go; a strict xfail test notices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqe.catalog.protocol import Loaded
from sqe.engines.spark.repairs.merge_matches import check_matches
from sqe.engines.spark.repairs.null_conditions import keep_nulls
from sqe.engines.spark.repairs.null_partitions import judge_by_row
from sqe.rewrite.rendering import TextRepair

TableRepair = Callable[[Loaded], Loaded]


@dataclass(frozen=True)
class Repairs:
    """``texts``: of a statement that writes a table. ``tables``: of the metadata that Spark is
    shown of a table whose rows it reads or changes."""

    texts: tuple[TextRepair, ...] = ()
    tables: tuple[TableRepair, ...] = ()

    def show(self, loaded: Loaded) -> Loaded:
        for repair in self.tables:
            loaded = repair(loaded)
        return loaded


REPAIRS = Repairs(
    texts=(
        check_matches,  # MERGE: a row that matches twice is refused, not written twice
        keep_nulls,  # DELETE, REPLACE WHERE: rows that hold NULL stay
    ),
    tables=(
        judge_by_row,  # conditions on partitions: Spark evaluates them for every row
    ),
)
