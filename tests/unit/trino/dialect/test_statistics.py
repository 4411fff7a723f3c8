"""SHOW STATS tells no number of distinct values that is older than the rows."""

from __future__ import annotations

import pytest

from sqe.trino.dialect.statements.statistics import has_current_counts


@pytest.mark.parametrize(
    ("operation", "counted", "current"),
    [
        ("append", 1, False),
        ("append", 2, True),
        ("delete", 1, False),
        ("replace", 1, True),
        ("replace", 3, False),
    ],
)
def test_counts_are_current_until_rows_are_written(
    operation: str, counted: int, current: bool
) -> None:
    metadata = {
        "current-snapshot-id": 2,
        "statistics": [{"snapshot-id": counted}],
        "snapshots": [
            {"snapshot-id": 1, "summary": {"operation": "append"}},
            {"snapshot-id": 2, "parent-snapshot-id": 1, "summary": {"operation": operation}},
        ],
    }
    assert has_current_counts(metadata) is current


def test_a_table_that_was_never_counted_has_none() -> None:
    assert not has_current_counts({"current-snapshot-id": None})
