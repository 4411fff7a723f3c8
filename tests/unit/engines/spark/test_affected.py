"""How many rows a write changed, from Iceberg's summaries: exact, counted, or not said."""

from __future__ import annotations

import pytest

from sqe.broker.commits import Written
from sqe.engines.spark.affected import rows_affected
from sqe.model.query import RowsAffected
from sqe.sql.statement import StatementKind as Kind

MERGE = "spark.merge-into.num-target-rows-"
COUNTED = 77  # what a count would say


def written(operation: str = "overwrite", **counts: int) -> Written:
    """A snapshot's summary; without ``total_delete_files`` the table has none."""
    named = {name.replace("_", "-"): str(count) for name, count in counts.items()}
    return Written(1, operation, {"total-delete-files": "0", **named})


def merged(inserted: int, updated: int, deleted: int, **counts: int) -> Written:
    snapshot = written("overwrite", **counts)
    figures = {"inserted": inserted, "updated": updated, "deleted": deleted}
    figures |= {"matched-deleted": deleted, "matched-updated": updated}
    summary = {f"{MERGE}{name}": str(count) for name, count in figures.items()}
    return Written(1, "overwrite", {**snapshot.summary, **summary})


def of(kind: Kind, *snapshots: Written) -> RowsAffected | None:
    return rows_affected(kind, snapshots, lambda: COUNTED)


@pytest.mark.parametrize("kind", [Kind.INSERT, Kind.CREATE_TABLE_AS, Kind.COPY])
def test_what_is_inserted_is_what_was_added(kind: Kind) -> None:
    overwritten = written(added_records=3, deleted_records=10)
    assert of(kind, overwritten) == RowsAffected(inserted=3)


@pytest.mark.parametrize(
    ("snapshot", "deleted"),
    [
        (written(deleted_records=10, added_records=7), 3),  # rewritten files
        (written("delete", deleted_records=4), 4),  # whole files
        (
            written("delete", added_position_deletes=2, added_delete_files=1, total_delete_files=1),
            2,
        ),
        (written("delete"), 0),
        (  # a vector takes the place of the one before, with its positions in it
            written(
                added_position_deletes=5,
                removed_position_deletes=4,
                added_delete_files=1,
                removed_delete_files=1,
                added_dvs=1,
                removed_dvs=1,
                total_delete_files=1,
            ),
            1,
        ),
        # some rows of these files were deleted before: only a count can tell
        (written(deleted_records=10, added_records=7, total_delete_files=1), COUNTED),
        (
            written(
                added_position_deletes=5,
                removed_position_deletes=4,
                added_delete_files=1,
                removed_delete_files=1,
                total_delete_files=1,
            ),
            COUNTED,
        ),
    ],
)
def test_deleted_rows(snapshot: Written, deleted: int) -> None:
    assert of(Kind.DELETE, snapshot) == RowsAffected(deleted=deleted)


def test_without_totals_in_the_summary_nothing_is_assumed() -> None:
    snapshot = Written(1, "overwrite", {"deleted-records": "10", "added-records": "7"})
    assert of(Kind.DELETE, snapshot) == RowsAffected(deleted=COUNTED)


def test_an_update_that_rewrites_files_is_counted_and_one_that_does_not_is_known() -> None:
    assert of(Kind.UPDATE, written(added_records=9, deleted_records=9)) == RowsAffected(
        updated=COUNTED
    )
    merge_on_read = written(added_records=2, added_position_deletes=2, added_delete_files=1)
    assert of(Kind.UPDATE, merge_on_read) == RowsAffected(updated=2)


def test_a_count_that_fails_leaves_the_number_open() -> None:
    snapshot = written(added_records=9, deleted_records=9)
    assert rows_affected(Kind.UPDATE, [snapshot], lambda: None) is None


def test_a_row_that_matches_twice_is_deleted_once() -> None:
    snapshot = merged(inserted=1, updated=0, deleted=2, deleted_records=8, added_records=8)
    assert of(Kind.MERGE, snapshot) == RowsAffected(1, 0, 1)


def test_a_merge_is_not_told_where_spark_may_have_counted_twice() -> None:
    delete = merged(0, 0, 2, deleted_records=8, total_delete_files=1)
    assert of(Kind.MERGE, delete) is None
    both = merged(0, 1, 1, deleted_records=8, added_records=7, total_delete_files=1)
    assert of(Kind.MERGE, both) == RowsAffected(0, 1, 1)
    assert of(Kind.MERGE, merged(-1, 0, 0)) is None


def test_a_merge_that_only_inserts_is_an_append() -> None:
    assert of(Kind.MERGE, written("append", added_records=2)) == RowsAffected(2, 0, 0)


def test_no_snapshot_means_no_change_and_several_are_not_told_apart() -> None:
    assert of(Kind.DELETE) == RowsAffected(deleted=0)
    assert of(Kind.MERGE) == RowsAffected(0, 0, 0)
    assert of(Kind.DELETE, written(), written()) is None


@pytest.mark.parametrize(
    ("affected", "words", "total"),
    [
        (RowsAffected(inserted=1), "1 row inserted", 1),
        (RowsAffected(deleted=0), "0 rows deleted", 0),
        (RowsAffected(0, 2, 1), "2 rows updated, 1 deleted", 3),
        (RowsAffected(1200, 0, 1), "1,200 rows inserted, 1 deleted", 1201),
        (RowsAffected(0, 0, 0), "0 rows inserted", 0),
    ],
)
def test_in_words_and_as_one_number(affected: RowsAffected, words: str, total: int) -> None:
    assert (str(affected), affected.total) == (words, total)
