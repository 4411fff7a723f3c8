"""What a table needs follows from what its metadata says, and from nothing else."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from sqe.maintenance.needs import TableState, Thresholds, needs
from sqe.maintenance.questions import read_state, state_question, targets
from sqe.sql.parse import parse
from sqe.sql.statement import StatementKind

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
WELL = TableState(
    data_files=100, data_bytes=10**9, rows=1000, manifests=3, manifest_bytes=10_000, snapshots=3
)


def procedures(state: TableState, thresholds: Thresholds | None = None) -> list[str]:
    return [need.procedure for need in needs(state, thresholds or Thresholds(), NOW)]


def test_a_table_that_is_well_needs_nothing() -> None:
    assert procedures(WELL) == []
    assert procedures(TableState()) == []


@pytest.mark.parametrize(
    ("state", "procedure", "reason"),
    [
        (
            replace(WELL, small_files=12),
            "rewrite_data_files",
            "12 of 100 files are below 384.0 MB",
        ),
        (
            replace(WELL, deleted_rows=200, delete_files=3),
            "rewrite_data_files",
            "20% of the rows are deleted and still in the files",
        ),
        (
            replace(WELL, delete_files=20),
            "rewrite_position_delete_files",
            "20 delete files have to be read",
        ),
        (replace(WELL, manifests=30), "rewrite_manifests", "30 manifests, where 1 would do"),
        (
            replace(WELL, snapshots=9, old_snapshots=4),
            "expire_snapshots",
            "4 of 9 snapshots are older than 5 days",
        ),
    ],
)
def test_one_reason_one_procedure(state: TableState, procedure: str, reason: str) -> None:
    [need] = needs(state, Thresholds(), NOW)
    assert (need.procedure, need.reason) == (procedure, reason)


def test_what_is_rewritten_first_is_expired_last_and_orphans_only_if_asked_for() -> None:
    bad = replace(
        WELL, small_files=50, delete_files=40, manifests=90, old_snapshots=2, deleted_rows=1
    )
    expected = [
        "rewrite_data_files",
        "rewrite_position_delete_files",
        "rewrite_manifests",
        "expire_snapshots",
    ]
    assert procedures(bad) == expected
    assert procedures(bad, Thresholds(orphans=True)) == [*expected, "remove_orphan_files"]


def test_large_manifests_are_not_too_many() -> None:
    assert procedures(replace(WELL, manifests=30, manifest_bytes=30 * 8 * 1024**2)) == []


def test_thresholds_decide() -> None:
    state = replace(WELL, small_files=4, old_snapshots=0)
    assert procedures(state) == []
    assert procedures(state, Thresholds(small_files=4)) == ["rewrite_data_files"]


@pytest.mark.parametrize("table", ["lake.s.t", "lake.s.`it's`"])
def test_every_call_is_one_sqe_understands(table: str) -> None:
    bad = replace(WELL, small_files=50, delete_files=40, manifests=90, old_snapshots=2)
    for need in needs(replace(bad, deleted_rows=900), Thresholds(orphans=True), NOW):
        statement = parse(need.call(table))
        assert statement.kind is StatementKind.CALL
        assert statement.references[0].parts[:2] == ("lake", "s")


def test_old_means_the_same_in_the_question_and_in_the_call() -> None:
    thresholds = Thresholds(snapshot_age=datetime.timedelta(days=2))
    cut = datetime.datetime(2026, 5, 30, 12, tzinfo=datetime.UTC)
    second = datetime.timedelta(seconds=1)
    row = {"small_files": [], "expirable": [cut - second, cut, cut + second]}
    assert read_state(row, thresholds, NOW).old_snapshots == 1
    [need] = needs(replace(WELL, old_snapshots=1), thresholds, NOW)
    assert "TIMESTAMP '2026-05-30 12:00:00.000Z'" in need.arguments


def test_what_was_counted_as_old_in_this_second_is_expired() -> None:
    moment = NOW + datetime.timedelta(milliseconds=250)
    thresholds = Thresholds(snapshot_age=datetime.timedelta())
    [need] = needs(replace(WELL, snapshots=9, old_snapshots=4), thresholds, moment)
    assert "TIMESTAMP '2026-06-01 12:00:00.250Z'" in need.arguments


def test_small_files_count_where_a_partition_has_enough_of_them() -> None:
    row = {"small_files": [7, 5, 4], "expirable": [], "data_files": 20}
    state = read_state(row, Thresholds(small_files=5))
    assert (state.small_files, state.data_files) == (12, 20)


def test_the_question_is_one_sqe_understands() -> None:
    statement = parse(state_question("lake.s.`it's`"))
    assert statement.label == "show maintenance"
    assert statement.references[0].parts == ("lake", "s", "it's")


def test_a_table_may_ask_for_its_own_sizes() -> None:
    sizes = targets([("write.target-file-size-bytes", "1000"), ("other", "x")])
    assert sizes["target_file_bytes"] == 1000
