"""The updates give what PyIceberg's own implementation gives, for the versions it can write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.table.update import TableUpdate, update_table_metadata

from sqe.catalog.commit.table_updates import apply_updates
from sqe.catalog.protocol import Json
from sqe.errors import UserError
from tests.unit.catalog.tables import add, changed, field, point, table

_PARSER: TypeAdapter[Any] = TypeAdapter(TableUpdate)
# Times differ; V1's copies of the current schema and spec PyIceberg leaves as they were.
_NOT_COMPARED = ("last-updated-ms", "metadata-log", "schema", "partition-spec")
Step = Callable[[Json], list[Json]]


def _snapshot_ids(base: Json) -> list[int]:
    return [snapshot["snapshot-id"] for snapshot in base["snapshots"]]


def _append(base: Json, ref: str) -> list[Json]:
    number = len(_snapshot_ids(base)) + 1 + base.get("last-sequence-number", 0)
    time = base["last-updated-ms"] + number  # later than everything logged so far
    more = {"sequence-number": number, "timestamp-ms": time}
    if base["format-version"] == 1:
        more.pop("sequence-number")
    return [add(number, **more), point(ref, number)]


def _evolve(base: Json, name: str, type_: str) -> list[Json]:
    current = next(s for s in base["schemas"] if s["schema-id"] == base["current-schema-id"])
    fields = [f for f in current["fields"] if f["name"] != name]
    added = field(base["last-column-id"] + 1, name, type_)
    # PyIceberg takes the ids of new schemas, specs and orders from the client.
    schema_id = max(s["schema-id"] for s in base["schemas"]) + 1
    evolved = {**current, "schema-id": schema_id, "fields": [*fields, added]}
    return [
        {"action": "add-schema", "schema": evolved},
        {"action": "set-current-schema", "schema-id": -1},
    ]


def _existing_snapshot(base: Json, index: int, make: Callable[[int], Json]) -> list[Json]:
    ids = _snapshot_ids(base)
    return [make(ids[index % len(ids)])] if ids else []


def _partition(base: Json, transform: str) -> list[Json]:
    part = {
        "source-id": 1,
        "field-id": base["last-partition-id"] + 1,
        "transform": transform,
        "name": transform.replace("[", "_").replace("]", ""),
    }
    if any(p["name"] == part["name"] for s in base["partition-specs"] for p in s["fields"]):
        return []
    fields = [part]
    spec_id = max(s["spec-id"] for s in base["partition-specs"]) + 1
    if base["format-version"] == 1:  # V1 keeps every field there was
        default = base["default-spec-id"]
        old = next(s for s in base["partition-specs"] if s["spec-id"] == default)["fields"]
        fields = [*old, part]
    return [
        {"action": "add-spec", "spec": {"spec-id": spec_id, "fields": fields}},
        {"action": "set-default-spec", "spec-id": -1},
    ]


def _sort(base: Json, direction: str) -> list[Json]:
    part = {"source-id": 1, "transform": "identity", "direction": direction}
    order_id = max(o["order-id"] for o in base["sort-orders"]) + 1
    if any(p["direction"] == direction for o in base["sort-orders"] for p in o["fields"]):
        return []
    order = {"order-id": order_id, "fields": [{**part, "null-order": "nulls-first"}]}
    return [
        {"action": "add-sort-order", "sort-order": order},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ]


_names = st.sampled_from(["a", "b", "c"])
_index = st.integers(0, 5)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(
        lambda k, v: lambda base: [{"action": "set-properties", "updates": {k: v}}], _names, _names
    ),
    st.builds(
        lambda k: (
            lambda base: (
                [{"action": "remove-properties", "removals": [k]}]
                if k in base["properties"]
                else []
            )
        ),
        _names,
    ),
    st.builds(lambda ref: lambda base: _append(base, ref), st.sampled_from(["main", "b"])),
    st.builds(
        lambda n, t: lambda base: _evolve(base, n, t), _names, st.sampled_from(["int", "string"])
    ),
    st.builds(
        lambda i, n: lambda base: _existing_snapshot(base, i, lambda s: point(n, s, "tag")),
        _index,
        st.sampled_from(["t1", "t2"]),
    ),
    st.builds(
        lambda i: lambda base: _existing_snapshot(base, i, lambda s: point("main", s)), _index
    ),
    st.builds(
        lambda i: (
            lambda base: _existing_snapshot(
                base, i, lambda s: {"action": "remove-snapshots", "snapshot-ids": [s]}
            )
        ),
        _index,
    ),
    st.builds(
        lambda n: (
            lambda base: (
                [{"action": "remove-snapshot-ref", "ref-name": n}] if n in base["refs"] else []
            )
        ),
        st.sampled_from(["b", "t1"]),
    ),
    st.builds(
        lambda t: lambda base: _partition(base, t), st.sampled_from(["bucket[2]", "truncate[3]"])
    ),
    st.builds(lambda d: lambda base: _sort(base, d), st.sampled_from(["asc", "desc"])),
    st.builds(lambda n: lambda base: [{"action": "set-location", "location": f"/w/{n}"}], _names),
)


def _theirs(base: Json, updates: list[Json]) -> Json:
    model = TableMetadataUtil.parse_obj(base)
    parsed = tuple(_PARSER.validate_python(update) for update in updates)
    after: Json = update_table_metadata(model, parsed).model_dump(mode="json", by_alias=True)
    return after


def _comparable(metadata: Json) -> Json:
    parsed = TableMetadataUtil.parse_obj(metadata).model_dump(mode="json", by_alias=True)
    kept = {key: value for key, value in parsed.items() if key not in _NOT_COMPARED}
    kept["snapshot-log"] = [entry["snapshot-id"] for entry in kept["snapshot-log"]]
    return kept


@settings(max_examples=150, deadline=None)
@given(version=st.sampled_from([1, 2]), steps=st.lists(STEPS, min_size=1, max_size=8))
def test_updates_agree_with_pyiceberg(version: int, steps: list[Step]) -> None:
    base = table(version)
    for step in steps:
        updates = step(base)
        try:
            ours = apply_updates(base, updates)
        except UserError:
            continue
        if ours is None:
            continue
        left, right = _comparable(ours), _comparable(_theirs(base, updates))
        if any(update["action"] == "remove-snapshots" for update in updates):
            # Java cuts the log before a gap, PyIceberg only leaves the entry out.
            left["snapshot-log"] = right["snapshot-log"] = []
        assert left == right
        base = ours


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=10), version=st.sampled_from([1, 2, 3]))
def test_whatever_is_committed_pyiceberg_can_read(version: int, steps: list[Step]) -> None:
    base = table(version)
    for step in steps:
        updates = step(base)
        for update in updates:
            if version == 3 and "snapshot" in update:
                update["snapshot"] |= {"first-row-id": base["next-row-id"], "added-rows": 1}
        try:
            base = apply_updates(base, updates) or base
        except UserError:
            continue
        TableMetadataUtil.parse_obj(base)


def test_a_rollback_is_the_only_difference_in_time() -> None:
    base = changed(table(2), *_append(table(2), "main"))
    assert base["snapshot-log"][0]["timestamp-ms"] == base["snapshots"][0]["timestamp-ms"]
