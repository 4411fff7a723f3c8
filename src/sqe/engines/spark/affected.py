"""How many rows a write changed: from the snapshots it committed, or from a count.

A summary of Iceberg's counts rows of files. What that says about rows of the table depends on the
kind of write and on the delete files that were there before; where it says nothing, ``count`` is
asked, and where that cannot tell either, the answer is None rather than a wrong number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.binding.bound import BoundAbsent, BoundStatement, BoundTable
from sqe.broker.commits import Written
from sqe.model.query import RowsAffected
from sqe.sql.statement import Access, StatementKind
from sqe.sql.traits import RowChange

Count = Callable[[], int | None]
_MERGE = "spark.merge-into.num-target-rows-"


def write_target(bound: BoundStatement) -> BoundTable | BoundAbsent | None:
    """The table whose rows the statement changes, if it is one that does."""
    if bound.statement.traits.counts is None:
        return None
    for reference in bound.references:
        if reference.reference.access in (Access.WRITE, Access.CREATE):
            target = reference.target
            return target if isinstance(target, BoundTable | BoundAbsent) else None
    return None


def rows_affected(
    kind: StatementKind, written: Sequence[Written], count: Count
) -> RowsAffected | None:
    """``written`` are the snapshots of one statement that has ended well: no snapshot, no change.

    ``count`` counts the rows that a DELETE or UPDATE was about.
    """
    counts = kind.traits.counts
    if counts is RowChange.INSERTED:
        return RowsAffected(inserted=sum(snapshot.count("added-records") for snapshot in written))
    if len(written) > 1:
        return None
    snapshot = written[0] if written else None
    if counts is RowChange.DELETED:
        deleted = _count_removed(snapshot) if snapshot else 0
        deleted = count() if deleted is None else deleted
        return None if deleted is None else RowsAffected(deleted=deleted)
    if counts is RowChange.UPDATED:
        updated = _count_updated(snapshot) if snapshot else 0
        updated = count() if updated is None else updated
        return None if updated is None else RowsAffected(updated=updated)
    if counts is RowChange.MERGED:
        return _count_merged(snapshot) if snapshot else RowsAffected(0, 0, 0)
    return None


def _count_removed(snapshot: Written) -> int | None:
    """How many rows fewer the table has than before. None if its summary does not tell."""
    rows = snapshot.count("deleted-records")
    added = snapshot.count("added-records")
    positions = snapshot.count("added-position-deletes")
    if _delete_files_before(snapshot) == 0:
        return rows + positions - added
    if rows:
        return None  # some rows of those files were deleted before, nobody says how many
    removed = snapshot.count("removed-position-deletes")
    if removed == 0 or _only_vectors(snapshot):
        return positions - removed - added
    return None  # position deletes of several files may name a row twice


def _count_updated(snapshot: Written) -> int | None:
    if snapshot.count("deleted-records"):
        return None  # whole files were rewritten, changed rows and others
    return snapshot.count("added-records")  # merge-on-read writes only the changed ones


def _count_merged(snapshot: Written) -> RowsAffected | None:
    if _MERGE + "inserted" not in snapshot.summary:
        # A MERGE that can only insert is planned as a plain append.
        if snapshot.operation != "append":
            return None
        return RowsAffected(snapshot.count("added-records"), 0, 0)
    inserted, updated, deleted = (
        snapshot.count(_MERGE + what) for what in ("inserted", "updated", "deleted")
    )
    if min(inserted, updated, deleted) < 0:  # Spark says -1 where it did not count
        return None
    removed = _count_removed(snapshot)
    if removed is not None:
        # Where all a MERGE does with a match is DELETE, Spark counts a row as often as it matches.
        deleted = removed + inserted
    elif snapshot.count(_MERGE + "matched-deleted") and not snapshot.count(
        _MERGE + "matched-updated"
    ):
        return None
    return RowsAffected(inserted, updated, deleted)


def _delete_files_before(snapshot: Written) -> int | None:
    if "total-delete-files" not in snapshot.summary:
        return None  # the snapshot before it had no totals
    return (
        snapshot.count("total-delete-files")
        + snapshot.count("removed-delete-files")
        - snapshot.count("added-delete-files")
    )


def _only_vectors(snapshot: Written) -> bool:
    """A file has one deletion vector, and a new one holds all of the old one's positions."""
    return snapshot.count("added-delete-files") == snapshot.count("added-dvs") and snapshot.count(
        "removed-delete-files"
    ) == snapshot.count("removed-dvs")
