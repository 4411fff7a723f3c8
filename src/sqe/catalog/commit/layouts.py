"""Partition specs and sort orders as metadata JSON: checked, compared, given ids."""

from __future__ import annotations

import re
from typing import Any

from sqe.catalog.commit.failures import check, need
from sqe.catalog.commit.schemas import Field, normal_type
from sqe.catalog.protocol import Json

FIRST_PARTITION_ID = 1000
UNSORTED: Json = {"order-id": 0, "fields": []}

_TEMPORAL = r"timestamp|timestamptz|timestamp_ns|timestamptz_ns"
_NOT_COMPARABLE = re.compile(r"variant|unknown|geometry.*|geography.*")
_ACCEPTS = {
    "bucket": rf"int|long|date|time|{_TEMPORAL}|string|uuid|binary|fixed.*|decimal.*",
    "truncate": r"int|long|string|binary|decimal.*",
    "year": rf"date|{_TEMPORAL}",
    "month": rf"date|{_TEMPORAL}",
    "day": rf"date|{_TEMPORAL}",
    "hour": _TEMPORAL,
}


def check_spec(spec: Json, fields: dict[int, Field]) -> None:
    """INVALID_ARGUMENT where the schema cannot be partitioned so."""
    names: set[str] = set()
    columns = {field.name: field.id for field in fields.values()}
    for part in spec.get("fields") or ():
        name = need(part.get("name"), "Invalid partition spec: a field has no name.")
        check(bool(name), "Cannot use empty or null partition name")
        check(name not in names, f"Cannot use partition name more than once: {name}")
        names.add(name)
        if name in columns:
            same = columns[name] == part.get("source-id")
            check(
                same and part.get("transform") in ("identity", "void"),
                f"Cannot create partition from name that exists in schema: {name}",
            )
    check_spec_types(spec, fields)


def check_spec_types(spec: Json, fields: dict[int, Field]) -> None:
    for part in spec.get("fields") or ():
        if part.get("transform") != "void":
            _check_source(part, fields, "partition")


def check_order(order: Json, fields: dict[int, Field]) -> None:
    """INVALID_ARGUMENT where the schema cannot be sorted so."""
    for part in order.get("fields") or ():
        check(
            part.get("direction") in ("asc", "desc"),
            f"Invalid sort direction: {part.get('direction')}",
        )
        check(
            part.get("null-order") in ("nulls-first", "nulls-last"),
            f"Invalid null order: {part.get('null-order')}",
        )
        _check_source(part, fields, "sort")


def _check_source(part: Json, fields: dict[int, Field], purpose: str) -> None:
    transform = need(part.get("transform"), f"Invalid {purpose} field: it has no transform.")
    for source_id in source_ids(part):
        field = fields.get(source_id)
        if field is None:
            missing = f"Cannot find source column for {purpose} field: {part}"
            check(False, missing)
            return
        verb = "partition" if purpose == "partition" else "sort"
        check(
            isinstance(field.type, str),
            f"Cannot {verb} by non-primitive source field: {field.name}",
        )
        check(
            _accepts(transform, normal_type(field.type)),
            f"Invalid source type {field.type} for transform: {transform}",
        )


def source_ids(part: Json) -> list[int]:
    if "source-id" in part:
        return [part["source-id"]]
    ids: list[int] = need(part.get("source-ids"), f"Invalid field: no source-id in {part}.")
    return ids


def _accepts(transform: str, type_text: str) -> bool:
    if transform == "identity":
        return _NOT_COMPARABLE.fullmatch(type_text) is None
    pattern = _ACCEPTS.get(transform.partition("[")[0])
    # A transform this catalog does not know is for its writers to judge.
    return pattern is None or re.fullmatch(pattern, type_text) is not None


def same_spec(left: Json, right: Json) -> bool:
    """Equal but for their ids."""
    return _spec_key(left) == _spec_key(right)


def _spec_key(spec: Json) -> list[Any]:
    return [(source_ids(p), p["transform"], p["name"]) for p in spec.get("fields") or ()]


def same_order(left: Json, right: Json) -> bool:
    return _order_key(left) == _order_key(right)


def _order_key(order: Json) -> list[Any]:
    parts = order.get("fields") or ()
    return [(source_ids(p), p["transform"], p["direction"], p["null-order"]) for p in parts]


def last_partition_id(spec: Json) -> int:
    return max((part["field-id"] for part in spec["fields"]), default=FIRST_PARTITION_ID - 1)


def has_sequential_ids(spec: Json) -> bool:
    ids = [part["field-id"] for part in spec["fields"]]
    return ids == list(range(FIRST_PARTITION_ID, FIRST_PARTITION_ID + len(ids)))


def with_field_ids(spec: Json, known: list[Json], last_id: int) -> Json:
    """The spec with an id for every field that came without: the id of an equal field of an
    earlier spec, or the next unused one."""
    used = {
        (tuple(source_ids(part)), part["transform"]): part["field-id"]
        for earlier in known
        for part in earlier.get("fields") or ()
        if "field-id" in part
    }
    parts = []
    for part in spec.get("fields") or ():
        if part.get("field-id") is None:
            key = (tuple(source_ids(part)), part.get("transform"))
            if key not in used:
                last_id += 1
                used[key] = last_id
            part = {**part, "field-id": used[key]}
        last_id = max(last_id, part["field-id"])
        parts.append(part)
    return {**spec, "fields": parts}


def with_sources(layout: Json, renamed: dict[int, int], purpose: str) -> Json:
    """A spec or sort order over the fresh ids of its columns."""

    def remap(part: Json) -> Json:
        missing = f"Cannot find source column for {purpose} field: {part}"
        ids = [need(renamed.get(old), missing) for old in source_ids(part)]
        if "source-id" in part:
            return {**part, "source-id": ids[0]}
        return {**part, "source-ids": ids}

    return {**layout, "fields": [remap(part) for part in layout.get("fields") or ()]}
