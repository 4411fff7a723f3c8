"""Every table update of the Iceberg REST specification."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.commit.table_updates import TABLE_UPDATES, apply_updates, with_previous_file
from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UserError
from tests.unit.catalog.tables import (
    SCHEMA,
    add,
    changed,
    created,
    field,
    point,
    schema_with,
    snapshot,
    table,
    with_snapshots,
)


def refused(base: Json, *updates: Json, code: ErrorCode = ErrorCode.INVALID_ARGUMENT) -> str:
    with pytest.raises(UserError) as caught:
        apply_updates(base, updates)
    assert caught.value.code is code
    return caught.value.message


def test_the_base_is_never_changed() -> None:
    base = with_snapshots(3, 1, 2)
    before = repr(base)
    rows = {"first-row-id": 20, "added-rows": 1}
    changed(base, {"action": "remove-snapshots", "snapshot-ids": [1]}, add(9, **rows))
    assert repr(base) == before


def test_updates_that_change_nothing_make_no_new_metadata() -> None:
    base = with_snapshots(2, 1)
    nothing: list[Json] = [
        {"action": "set-location", "location": base["location"]},
        {"action": "set-properties", "updates": {}},
        {"action": "remove-properties", "removals": []},
        {"action": "assign-uuid", "uuid": base["table-uuid"].upper()},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": SCHEMA},
        {"action": "set-current-schema", "schema-id": 0},
        {"action": "add-spec", "spec": {"fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"fields": []}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "remove-snapshots", "snapshot-ids": [99]},
        {"action": "remove-snapshot-ref", "ref-name": "no"},
        {"action": "remove-statistics", "snapshot-id": 9},
        {"action": "remove-partition-statistics", "snapshot-id": 9},
        {"action": "remove-schemas", "schema-ids": [5]},
        {"action": "remove-partition-specs", "spec-ids": [5]},
        {"action": "remove-encryption-key", "key-id": "k"},
        point("main", 1),
    ]
    assert apply_updates(base, nothing) is None


def test_every_update_refuses_an_empty_body() -> None:
    for action in TABLE_UPDATES:
        assert refused(table(3), {"action": action})


def test_unknown_updates_are_refused_by_name() -> None:
    assert "'add-view-version'" in refused(table(), {"action": "add-view-version"})


def test_a_uuid_is_assigned_once() -> None:
    assert "Cannot reassign uuid" in refused(table(), {"action": "assign-uuid", "uuid": "other"})


def test_format_versions_only_go_up() -> None:
    up = changed(with_snapshots(1, 1), {"action": "upgrade-format-version", "format-version": 3})
    assert "schema" not in up and up["next-row-id"] == 0 and up["last-sequence-number"] >= 0
    assert "Cannot downgrade v3" in refused(
        up, {"action": "upgrade-format-version", "format-version": 2}
    )
    assert "Unsupported" in refused(up, {"action": "upgrade-format-version", "format-version": 4})


def test_an_added_schema_gets_the_next_id_and_raises_the_last_column_id() -> None:
    evolved = changed(
        table(),
        {"action": "add-schema", "schema": {**schema_with(field(7, "more")), "schema-id": 55}},
        {"action": "set-current-schema", "schema-id": -1},
    )
    assert evolved["current-schema-id"] == 1
    assert evolved["last-column-id"] == 7
    assert [s["schema-id"] for s in evolved["schemas"]] == [0, 1]


def test_an_equal_schema_is_used_again() -> None:
    evolved = changed(
        table(),
        {"action": "add-schema", "schema": schema_with(field(4, "more"))},
        {"action": "set-current-schema", "schema-id": -1},
    )
    back = changed(
        evolved,
        {"action": "add-schema", "schema": SCHEMA},
        {"action": "set-current-schema", "schema-id": 0},
    )
    assert back["current-schema-id"] == 0
    assert len(back["schemas"]) == 2
    assert back["last-column-id"] == 4


def test_a_schema_from_before_the_commit_is_not_the_last_added() -> None:
    """Iceberg's own builder, and so Polaris, says so: a client names it by its id."""
    last_added = {"action": "set-current-schema", "schema-id": -1}
    known = {"action": "add-schema", "schema": SCHEMA}
    wider = {"action": "add-schema", "schema": schema_with(field(4, "more"))}
    evolved = changed(table(), wider, last_added)
    message = "Cannot set last added schema: no schema has been added"
    assert refused(evolved, known, last_added) == message
    assert refused(evolved, wider, last_added) == message
    assert changed(table(), wider, wider, last_added)["current-schema-id"] == 1


def test_only_known_schemas_specs_and_orders_can_be_current() -> None:
    assert "unknown schema" in refused(table(), {"action": "set-current-schema", "schema-id": 4})
    assert "unknown spec" in refused(table(), {"action": "set-default-spec", "spec-id": 4})
    assert "unknown sort" in refused(
        table(), {"action": "set-default-sort-order", "sort-order-id": 4}
    )
    for action, key in (
        ("set-current-schema", "schema-id"),
        ("set-default-spec", "spec-id"),
        ("set-default-sort-order", "sort-order-id"),
    ):
        assert "has been added" in refused(table(), {"action": action, key: -1})


def spec(*parts: tuple[int, str, str], **more: Any) -> Json:
    fields = [{"source-id": s, "transform": t, "name": n, **more} for s, t, n in parts]
    return {"action": "add-spec", "spec": {"fields": fields}}


def test_new_partition_fields_get_new_ids_and_equal_ones_keep_theirs() -> None:
    one = changed(table(), spec((2, "day", "d")), {"action": "set-default-spec", "spec-id": -1})
    two = changed(one, spec((1, "bucket[4]", "b"), (2, "day", "d2")))
    assert two["partition-specs"][2]["fields"] == [
        {"source-id": 1, "transform": "bucket[4]", "name": "b", "field-id": 1001},
        {"source-id": 2, "transform": "day", "name": "d2", "field-id": 1000},
    ]
    assert two["last-partition-id"] == 1001
    assert two["default-spec-id"] == 1


def test_v1_specs_need_sequential_ids() -> None:
    assert "sequential" in refused(table(1), spec((2, "day", "d"), **{"field-id": 1005}))


def test_a_column_in_use_by_the_default_spec_cannot_go() -> None:
    parted = changed(table(), spec((2, "day", "d")), {"action": "set-default-spec", "spec-id": -1})
    without = {**SCHEMA, "fields": [SCHEMA["fields"][0]]}
    assert "Cannot find source column" in refused(
        parted,
        {"action": "add-schema", "schema": without},
        {"action": "set-current-schema", "schema-id": -1},
    )


def test_the_current_schema_and_default_spec_cannot_be_removed() -> None:
    assert "current schema" in refused(table(), {"action": "remove-schemas", "schema-ids": [0]})
    assert "default partition" in refused(
        table(), {"action": "remove-partition-specs", "spec-ids": [0]}
    )
    evolved = changed(table(), spec((2, "day", "d")))
    fewer = changed(evolved, {"action": "remove-partition-specs", "spec-ids": [1]})
    assert [s["spec-id"] for s in fewer["partition-specs"]] == [0]
    assert fewer["last-partition-id"] == 1000  # an id is never given twice


def test_a_sort_order_is_added_and_used_again() -> None:
    order = {
        "action": "add-sort-order",
        "sort-order": {
            "order-id": 12,
            "fields": [
                {
                    "source-id": 1,
                    "transform": "identity",
                    "direction": "desc",
                    "null-order": "nulls-last",
                }
            ],
        },
    }
    use: Json = {"action": "set-default-sort-order", "sort-order-id": -1}
    once = changed(table(), order, use)
    assert once["default-sort-order-id"] == 1
    assert apply_updates(once, [order, use]) is None
    wrong = {"fields": [{**order["sort-order"]["fields"][0], "direction": "up"}]}  # type: ignore[index]
    assert "direction" in refused(table(), {**order, "sort-order": wrong})


def test_a_snapshot_becomes_current_and_is_logged() -> None:
    metadata = with_snapshots(2, 1, 2)
    assert metadata["current-snapshot-id"] == 2
    assert metadata["last-sequence-number"] == 2
    assert [entry["snapshot-id"] for entry in metadata["snapshot-log"]] == [1, 2]
    assert metadata["refs"] == {"main": {"snapshot-id": 2, "type": "branch"}}


def test_snapshots_that_nobody_ever_saw_are_not_logged() -> None:
    metadata = changed(table(), add(1), point("main", 1), add(2), point("main", 2))
    assert [entry["snapshot-id"] for entry in metadata["snapshot-log"]] == [2]


def test_going_back_is_logged_with_the_time_of_going_back() -> None:
    metadata = changed(with_snapshots(2, 1, 2), point("main", 1))
    log = metadata["snapshot-log"]
    assert [entry["snapshot-id"] for entry in log] == [1, 2, 1]
    assert log[2]["timestamp-ms"] > log[1]["timestamp-ms"]
    assert metadata["last-updated-ms"] >= log[2]["timestamp-ms"]


def test_a_log_never_runs_backwards_whatever_the_clocks_say() -> None:
    metadata = changed(with_snapshots(2, 5), add(6, **{"timestamp-ms": 1_000}), point("main", 6))
    times = [entry["timestamp-ms"] for entry in metadata["snapshot-log"]]
    assert times == sorted(times)
    ahead = snapshot(7, **{"timestamp-ms": 99_999_999_999_999})
    metadata = changed(metadata, {"action": "add-snapshot", "snapshot": ahead}, point("main", 7))
    assert metadata["last-updated-ms"] == 99_999_999_999_999


def test_removing_a_snapshot_takes_its_refs_statistics_and_history_along() -> None:
    base = changed(
        with_snapshots(2, 1, 2, 3),
        point("old", 1, "tag"),
        {"action": "set-statistics", "statistics": {"snapshot-id": 1, "statistics-path": "/w/s"}},
    )
    metadata = changed(base, {"action": "remove-snapshots", "snapshot-ids": [2, 1]})
    assert [s["snapshot-id"] for s in metadata["snapshots"]] == [3]
    assert [entry["snapshot-id"] for entry in metadata["snapshot-log"]] == [3]
    assert list(metadata["refs"]) == ["main"]
    assert metadata["statistics"] == []


def test_history_before_a_removed_snapshot_is_cut() -> None:
    metadata = changed(
        with_snapshots(2, 1, 2, 3), {"action": "remove-snapshots", "snapshot-ids": [2]}
    )
    assert [entry["snapshot-id"] for entry in metadata["snapshot-log"]] == [3]


def test_dropping_main_leaves_no_current_snapshot() -> None:
    metadata = changed(with_snapshots(3, 1), {"action": "remove-snapshot-ref", "ref-name": "main"})
    assert metadata["current-snapshot-id"] is None


def test_branches_and_tags_keep_their_retention() -> None:
    metadata = changed(
        with_snapshots(2, 1),
        point("b", 1, "branch", **{"min-snapshots-to-keep": 3, "max-ref-age-ms": 5}),
        point("t", 1, "tag", **{"max-ref-age-ms": 9}),
    )
    assert metadata["refs"]["b"]["min-snapshots-to-keep"] == 3
    assert metadata["refs"]["t"] == {"snapshot-id": 1, "type": "tag", "max-ref-age-ms": 9}


def test_impossible_refs_are_refused() -> None:
    base = with_snapshots(2, 1)
    assert "unknown snapshot: 7" in refused(base, point("b", 7))
    assert "must be a branch" in refused(base, point("main", 1, "tag"))
    assert "Tags do not support" in refused(
        base, point("t", 1, "tag", **{"max-snapshot-age-ms": 1})
    )
    assert "greater than 0" in refused(base, point("b", 1, "branch", **{"max-ref-age-ms": 0}))


def test_a_snapshot_behind_the_table_is_a_conflict() -> None:
    late = add(9, **{"sequence-number": 1, "parent-snapshot-id": 2})
    message = refused(with_snapshots(2, 1, 2), late, code=ErrorCode.COMMIT_CONFLICT)
    assert "older than last sequence number" in message


def test_a_snapshot_id_is_used_once() -> None:
    assert "already exists" in refused(with_snapshots(2, 1), add(1))


def test_rows_of_v3_tables_are_counted() -> None:
    metadata = with_snapshots(3, 1, 2)
    assert metadata["next-row-id"] == 20
    late = add(3, **{"first-row-id": 10, "added-rows": 5})
    assert "behind" in refused(metadata, late, code=ErrorCode.COMMIT_CONFLICT)
    assert "first-row-id is null" in refused(metadata, add(3))
    assert "added-rows is null" in refused(metadata, add(3, **{"first-row-id": 20}))


def test_statistics_are_replaced_by_snapshot() -> None:
    for set_, remove, key in (
        ("set-statistics", "remove-statistics", "statistics"),
        ("set-partition-statistics", "remove-partition-statistics", "partition-statistics"),
    ):
        one = {"action": set_, key: {"snapshot-id": 1, "statistics-path": "/w/a"}}
        two = {"action": set_, key: {"snapshot-id": 1, "statistics-path": "/w/b"}}
        metadata = changed(with_snapshots(2, 1), one, two)
        assert metadata[key] == [{"snapshot-id": 1, "statistics-path": "/w/b"}]
        assert changed(metadata, {"action": remove, "snapshot-id": 1})[key] == []


def test_encryption_keys_come_and_go() -> None:
    key = {"key-id": "k", "encrypted-key-metadata": "eA=="}
    metadata = changed(table(3), {"action": "add-encryption-key", "encryption-key": key})
    assert metadata["encryption-keys"] == [key]
    again: Json = {"action": "add-encryption-key", "encryption-key": {**key, "properties": {}}}
    assert apply_updates(metadata, [again]) is None
    assert "encryption-keys" not in changed(
        metadata, {"action": "remove-encryption-key", "key-id": "k"}
    )


def test_properties_are_set_and_removed() -> None:
    metadata = changed(
        table(),
        {"action": "set-properties", "updates": {"a": "1", "b": "2"}},
        {"action": "remove-properties", "removals": ["a", "nothing"]},
    )
    assert metadata["properties"]["b"] == "2" and "a" not in metadata["properties"]
    assert "must be a text" in refused(table(), {"action": "set-properties", "updates": {"a": 1}})


def test_a_create_commit_builds_the_table_from_nothing() -> None:
    metadata = created(
        {"action": "assign-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
        {"action": "upgrade-format-version", "format-version": 3},
        {"action": "add-schema", "schema": SCHEMA, "last-column-id": 3},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"spec-id": 0, "fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": "/w/t"},
        {"action": "set-properties", "updates": {}},
        version=3,
    )
    assert metadata["table-uuid"] == "9c12d441-03fe-4693-9a96-a0705ddf69c1"
    assert metadata["default-spec-id"] == metadata["default-sort-order-id"] == 0


def test_the_metadata_log_keeps_the_configured_number_of_files() -> None:
    base = {**table(2, properties={"write.metadata.previous-versions-max": "2"})}
    for number in range(4):
        base = with_previous_file(base, base, f"/w/{number}")
    assert [entry["metadata-file"] for entry in base["metadata-log"]] == ["/w/2", "/w/3"]


def test_metadata_of_old_v1_writers_is_completed() -> None:
    old = {
        "format-version": 1,
        "location": "/w/t",
        "last-updated-ms": 5,
        "last-column-id": 3,
        "schema": SCHEMA,
        "partition-spec": [{"source-id": 2, "transform": "day", "name": "d"}],
        "properties": {},
    }
    metadata = changed(old, {"action": "set-properties", "updates": {"a": "1"}})
    assert metadata["schemas"][0]["schema-id"] == 0
    assert metadata["partition-specs"][0]["fields"][0]["field-id"] == 1000
    assert metadata["last-partition-id"] == 1000
    assert metadata["sort-orders"] == [{"order-id": 0, "fields": []}]
