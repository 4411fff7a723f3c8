"""Every view update of the Iceberg REST specification, applied to the metadata JSON."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterable

from sqe.catalog.commit.draft import LAST_ADDED, Changes, now_ms
from sqe.catalog.commit.failures import check, need, shape_failures
from sqe.catalog.commit.schemas import equal_schema_id, fields_of
from sqe.catalog.protocol import Json

_DROP_ALLOWED = "replace.drop-dialect.allowed"
_HISTORY_SIZE = "version.history.num-entries"
_HISTORY_DEFAULT = 10
_SUPPORTED_VERSION = 1


class ViewDraft(Changes):
    def __init__(self, base: Json, *, creating: bool = False) -> None:
        super().__init__(copy.deepcopy(dict(base)), creating=creating)
        self.metadata["properties"] = self.metadata.get("properties") or {}
        self.previous = self.version(base["current-version-id"])
        self.last_version_id: int | None = None
        self.added_versions: set[int] = set()
        self.log_entry: Json | None = None

    def version(self, version_id: int) -> Json | None:
        for version in self.metadata["versions"]:
            if version["version-id"] == version_id:
                current: Json = version
                return current
        return None


def new_view(request: Json, location: str) -> Json:
    """Metadata for a create request."""
    version = need(request.get("view-version"), "Invalid view version: null")
    check(isinstance(version, dict), "Invalid view version: not an object.")
    properties = request.get("properties") or {}
    base: Json = {
        "view-uuid": str(uuid.uuid4()),
        "format-version": _SUPPORTED_VERSION,
        "location": location,
        "schemas": [],
        "current-version-id": 0,
        "versions": [],
        "version-log": [],
        "properties": {},
    }
    updates: list[Json] = [
        {"action": "add-schema", "schema": need(request.get("schema"), "Invalid schema: null")},
        {"action": "add-view-version", "view-version": {**version, "schema-id": LAST_ADDED}},
        {"action": "set-current-view-version", "view-version-id": LAST_ADDED},
        {"action": "set-properties", "updates": properties},
    ]
    metadata = apply_view_updates(base, updates, creating=True)
    return need(metadata, "Invalid view: no versions were added")


def apply_view_updates(
    base: Json, updates: Iterable[Json], *, creating: bool = False
) -> Json | None:
    """The new metadata, or None where the updates change nothing."""
    draft = ViewDraft(base, creating=creating)
    draft.apply(updates, VIEW_UPDATES, "view")
    if not draft.changed:
        return None
    with shape_failures("update"):
        _finish(draft)
    return draft.metadata


def version_updates(metadata: Json, schema: Json, version: Json) -> list[Json]:
    """The updates that make this query and schema the view's own. What the view has had before is
    named by its id: catalogs do not take it for the last added, so that ``-1`` would be nothing."""
    schema_id = equal_schema_id(metadata["schemas"], schema)
    schema_known = schema_id is not None
    whole = {**version, "schema-id": schema_id if schema_known else LAST_ADDED}
    version_id = _equal_version_id(metadata["versions"], whole) if schema_known else None
    version_known = version_id is not None
    return [
        *([] if schema_known else [{"action": "add-schema", "schema": schema}]),
        *([] if version_known else [{"action": "add-view-version", "view-version": whole}]),
        {
            "action": "set-current-view-version",
            "view-version-id": version_id if version_known else LAST_ADDED,
        },
    ]


def _finish(draft: ViewDraft) -> None:
    metadata = draft.metadata
    current = need(
        draft.version(metadata["current-version-id"]), "Invalid view: no versions were added"
    )
    properties = metadata["properties"]
    if draft.log_entry:
        metadata["version-log"].append(draft.log_entry)
    if draft.previous and properties.get(_DROP_ALLOWED, "false").lower() != "true":
        before, after = _dialects(draft.previous), _dialects(current)
        check(
            before <= after,
            f"Cannot replace view due to loss of view dialects ({_DROP_ALLOWED}=false):\n"
            f"Previous dialects: [{', '.join(sorted(before))}]\n"
            f"New dialects: [{', '.join(sorted(after))}]",
        )
    text = properties.get(_HISTORY_SIZE, str(_HISTORY_DEFAULT))
    check(text.isdecimal() and int(text) > 0, f"{_HISTORY_SIZE} must be positive but was {text}")
    keep = max(len(draft.added_versions | {current["version-id"]}), int(text))
    if len(metadata["versions"]) > keep:
        _expire(metadata, current, keep)


def _expire(metadata: Json, current: Json, keep: int) -> None:
    newest = sorted(metadata["versions"], key=lambda v: v["version-id"], reverse=True)
    others = [v for v in newest if v["version-id"] != current["version-id"]]
    metadata["versions"] = [current, *others[: keep - 1]]
    kept = {version["version-id"] for version in metadata["versions"]}
    log: list[Json] = []
    for entry in metadata["version-log"]:
        if entry["version-id"] in kept:
            log.append(entry)
        else:
            log.clear()
    metadata["version-log"] = log


def _dialects(version: Json) -> set[str]:
    return {
        str(r.get("dialect")).lower()
        for r in version.get("representations") or ()
        if r.get("type") == "sql"
    }


def _assign_uuid(draft: ViewDraft, update: Json) -> None:
    new = need(update.get("uuid"), "Cannot set uuid to null")
    check(new.lower() == draft.metadata["view-uuid"].lower(), "Cannot reassign uuid")


def _upgrade_format_version(draft: ViewDraft, update: Json) -> None:
    version = need(update.get("format-version"), "Invalid update: no format-version.")
    have = draft.metadata["format-version"]
    check(version >= have, f"Cannot downgrade v{have} view to v{version}")
    check(version <= _SUPPORTED_VERSION, f"Unsupported format version: {version}")


def _add_schema(draft: ViewDraft, update: Json) -> None:
    schema = need(update.get("schema"), "Invalid update: no schema.")
    fields_of(schema)
    schemas = draft.metadata["schemas"]
    known = equal_schema_id(schemas, schema)
    if known is not None:
        draft.note_schema(known, new=False)
        return
    schema_id = max((s["schema-id"] + 1 for s in schemas), default=0)
    draft.set("schemas", [*schemas, {**schema, "type": "struct", "schema-id": schema_id}])
    draft.note_schema(schema_id, new=True)


def _add_view_version(draft: ViewDraft, update: Json) -> None:
    version = dict(need(update.get("view-version"), "Invalid update: no view-version."))
    schema_id = need(version.get("schema-id"), "Invalid view version: no schema-id.")
    if schema_id == LAST_ADDED:
        version["schema-id"] = need(
            draft.last_schema_id, "Cannot set last added schema: no schema has been added"
        )
    _check_version(draft, version)
    versions = draft.metadata["versions"]
    known = _equal_version_id(versions, version)
    if known is not None:
        draft.last_version_id = known if known in draft.added_versions else None
        return
    wanted = version.get("version-id") or 1
    version["version-id"] = max([wanted, *(v["version-id"] + 1 for v in versions)])
    draft.set("versions", [*versions, version])
    draft.added_versions.add(version["version-id"])
    draft.last_version_id = version["version-id"]


def _check_version(draft: ViewDraft, version: Json) -> None:
    check(
        any(s["schema-id"] == version["schema-id"] for s in draft.metadata["schemas"]),
        f"Cannot add version with unknown schema: {version['schema-id']}",
    )
    need(version.get("timestamp-ms"), "Invalid view version: no timestamp-ms.")
    need(version.get("default-namespace"), "Invalid view version: no default-namespace.")
    seen: set[str] = set()
    representations = need(version.get("representations"), "Invalid view: no representations.")
    for representation in representations:
        kind = representation.get("type")
        check(kind == "sql", f"Found unsupported view representations: [{kind}]")
        dialect = str(need(representation.get("dialect"), "Invalid view: no dialect.")).lower()
        need(representation.get("sql"), "Invalid view: no sql.")
        check(
            dialect not in seen,
            f"Invalid view version: Cannot add multiple queries for dialect {dialect}",
        )
        seen.add(dialect)


def _equal_version_id(versions: Iterable[Json], version: Json) -> int | None:
    wanted = _behaviour(version)
    equal = (v["version-id"] for v in versions if _behaviour(v) == wanted)
    return next(equal, None)


def _behaviour(version: Json) -> tuple[object, ...]:
    """What makes two versions the same, whenever and by whom they were made."""
    keys = ("summary", "representations", "default-catalog", "default-namespace", "schema-id")
    return tuple(version.get(key) for key in keys)


def _set_current_view_version(draft: ViewDraft, update: Json) -> None:
    version_id = need(update.get("view-version-id"), "Invalid update: no view-version-id.")
    if version_id == LAST_ADDED:
        version_id = need(
            draft.last_version_id, "Cannot set last version id: no current version id has been set"
        )
    if version_id == draft.metadata["current-version-id"]:
        return
    version = need(
        draft.version(version_id), f"Cannot set current version to unknown version: {version_id}"
    )
    added = version_id in draft.added_versions
    timestamp = version["timestamp-ms"] if added else now_ms()
    draft.log_entry = {"timestamp-ms": timestamp, "version-id": version_id}
    draft.set("current-version-id", version_id)


VIEW_UPDATES: dict[str, Callable[[ViewDraft, Json], None]] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade_format_version,
    "add-schema": _add_schema,
    "set-location": ViewDraft.set_location,
    "set-properties": ViewDraft.set_properties,
    "remove-properties": ViewDraft.remove_properties,
    "add-view-version": _add_view_version,
    "set-current-view-version": _set_current_view_version,
}
