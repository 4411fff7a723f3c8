"""Nothing younger than the floor goes, by whichever way it is asked for."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.maintenance.floors import check_expiry, check_orphans

NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
HOUR = datetime.timedelta(hours=1)
MILLIS = int(NOW.timestamp() * 1000)


def table(**more: Any) -> dict[str, Any]:
    old, young = MILLIS - 90 * 60_000, MILLIS - 60_000
    return {
        "snapshots": [
            {"snapshot-id": 1, "timestamp-ms": old},
            {"snapshot-id": 2, "timestamp-ms": young},
        ],
        **more,
    }


@pytest.mark.parametrize("age", [HOUR, 2 * HOUR])
def test_an_old_moment_and_old_snapshots_may_be_expired(age: datetime.timedelta) -> None:
    check_expiry(table(), NOW - age, [1], HOUR, NOW)
    check_expiry(table(), None, [], HOUR, NOW)


@pytest.mark.parametrize(
    ("metadata", "older_than", "ids", "said"),
    [
        (table(), NOW - HOUR / 2, [], "older_than leaves an age of 30 minutes"),
        (table(), NOW + HOUR, [], "older_than leaves an age of nothing"),
        (table(), NOW - 2 * HOUR, [2], "Snapshot 2 is 1 minute"),
        (table(properties={"history.expire.max-snapshot-age-ms": "5"}), None, [], "max-snapshot"),
        (
            table(refs={"b": {"type": "branch", "max-snapshot-age-ms": 60_000}}),
            NOW - 2 * HOUR,
            [],
            "branch b is 1 minute",
        ),
    ],
)
def test_what_could_take_a_young_snapshot_is_refused(
    metadata: dict[str, Any], older_than: datetime.datetime | None, ids: list[int], said: str
) -> None:
    with pytest.raises(UserError, match=said) as raised:
        check_expiry(metadata, older_than, ids, HOUR, NOW)
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    assert "maintenance.min_snapshot_age_s" in raised.value.hint


def test_a_snapshot_that_is_not_there_is_said_so() -> None:
    with pytest.raises(UserError) as raised:
        check_expiry(table(), None, [3], HOUR, NOW)
    assert raised.value.code is ErrorCode.SNAPSHOT_NOT_FOUND


def test_without_a_floor_everything_may_go() -> None:
    check_expiry(table(), NOW, [1, 2], datetime.timedelta(), NOW)


def test_young_files_are_not_looked_at() -> None:
    check_orphans(None, 24 * HOUR, NOW)
    check_orphans(NOW - 24 * HOUR, 24 * HOUR, NOW)
    with pytest.raises(UserError, match=r"an age of 23 hours.*older than 1 day"):
        check_orphans(NOW - 23 * HOUR, 24 * HOUR, NOW)
    with pytest.raises(UserError, match="an age of 3 days"):
        check_orphans(None, 24 * 7 * HOUR, NOW)
