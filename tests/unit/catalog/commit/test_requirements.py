"""Every requirement of the Iceberg REST specification."""

from __future__ import annotations

import pytest

from sqe.catalog.commit.requirements import (
    TABLE_REQUIREMENTS,
    check_table,
    check_view,
    is_create,
)
from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UserError
from tests.unit.catalog.tables import changed, point, table, with_snapshots

BASE = changed(with_snapshots(2, 1, 2), point("t", 1, "tag"))

HOLD: list[Json] = [
    {"type": "assert-table-uuid", "uuid": BASE["table-uuid"].upper()},
    {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 2},
    {"type": "assert-ref-snapshot-id", "ref": "none", "snapshot-id": None},
    {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 3},
    {"type": "assert-current-schema-id", "current-schema-id": 0},
    {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 999},
    {"type": "assert-default-spec-id", "default-spec-id": 0},
    {"type": "assert-default-sort-order-id", "default-sort-order-id": 0},
]
FAIL: list[Json] = [
    {"type": "assert-create"},
    {"type": "assert-table-uuid", "uuid": "other"},
    {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 1},
    {"type": "assert-ref-snapshot-id", "ref": "t", "snapshot-id": None},
    {"type": "assert-ref-snapshot-id", "ref": "none", "snapshot-id": 1},
    {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 4},
    {"type": "assert-current-schema-id", "current-schema-id": 1},
    {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 1000},
    {"type": "assert-default-spec-id", "default-spec-id": 1},
    {"type": "assert-default-sort-order-id", "default-sort-order-id": 1},
]


def test_every_requirement_is_tried_below() -> None:
    assert {r["type"] for r in FAIL} == set(TABLE_REQUIREMENTS)


@pytest.mark.parametrize("requirement", HOLD, ids=str)
def test_what_still_holds_passes(requirement: Json) -> None:
    check_table(BASE, [requirement])


@pytest.mark.parametrize("requirement", FAIL, ids=str)
def test_what_no_longer_holds_is_a_conflict(requirement: Json) -> None:
    with pytest.raises(UserError, match="Requirement failed") as caught:
        check_table(BASE, [requirement])
    assert caught.value.code is ErrorCode.COMMIT_CONFLICT


def test_unknown_requirements_are_refused() -> None:
    for kind in ("assert-view-uuid", "assert-nothing"):
        with pytest.raises(UserError) as caught:
            check_table(BASE, [{"type": kind, "uuid": "x"}])
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT


def test_views_know_only_their_uuid() -> None:
    check_view({"view-uuid": "a"}, [{"type": "assert-view-uuid", "uuid": "A"}])
    with pytest.raises(UserError, match="Requirement failed"):
        check_view({"view-uuid": "a"}, [{"type": "assert-view-uuid", "uuid": "b"}])
    with pytest.raises(UserError, match="against a view"):
        check_view({"view-uuid": "a"}, [{"type": "assert-create"}])


def test_a_create_requires_nothing_else() -> None:
    assert is_create([{"type": "assert-create"}])
    assert not is_create([])
    with pytest.raises(UserError, match="Invalid create requirements"):
        is_create([{"type": "assert-create"}, {"type": "assert-table-uuid", "uuid": "x"}])


def test_old_v1_metadata_has_a_main_branch_by_its_current_snapshot() -> None:
    base = {**table(1), "current-snapshot-id": 5}
    base.pop("refs")
    check_table(base, [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 5}])
