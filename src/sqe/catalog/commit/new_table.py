"""The metadata of a table that is being created."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from sqe.catalog.commit.draft import (
    DEFAULT_FORMAT_VERSION,
    check_format_version,
    check_properties,
    empty_metadata,
)
from sqe.catalog.commit.failures import check, invalid, need, shape_failures
from sqe.catalog.commit.layouts import FIRST_PARTITION_ID, with_sources
from sqe.catalog.commit.schemas import fields_of, with_fresh_ids
from sqe.catalog.commit.table_updates import apply_updates
from sqe.catalog.protocol import Json

_NEW_TABLE_PROPERTIES = {"write.parquet.compression-codec": "zstd"}
_RESERVED = frozenset(
    {
        "format-version",
        "uuid",
        "snapshot-count",
        "current-snapshot-id",
        "current-snapshot-summary",
        "current-snapshot-timestamp-ms",
        "current-schema",
        "default-partition-spec",
        "default-sort-order",
    }
)
_COMMIT_NUMBERS = (
    "commit.retry.num-retries",
    "commit.retry.min-wait-ms",
    "commit.retry.max-wait-ms",
    "commit.retry.total-timeout-ms",
)
_METRICS_COLUMN = "write.metadata.metrics.column."


def new_table(request: Json, location: str) -> Json:
    """Metadata for a create request: field ids are given anew, from 1, whatever the request says,
    and the partition spec and sort order follow."""
    with shape_failures("table"):
        return _new_table(request, location)


def _new_table(request: Json, location: str) -> Json:
    schema = need(request.get("schema"), "Invalid schema: null")
    properties = request.get("properties") or {}
    check_properties(properties)
    version = _format_version(properties)
    fields_of(schema)  # ids used twice would make the mapping of sources ambiguous
    counter = itertools.count(1)
    fresh, renamed = with_fresh_ids(schema, lambda: next(counter))
    updates: list[Json] = [
        {"action": "add-schema", "schema": fresh},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": _fresh_spec(request.get("partition-spec"), renamed)},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": _fresh_order(request, renamed)},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": location},
        {"action": "set-properties", "updates": _properties_of(properties)},
    ]
    _check_new_properties(properties, schema, version)
    metadata = apply_updates(empty_metadata(version), updates, creating=True)
    return need(metadata, "Invalid table: no metadata.")


def _format_version(properties: Mapping[str, str]) -> int:
    text = properties.get("format-version", str(DEFAULT_FORMAT_VERSION))
    try:
        return check_format_version(int(text))
    except ValueError:
        raise invalid(f"Unsupported format version: {text!r} (supported: 1, 2, 3)") from None


def _fresh_spec(spec: Json | None, renamed: dict[int, int]) -> Json:
    fresh = with_sources(spec or {}, renamed, "partition")
    parts = [
        {**part, "field-id": FIRST_PARTITION_ID + index}
        for index, part in enumerate(fresh["fields"])
    ]
    return {"fields": parts}


def _fresh_order(request: Json, renamed: dict[int, int]) -> Json:
    return {"fields": with_sources(request.get("write-order") or {}, renamed, "sort")["fields"]}


def _properties_of(properties: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in properties.items() if key not in _RESERVED}
    return {**_NEW_TABLE_PROPERTIES, **kept}


def _check_new_properties(properties: Mapping[str, str], schema: Json, version: int) -> None:
    for key in _COMMIT_NUMBERS:
        if key in properties:
            check(
                properties[key].isdecimal(),
                f"Table property {key} must have integer value, not negative",
            )
    names = {field.name for field in fields_of(schema).values()}
    for key in properties:
        if key.startswith(_METRICS_COLUMN):
            column = key[len(_METRICS_COLUMN) :]
            check(
                column in names,
                f"Invalid metrics config, could not find column {column} from table prop {key}"
                " in schema",
            )
    check(
        version >= 3 or "encryption.key-id" not in properties,
        f"Invalid properties for v{version}: table encryption needs v3",
    )
