"""Updates of snapshots, branches, tags, statistics and encryption keys."""

from __future__ import annotations

from sqe.catalog.commit.draft import MAIN, NO_SNAPSHOT, Draft, now_ms
from sqe.catalog.commit.failures import check, conflict, invalid, need
from sqe.catalog.protocol import Json

_RETENTION = ("min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms")


def add_snapshot(draft: Draft, update: Json) -> None:
    snapshot = need(update.get("snapshot"), "Invalid update: no snapshot.")
    metadata = draft.metadata
    for part, what in (
        ("schemas", "schema"),
        ("partition-specs", "partition spec"),
        ("sort-orders", "sort order"),
    ):
        check(bool(metadata[part]), f"Attempting to add a snapshot before a {what} is added")
    snapshot_id = need(snapshot.get("snapshot-id"), "Invalid snapshot: no snapshot-id.")
    need(snapshot.get("timestamp-ms"), "Invalid snapshot: no timestamp-ms.")
    check(
        snapshot.get("manifest-list") is not None or snapshot.get("manifests") is not None,
        "Invalid snapshot: no manifest-list.",
    )
    check(snapshot_id not in draft.snapshots, f"Snapshot already exists for id: {snapshot_id}")
    sequence_number = snapshot.get("sequence-number") or 0
    last = metadata["last-sequence-number"]
    parent = snapshot.get("parent-snapshot-id")
    if draft.format_version > 1 and parent is not None and sequence_number <= last:
        raise conflict(
            f"Cannot add snapshot with sequence number {sequence_number}"
            f" older than last sequence number {last}"
        )
    _count_rows(draft, snapshot)
    metadata["last-sequence-number"] = max(last, sequence_number)
    metadata["snapshots"].append(dict(snapshot))
    draft.added_snapshots.add(snapshot_id)
    draft.changed = True


def _count_rows(draft: Draft, snapshot: Json) -> None:
    """Row lineage: every row of a V3 table gets an id that no other row has had."""
    if draft.format_version < 3:
        return
    first = snapshot.get("first-row-id")
    added = snapshot.get("added-rows")
    first_row = need(first, "Cannot add a snapshot: first-row-id is null")
    rows = need(added, "Cannot add a snapshot: added-rows is null")
    check(rows >= 0, f"Cannot add a snapshot: added-rows is negative: {rows}")
    next_row = draft.metadata["next-row-id"]
    if first_row < next_row:
        raise conflict(
            "Cannot add a snapshot, first-row-id is behind table next-row-id:"
            f" {first_row} < {next_row}"
        )
    draft.metadata["next-row-id"] = first_row + rows


def set_ref(draft: Draft, update: Json) -> None:
    name = need(update.get("ref-name"), "Invalid update: no ref-name.")
    ref = _reference(update)
    if _with_defaults(draft.metadata["refs"].get(name)) == _with_defaults(ref):
        return
    snapshot_id = ref["snapshot-id"]
    snapshot = draft.snapshots.get(snapshot_id)
    if snapshot is None:
        raise invalid(f"Cannot set {name} to unknown snapshot: {snapshot_id}")
    check(
        name != MAIN or ref["type"] == "branch",
        f"Cannot set {MAIN} to a tag, it must be a branch",
    )
    if name == MAIN:
        added = snapshot_id in draft.added_snapshots
        if added:
            draft.was_current.add(snapshot_id)
        _log_current(draft, snapshot_id, snapshot["timestamp-ms"] if added else now_ms())
    draft.metadata["refs"][name] = ref
    draft.changed = True


def _log_current(draft: Draft, snapshot_id: int, timestamp: int) -> None:
    log = draft.metadata["snapshot-log"]
    # Readers refuse a log whose times go backwards, which another machine's clock can cause.
    latest = log[-1]["timestamp-ms"] if log else timestamp
    log.append({"timestamp-ms": max(timestamp, latest), "snapshot-id": snapshot_id})
    draft.metadata["current-snapshot-id"] = snapshot_id


def _reference(update: Json) -> Json:
    kind = str(need(update.get("type"), "Invalid reference: no type.")).lower()
    check(kind in ("branch", "tag"), f"Invalid snapshot reference type: {kind}")
    need(update.get("snapshot-id"), "Invalid reference: no snapshot-id.")
    ref = {"snapshot-id": update["snapshot-id"], "type": kind}
    for key in _RETENTION:
        value = update.get(key)
        if value is not None:
            check(isinstance(value, int) and value > 0, f"Invalid {key}: must be greater than 0")
            check(kind == "branch" or key == "max-ref-age-ms", f"Tags do not support setting {key}")
            ref[key] = value
    return ref


def _with_defaults(ref: Json | None) -> Json | None:
    if ref is None:
        return None
    return {"type": "branch", **{key: value for key, value in ref.items() if value is not None}}


def remove_ref(draft: Draft, update: Json) -> None:
    _drop_ref(draft, need(update.get("ref-name"), "Invalid update: no ref-name."))


def _drop_ref(draft: Draft, name: str) -> None:
    if name == MAIN and draft.metadata["current-snapshot-id"] != NO_SNAPSHOT:
        draft.set("current-snapshot-id", NO_SNAPSHOT)
    if draft.metadata["refs"].pop(name, None) is not None:
        draft.changed = True


def remove_snapshots(draft: Draft, update: Json) -> None:
    ids = set(need(update.get("snapshot-ids"), "Invalid update: no snapshot-ids."))
    gone = ids & set(draft.snapshots)
    if not gone:
        return
    metadata = draft.metadata
    for key in ("snapshots", "statistics", "partition-statistics"):
        metadata[key] = [entry for entry in metadata[key] if entry["snapshot-id"] not in gone]
    for name in [name for name, ref in metadata["refs"].items() if ref["snapshot-id"] in gone]:
        _drop_ref(draft, name)
    draft.removed_snapshots = True
    draft.changed = True


def set_statistics(draft: Draft, update: Json) -> None:
    _put_statistics(draft, "statistics", update.get("statistics"))


def set_partition_statistics(draft: Draft, update: Json) -> None:
    _put_statistics(draft, "partition-statistics", update.get("partition-statistics"))


def _put_statistics(draft: Draft, key: str, file: Json | None) -> None:
    entry = need(file, f"Invalid update: no {key}.")
    snapshot_id = need(entry.get("snapshot-id"), f"Invalid {key}: no snapshot-id.")
    need(entry.get("statistics-path"), f"Invalid {key}: no statistics-path.")
    others = [old for old in draft.metadata[key] if old["snapshot-id"] != snapshot_id]
    draft.set(key, [*others, entry])


def remove_statistics(draft: Draft, update: Json) -> None:
    _drop_statistics(draft, "statistics", update)


def remove_partition_statistics(draft: Draft, update: Json) -> None:
    _drop_statistics(draft, "partition-statistics", update)


def _drop_statistics(draft: Draft, key: str, update: Json) -> None:
    snapshot_id = need(update.get("snapshot-id"), "Invalid update: no snapshot-id.")
    kept = [old for old in draft.metadata[key] if old["snapshot-id"] != snapshot_id]
    if len(kept) != len(draft.metadata[key]):
        draft.set(key, kept)


def add_encryption_key(draft: Draft, update: Json) -> None:
    key = need(update.get("encryption-key"), "Invalid update: no encryption-key.")
    key_id = need(key.get("key-id"), "Invalid encryption key: no key-id.")
    known = draft.metadata.get("encryption-keys") or []
    if all(old["key-id"] != key_id for old in known):
        draft.set("encryption-keys", [*known, key])


def remove_encryption_key(draft: Draft, update: Json) -> None:
    key_id = need(update.get("key-id"), "Invalid update: no key-id.")
    known = draft.metadata.get("encryption-keys") or []
    kept = [old for old in known if old["key-id"] != key_id]
    if len(kept) != len(known):
        draft.set("encryption-keys", kept)


def settle_log(draft: Draft) -> None:
    """The snapshot log without what was never current for anyone, or is not there any more."""
    current = draft.metadata["current-snapshot-id"]
    passing = draft.was_current - {current}
    if not passing and not draft.removed_snapshots:
        return
    snapshots = draft.snapshots
    log: list[Json] = []
    for entry in draft.metadata["snapshot-log"]:
        if entry["snapshot-id"] in snapshots:
            if entry["snapshot-id"] not in passing:
                log.append(entry)
        elif draft.removed_snapshots:
            # A gap would make the entry after it look current for longer than it was.
            log.clear()
    check(
        current not in snapshots or (bool(log) and log[-1]["snapshot-id"] == current),
        "Cannot set invalid snapshot log: latest entry is not the current snapshot",
    )
    draft.metadata["snapshot-log"] = log
