"""A table's sort order, as Iceberg on Spark describes it."""

from __future__ import annotations

import re

from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.coordinator.partitions import field_paths

_SIMPLE = {"year": "years", "month": "months", "day": "days", "hour": "hours"}
_WITH_WIDTH = re.compile(r"(bucket|truncate)\[(\d+)\]\Z")


def default_order(metadata: Json) -> list[Json]:
    wanted = metadata.get("default-sort-order-id", 0)
    for order in metadata.get("sort-orders") or ():
        if order.get("order-id") == wanted:
            fields: list[Json] = order["fields"]
            return fields
    return []


def order_text(metadata: Json) -> str:
    """``id DESC NULLS LAST, bucket(4, name) ASC NULLS FIRST``; empty for an unsorted table."""
    paths = field_paths(current_schema(metadata))
    return ", ".join(
        _field(field, ".".join(paths[field["source-id"]]))
        for field in default_order(metadata)
        if field.get("source-id") in paths
    )


def _field(field: Json, column: str) -> str:
    transform = field["transform"]
    width = _WITH_WIDTH.match(transform)
    if transform in _SIMPLE:
        column = f"{_SIMPLE[transform]}({column})"
    elif width and width[1] == "bucket":
        column = f"bucket({width[2]}, {column})"
    elif width:
        column = f"truncate({column}, {width[2]})"
    nulls = "NULLS FIRST" if field["null-order"] == "nulls-first" else "NULLS LAST"
    return f"{column} {field['direction'].upper()} {nulls}"
