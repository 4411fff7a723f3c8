"""Every table update of the Iceberg REST specification, applied to the metadata JSON.

What each does follows Iceberg's own reference implementation, so that a table committed here and
one committed by a Java catalog are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqe.catalog.commit import snapshots
from sqe.catalog.commit.draft import (
    LAST_ADDED,
    Draft,
    check_format_version,
    fill_form,
    now_ms,
)
from sqe.catalog.commit.failures import check, invalid, need, shape_failures
from sqe.catalog.commit.layouts import (
    UNSORTED,
    check_order,
    check_spec,
    check_spec_types,
    has_sequential_ids,
    last_partition_id,
    same_order,
    same_spec,
    with_field_ids,
)
from sqe.catalog.commit.schemas import check_schema, same_schema
from sqe.catalog.protocol import Json

_METADATA_LOG_MAX = "write.metadata.previous-versions-max"
_METADATA_LOG_DEFAULT = 100


def apply_updates(base: Json, updates: Iterable[Json], *, creating: bool = False) -> Json | None:
    """The new metadata, or None where the updates change nothing."""
    draft = Draft(base, creating=creating)
    draft.apply(updates, TABLE_UPDATES, "table")
    if not draft.changed and not creating:
        return None
    with shape_failures("update"):
        _finish(draft, base)
    return fill_form(draft.metadata)


def with_previous_file(metadata: Json, base: Json, base_location: str) -> Json:
    """The metadata with the file it replaces in its log."""
    text = metadata["properties"].get(_METADATA_LOG_MAX, str(_METADATA_LOG_DEFAULT))
    try:
        keep = max(1, int(text))
    except ValueError:
        raise invalid(f"Invalid value for {_METADATA_LOG_MAX}: {text!r} is not a number.") from None
    entry = {"timestamp-ms": base["last-updated-ms"], "metadata-file": base_location}
    log = [*(base.get("metadata-log") or ()), entry]
    return {**metadata, "metadata-log": log[-keep:]}


def _finish(draft: Draft, base: Json) -> None:
    metadata = draft.metadata
    check(bool(metadata.get("location")), "Invalid table metadata: no location.")
    fields = draft.current_fields()
    for spec in metadata["partition-specs"]:
        if spec["spec-id"] == metadata["default-spec-id"]:
            check_spec_types(spec, fields)
            break
    else:
        raise invalid("The table has no default partition spec.")
    for order in metadata["sort-orders"]:
        if order["order-id"] == metadata["default-sort-order-id"]:
            check_order(order, fields)
            break
    else:
        raise invalid("The table has no default sort order.")
    snapshots.settle_log(draft)
    # Readers refuse metadata that is older than its own log; clocks of two machines differ.
    log = metadata["snapshot-log"]
    logged = log[-1]["timestamp-ms"] if log else 0
    metadata["last-updated-ms"] = max(now_ms(), logged, base.get("last-updated-ms") or 0)


def _assign_uuid(draft: Draft, update: Json) -> None:
    uuid = need(update.get("uuid"), "Cannot set uuid to null")
    if uuid.lower() == str(draft.metadata["table-uuid"]).lower():
        return
    check(draft.creating, "Cannot reassign uuid: the table has one.")
    draft.set("table-uuid", uuid)


def _upgrade_format_version(draft: Draft, update: Json) -> None:
    version = check_format_version(update.get("format-version"))
    check(
        version >= draft.format_version,
        f"Cannot downgrade v{draft.format_version} table to v{version}",
    )
    if version != draft.format_version:
        draft.set("format-version", version)


def _add_schema(draft: Draft, update: Json) -> None:
    schema = need(update.get("schema"), "Invalid update: no schema.")
    metadata = draft.metadata
    fields = check_schema(schema, draft.format_version)
    last_column_id = max([metadata["last-column-id"], *fields])
    known = [s["schema-id"] for s in metadata["schemas"]]
    for existing in metadata["schemas"]:
        if same_schema(existing, schema):
            schema_id = existing["schema-id"]
            if last_column_id == metadata["last-column-id"]:
                draft.note_schema(schema_id, new=False)
                return
            break
    else:
        schema_id = max([metadata["current-schema-id"], *(k + 1 for k in known), 0])
        metadata["schemas"].append({**schema, "type": "struct", "schema-id": schema_id})
    draft.set("last-column-id", last_column_id)
    draft.note_schema(schema_id, new=True)


def _add_spec(draft: Draft, update: Json) -> None:
    spec = need(update.get("spec"), "Invalid update: no spec.")
    metadata = draft.metadata
    check_spec(spec, draft.current_fields())
    for existing in metadata["partition-specs"]:
        if same_spec(existing, spec):
            draft.last_spec_id = existing["spec-id"]
            return
    spec = with_field_ids(spec, metadata["partition-specs"], metadata["last-partition-id"])
    check(
        draft.format_version > 1 or has_sequential_ids(spec),
        f"Spec does not use sequential IDs that are required in v1: {spec}",
    )
    spec_id = max((s["spec-id"] + 1 for s in metadata["partition-specs"]), default=0)
    metadata["partition-specs"].append({"spec-id": spec_id, "fields": spec["fields"]})
    draft.set("last-partition-id", max(metadata["last-partition-id"], last_partition_id(spec)))
    draft.last_spec_id = spec_id


def _add_sort_order(draft: Draft, update: Json) -> None:
    order = need(update.get("sort-order"), "Invalid update: no sort-order.")
    metadata = draft.metadata
    check_order(order, draft.current_fields())
    for existing in metadata["sort-orders"]:
        if same_order(existing, order):
            draft.last_order_id = existing["order-id"]
            return
    if order.get("fields"):
        order_id = max([1, *(o["order-id"] + 1 for o in metadata["sort-orders"])])
        metadata["sort-orders"].append({"order-id": order_id, "fields": order["fields"]})
    else:
        order_id = 0
        metadata["sort-orders"].append(dict(UNSORTED))
    draft.changed = True
    draft.last_order_id = order_id


@dataclass(frozen=True, slots=True)
class _Choice:
    """Of the one that is in force, out of a table's schemas, partition specs or sort orders."""

    key: str  # of their ids
    listed: str
    chosen: str
    last_added: Callable[[Draft], int | None]
    name: str
    role: str

    def set(self, draft: Draft, update: Json) -> None:
        chosen_id = need(update.get(self.key), f"Invalid update: no {self.key}.")
        if chosen_id == LAST_ADDED:
            why = f"Cannot set last added {self.name}: no {self.name} has been added"
            chosen_id = need(self.last_added(draft), why)
        if chosen_id == draft.metadata[self.chosen]:
            return
        own_key = self.key.removeprefix("sort-")  # an order itself calls it order-id
        check(
            any(one[own_key] == chosen_id for one in draft.metadata[self.listed]),
            f"Cannot set {self.role} to unknown {self.name}: {chosen_id}",
        )
        draft.set(self.chosen, chosen_id)

    def remove(self, draft: Draft, update: Json) -> None:
        """Any but the one that is in force."""
        ids = set(need(update.get(f"{self.key}s"), f"Invalid update: no {self.key}s."))
        check(draft.metadata[self.chosen] not in ids, f"Cannot remove the {self.role}")
        kept = [one for one in draft.metadata[self.listed] if one[self.key] not in ids]
        if len(kept) != len(draft.metadata[self.listed]):
            draft.set(self.listed, kept)


_SCHEMA = _Choice(
    *("schema-id", "schemas", "current-schema-id", lambda draft: draft.last_schema_id),
    *("schema", "current schema"),
)
_SPEC = _Choice(
    *("spec-id", "partition-specs", "default-spec-id", lambda draft: draft.last_spec_id),
    *("spec", "default partition spec"),
)
_ORDER = _Choice(
    *("sort-order-id", "sort-orders", "default-sort-order-id", lambda draft: draft.last_order_id),
    *("sort order", "default sort order"),
)
TABLE_UPDATES: dict[str, Callable[[Draft, Json], None]] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade_format_version,
    "add-schema": _add_schema,
    "set-current-schema": _SCHEMA.set,
    "add-spec": _add_spec,
    "set-default-spec": _SPEC.set,
    "add-sort-order": _add_sort_order,
    "set-default-sort-order": _ORDER.set,
    "add-snapshot": snapshots.add_snapshot,
    "set-snapshot-ref": snapshots.set_ref,
    "remove-snapshots": snapshots.remove_snapshots,
    "remove-snapshot-ref": snapshots.remove_ref,
    "set-location": Draft.set_location,
    "set-properties": Draft.set_properties,
    "remove-properties": Draft.remove_properties,
    "set-statistics": snapshots.set_statistics,
    "remove-statistics": snapshots.remove_statistics,
    "set-partition-statistics": snapshots.set_partition_statistics,
    "remove-partition-statistics": snapshots.remove_partition_statistics,
    "remove-partition-specs": _SPEC.remove,
    "remove-schemas": _SCHEMA.remove,
    "add-encryption-key": snapshots.add_encryption_key,
    "remove-encryption-key": snapshots.remove_encryption_key,
}
