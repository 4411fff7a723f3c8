"""Table metadata while updates are applied to it."""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from sqe.catalog.commit.failures import check, invalid, need, shape_failures
from sqe.catalog.commit.layouts import FIRST_PARTITION_ID
from sqe.catalog.commit.schemas import Field, fields_of
from sqe.catalog.protocol import Json

MAIN = "main"
LAST_ADDED = -1
NO_SNAPSHOT = -1
FORMAT_VERSIONS = (1, 2, 3)
DEFAULT_FORMAT_VERSION = 2


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def empty_metadata(format_version: int) -> Json:
    """What the updates of a create commit are applied to."""
    check_format_version(format_version)
    return {
        "format-version": format_version,
        "table-uuid": str(uuid.uuid4()),
        "location": None,
        "last-sequence-number": 0,
        "last-updated-ms": now_ms(),
        "last-column-id": 0,
        "current-schema-id": LAST_ADDED,
        "schemas": [],
        "default-spec-id": LAST_ADDED,
        "partition-specs": [],
        "last-partition-id": FIRST_PARTITION_ID - 1,
        "default-sort-order-id": LAST_ADDED,
        "sort-orders": [],
        "properties": {},
        "current-snapshot-id": NO_SNAPSHOT,
        "next-row-id": 0,
        "refs": {},
        "snapshots": [],
        "statistics": [],
        "partition-statistics": [],
        "snapshot-log": [],
        "metadata-log": [],
    }


def check_format_version(version: object) -> int:
    if not isinstance(version, int) or version not in FORMAT_VERSIONS:
        raise invalid(f"Unsupported format version: v{version} (supported: v1 to v3)")
    return version


class Changes:
    """A private copy of metadata, with what the commit has changed so far."""

    def __init__(self, metadata: Json, *, creating: bool) -> None:
        self.metadata = metadata
        self.creating = creating
        self.last_schema_id: int | None = None
        self.added_schemas: set[int] = set()
        self.changed = False

    def set(self, key: str, value: Any) -> None:
        self.metadata[key] = value
        self.changed = True

    def apply(
        self, updates: Iterable[Json], handlers: Mapping[str, Callable[[Self, Json], None]], to: str
    ) -> None:
        for update in updates:
            check(isinstance(update, dict), "Invalid update: not an object.")
            action = update.get("action")
            handler = handlers.get(str(action))
            if handler is None:
                raise invalid(f"Cannot apply the update {action!r} to a {to}.")
            with shape_failures(f"update {action}"):
                handler(self, update)

    def note_schema(self, schema_id: int, *, new: bool) -> None:
        """A schema that was there before this commit is not its last added one, as in Iceberg."""
        if new:
            self.added_schemas.add(schema_id)
        self.last_schema_id = schema_id if schema_id in self.added_schemas else None

    def set_location(self, update: Json) -> None:
        location = need(update.get("location"), "Invalid location: null")
        if location != self.metadata["location"]:
            self.set("location", location)

    def set_properties(self, update: Json) -> None:
        updates = need(update.get("updates"), "Invalid update: no updates.")
        check_properties(updates)
        if updates:
            self.set("properties", {**self.metadata["properties"], **updates})

    def remove_properties(self, update: Json) -> None:
        removals = set(need(update.get("removals"), "Invalid update: no removals."))
        if removals:
            kept = {k: v for k, v in self.metadata["properties"].items() if k not in removals}
            self.set("properties", kept)


class Draft(Changes):
    """A table's, every field of every format version present. ``-1`` in an update means the last
    added, which is the existing one where an equal spec or order was there already."""

    def __init__(self, base: Json, *, creating: bool = False) -> None:
        super().__init__(_complete(base), creating=creating)
        self.last_spec_id: int | None = None
        self.last_order_id: int | None = None
        self.added_snapshots: set[int] = set()
        self.was_current: set[int] = set()  # added snapshots that main pointed to on the way
        self.removed_snapshots = False

    @property
    def format_version(self) -> int:
        return int(self.metadata["format-version"])

    @property
    def snapshots(self) -> dict[int, Json]:
        return {snapshot["snapshot-id"]: snapshot for snapshot in self.metadata["snapshots"]}

    def current_schema(self) -> Json:
        for schema in self.metadata["schemas"]:
            if schema["schema-id"] == self.metadata["current-schema-id"]:
                current: Json = schema
                return current
        raise invalid("The table has no current schema.")

    def current_fields(self) -> dict[int, Field]:
        return fields_of(self.current_schema())


def _complete(base: Json) -> Json:
    """A copy with the fields that old writers leave out."""
    metadata = copy.deepcopy(dict(base))
    if not metadata.get("schemas") and "schema" in metadata:
        metadata["schemas"] = [{"schema-id": 0, **metadata["schema"]}]
        metadata["current-schema-id"] = metadata["schemas"][0]["schema-id"]
    if not metadata.get("partition-specs") and "partition-spec" in metadata:
        parts = [
            {"field-id": FIRST_PARTITION_ID + index, **part}
            for index, part in enumerate(metadata["partition-spec"])
        ]
        metadata["partition-specs"] = [{"spec-id": 0, "fields": parts}]
        metadata["default-spec-id"] = 0
    if metadata.get("last-partition-id") is None:
        ids = [p["field-id"] for spec in metadata["partition-specs"] for p in spec["fields"]]
        metadata["last-partition-id"] = max(ids, default=FIRST_PARTITION_ID - 1)
    if not metadata.get("sort-orders") and metadata.get("schemas"):
        metadata["sort-orders"] = [{"order-id": 0, "fields": []}]
        metadata["default-sort-order-id"] = 0
    empty = empty_metadata(DEFAULT_FORMAT_VERSION)
    for key in ("table-uuid", "last-sequence-number", "next-row-id", "properties", "refs"):
        if metadata.get(key) is None:
            metadata[key] = empty[key]
    for key in ("snapshots", "statistics", "partition-statistics", "snapshot-log", "metadata-log"):
        metadata[key] = metadata.get(key) or []
    current = metadata.get("current-snapshot-id")
    metadata["current-snapshot-id"] = NO_SNAPSHOT if current is None else current
    if metadata["current-snapshot-id"] != NO_SNAPSHOT and MAIN not in metadata["refs"]:
        metadata["refs"][MAIN] = {"snapshot-id": metadata["current-snapshot-id"], "type": "branch"}
    return metadata


def fill_form(metadata: Json) -> Json:
    """The metadata with exactly the fields its format version stores."""
    stored = dict(metadata)
    version = stored["format-version"]
    for key in ("schema", "partition-spec"):
        stored.pop(key, None)
    if version == 1:
        stored.pop("last-sequence-number", None)
        stored["schema"] = _by_id(stored["schemas"], "schema-id", stored["current-schema-id"])
        default = _by_id(stored["partition-specs"], "spec-id", stored["default-spec-id"])
        stored["partition-spec"] = default["fields"]
    if version < 3:
        stored.pop("next-row-id", None)
    elif stored["current-snapshot-id"] == NO_SNAPSHOT:
        stored["current-snapshot-id"] = None
    if not stored.get("encryption-keys"):
        stored.pop("encryption-keys", None)
    return stored


def _by_id(entries: list[Json], key: str, wanted: int) -> Json:
    for entry in entries:
        if entry[key] == wanted:
            return entry
    raise invalid(f"The table has no {key} {wanted}.")


def check_properties(properties: Mapping[str, Any]) -> None:
    """Values the catalog itself must be able to read later."""
    for key, value in properties.items():
        check(isinstance(value, str), f"Invalid value for property {key}: it must be a text.")
