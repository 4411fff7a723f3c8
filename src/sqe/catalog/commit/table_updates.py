"""Every table update of the Iceberg REST specification, applied to the metadata JSON.

What each does follows Iceberg's own reference implementation, so that a table committed here and
one committed by a Java catalog are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqe.catalog.commit import snapshots
from sqe.catalog.commit.draft import (
    LAST_ADDED,
    Draft,
    check_format_version,
    check_properties,
    now_ms,
    stored_form,
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
    for update in updates:
        check(isinstance(update, dict), "Invalid update: not an object.")
        action = update.get("action")
        handler = TABLE_UPDATES.get(str(action))
        if handler is None:
            raise invalid(f"Cannot apply the update {action!r} to a table.")
        with shape_failures(f"update {action}"):
            handler(draft, update)
    if not draft.changed and not creating:
        return None
    with shape_failures("update"):
        _finish(draft, base)
    return stored_form(draft.metadata)


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
                draft.last_schema_id = schema_id
                return
            break
    else:
        schema_id = max([metadata["current-schema-id"], *(k + 1 for k in known), 0])
        metadata["schemas"].append({**schema, "type": "struct", "schema-id": schema_id})
    draft.set("last-column-id", last_column_id)
    draft.last_schema_id = schema_id


def _set_current_schema(draft: Draft, update: Json) -> None:
    schema_id = need(update.get("schema-id"), "Invalid update: no schema-id.")
    if schema_id == LAST_ADDED:
        schema_id = need(
            draft.last_schema_id, "Cannot set last added schema: no schema has been added"
        )
    if schema_id == draft.metadata["current-schema-id"]:
        return
    check(
        any(s["schema-id"] == schema_id for s in draft.metadata["schemas"]),
        f"Cannot set current schema to unknown schema: {schema_id}",
    )
    draft.set("current-schema-id", schema_id)


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


def _set_default_spec(draft: Draft, update: Json) -> None:
    spec_id = need(update.get("spec-id"), "Invalid update: no spec-id.")
    if spec_id == LAST_ADDED:
        spec_id = need(draft.last_spec_id, "Cannot set last added spec: no spec has been added")
    if spec_id == draft.metadata["default-spec-id"]:
        return
    check(
        any(s["spec-id"] == spec_id for s in draft.metadata["partition-specs"]),
        f"Cannot set default partition spec to unknown spec: {spec_id}",
    )
    draft.set("default-spec-id", spec_id)


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


def _set_default_sort_order(draft: Draft, update: Json) -> None:
    order_id = need(update.get("sort-order-id"), "Invalid update: no sort-order-id.")
    if order_id == LAST_ADDED:
        order_id = need(
            draft.last_order_id, "Cannot set last added sort order: no sort order has been added"
        )
    if order_id == draft.metadata["default-sort-order-id"]:
        return
    check(
        any(o["order-id"] == order_id for o in draft.metadata["sort-orders"]),
        f"Cannot set default sort order to unknown sort order: {order_id}",
    )
    draft.set("default-sort-order-id", order_id)


def _set_location(draft: Draft, update: Json) -> None:
    location = need(update.get("location"), "Invalid location: null")
    if location != draft.metadata["location"]:
        draft.set("location", location)


def _set_properties(draft: Draft, update: Json) -> None:
    updates = need(update.get("updates"), "Invalid update: no updates.")
    check_properties(updates)
    if updates:
        draft.set("properties", {**draft.metadata["properties"], **updates})


def _remove_properties(draft: Draft, update: Json) -> None:
    removals = set(need(update.get("removals"), "Invalid update: no removals."))
    if removals:
        kept = {k: v for k, v in draft.metadata["properties"].items() if k not in removals}
        draft.set("properties", kept)


def _remove_specs(draft: Draft, update: Json) -> None:
    ids = set(need(update.get("spec-ids"), "Invalid update: no spec-ids."))
    default = draft.metadata["default-spec-id"]
    check(default not in ids, "Cannot remove the default partition spec")
    kept = [s for s in draft.metadata["partition-specs"] if s["spec-id"] not in ids]
    if len(kept) != len(draft.metadata["partition-specs"]):
        draft.set("partition-specs", kept)


def _remove_schemas(draft: Draft, update: Json) -> None:
    ids = set(need(update.get("schema-ids"), "Invalid update: no schema-ids."))
    check(draft.metadata["current-schema-id"] not in ids, "Cannot remove the current schema")
    kept = [s for s in draft.metadata["schemas"] if s["schema-id"] not in ids]
    if len(kept) != len(draft.metadata["schemas"]):
        draft.set("schemas", kept)


TABLE_UPDATES: dict[str, Callable[[Draft, Json], None]] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade_format_version,
    "add-schema": _add_schema,
    "set-current-schema": _set_current_schema,
    "add-spec": _add_spec,
    "set-default-spec": _set_default_spec,
    "add-sort-order": _add_sort_order,
    "set-default-sort-order": _set_default_sort_order,
    "add-snapshot": snapshots.add_snapshot,
    "set-snapshot-ref": snapshots.set_ref,
    "remove-snapshots": snapshots.remove_snapshots,
    "remove-snapshot-ref": snapshots.remove_ref,
    "set-location": _set_location,
    "set-properties": _set_properties,
    "remove-properties": _remove_properties,
    "set-statistics": snapshots.set_statistics,
    "remove-statistics": snapshots.remove_statistics,
    "set-partition-statistics": snapshots.set_partition_statistics,
    "remove-partition-statistics": snapshots.remove_partition_statistics,
    "remove-partition-specs": _remove_specs,
    "remove-schemas": _remove_schemas,
    "add-encryption-key": snapshots.add_encryption_key,
    "remove-encryption-key": snapshots.remove_encryption_key,
}
