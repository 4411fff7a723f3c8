"""Small tables for the catalog's tests."""

from __future__ import annotations

from typing import Any

from sqe.catalog.commit.draft import empty_metadata
from sqe.catalog.commit.new_table import new_table
from sqe.catalog.commit.table_updates import apply_updates
from sqe.catalog.protocol import Json

SCHEMA: Json = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "day", "type": "date", "required": False},
        {"id": 3, "name": "note", "type": "string", "required": False},
    ],
}


def table(version: int = 2, **request: Any) -> Json:
    properties = {"format-version": str(version), **request.pop("properties", {})}
    return new_table({"schema": SCHEMA, "properties": properties, **request}, "/w/ns/t")


def snapshot(snapshot_id: int, **more: Any) -> Json:
    return {
        "snapshot-id": snapshot_id,
        "sequence-number": snapshot_id,
        "timestamp-ms": 1_700_000_000_000 + snapshot_id,
        "manifest-list": f"/w/ns/t/metadata/snap-{snapshot_id}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
        **more,
    }


def add(snapshot_id: int, **more: Any) -> Json:
    return {"action": "add-snapshot", "snapshot": snapshot(snapshot_id, **more)}


def point(name: str, snapshot_id: int, kind: str = "branch", **more: Any) -> Json:
    ref = {"ref-name": name, "snapshot-id": snapshot_id, "type": kind}
    return {"action": "set-snapshot-ref", **ref, **more}


def changed(base: Json, *updates: Json) -> Json:
    """The metadata after the updates, which must change something."""
    metadata = apply_updates(base, updates)
    assert metadata is not None
    return metadata


def with_snapshots(version: int, *snapshot_ids: int) -> Json:
    """A table whose main branch went through these snapshots, one commit each."""
    metadata = table(version)
    for snapshot_id in snapshot_ids:
        rows = {"first-row-id": metadata.get("next-row-id", 0), "added-rows": 10}
        metadata = changed(metadata, add(snapshot_id, **rows), point("main", snapshot_id))
    return metadata


def schema_with(*extra: Json) -> Json:
    return {**SCHEMA, "fields": [*SCHEMA["fields"], *extra]}


def field(field_id: int, name: str, type_: Any = "string", **more: Any) -> Json:
    return {"id": field_id, "name": name, "type": type_, "required": False, **more}


def created(*updates: Json, version: int = 2) -> Json:
    metadata = apply_updates(empty_metadata(version), updates, creating=True)
    assert metadata is not None
    return metadata
