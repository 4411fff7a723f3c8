"""A new table's metadata: fresh ids, as Iceberg gives them."""

from __future__ import annotations

import pytest

from sqe.catalog.commit.new_table import new_table
from sqe.catalog.protocol import Json
from sqe.errors import ErrorCode, UserError
from tests.unit.catalog.tables import SCHEMA, field, table

NESTED: Json = {
    "type": "struct",
    "identifier-field-ids": [40],
    "fields": [
        {"id": 40, "name": "id", "type": "int", "required": True},
        field(7, "m", {"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value": "int"}),
        field(3, "s", {"type": "struct", "fields": [field(2, "x", "double"), field(1, "y")]}),
        field(5, "l", {"type": "list", "element-id": 6, "element": "string"}),
    ],
}


def test_field_ids_are_given_level_by_level() -> None:
    metadata = new_table({"schema": NESTED}, "/w/t")
    id_, m, s, l_ = metadata["schemas"][0]["fields"]
    assert [f["id"] for f in (id_, m, s, l_)] == [1, 2, 3, 4]
    assert (m["type"]["key-id"], m["type"]["value-id"]) == (5, 6)
    assert [f["id"] for f in s["type"]["fields"]] == [7, 8]
    assert l_["type"]["element-id"] == 9
    assert metadata["last-column-id"] == 9
    assert metadata["schemas"][0]["identifier-field-ids"] == [1]


def test_partition_and_sort_sources_follow_their_columns() -> None:
    request = {
        "schema": NESTED,
        "partition-spec": {
            "spec-id": 4,
            "fields": [
                {"source-id": 40, "field-id": 77, "transform": "bucket[8]", "name": "b"},
                {"source-id": 1, "transform": "identity", "name": "s.y"},
            ],
        },
        "write-order": {
            "order-id": 9,
            "fields": [
                {
                    "source-id": 2,
                    "transform": "identity",
                    "direction": "asc",
                    "null-order": "nulls-first",
                }
            ],
        },
    }
    metadata = new_table(request, "/w/t")
    parts = metadata["partition-specs"][0]["fields"]
    assert [(p["source-id"], p["field-id"]) for p in parts] == [(1, 1000), (8, 1001)]
    assert metadata["last-partition-id"] == 1001
    assert metadata["default-sort-order-id"] == 1
    assert metadata["sort-orders"][0]["fields"][0]["source-id"] == 7


@pytest.mark.parametrize("version", [1, 2, 3])
def test_each_format_version_stores_its_own_fields(version: int) -> None:
    metadata = table(version)
    assert metadata["format-version"] == version
    assert ("schema" in metadata) == (version == 1)
    assert ("partition-spec" in metadata) == (version == 1)
    assert ("last-sequence-number" in metadata) == (version > 1)
    assert ("next-row-id" in metadata) == (version == 3)
    assert metadata["current-snapshot-id"] == (None if version == 3 else -1)


def test_reserved_properties_are_not_kept() -> None:
    metadata = table(2, properties={"owner": "ann", "uuid": "x", "snapshot-count": "3"})
    assert metadata["properties"] == {
        "write.parquet.compression-codec": "zstd",
        "owner": "ann",
    }


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"schema": None}, "Invalid schema"),
        ({"schema": SCHEMA, "properties": {"format-version": "4"}}, "Unsupported format version"),
        ({"schema": SCHEMA, "properties": {"format-version": "x"}}, "Unsupported format version"),
        ({"schema": SCHEMA, "properties": {"a": 1}}, "must be a text"),
        ({"schema": SCHEMA, "properties": {"commit.retry.num-retries": "-1"}}, "integer value"),
        (
            {"schema": SCHEMA, "properties": {"write.metadata.metrics.column.zz": "full"}},
            "could not find column zz",
        ),
        ({"schema": SCHEMA, "properties": {"encryption.key-id": "k"}}, "needs v3"),
        (
            {"schema": {"type": "struct", "fields": [field(1, "a"), field(1, "b")]}},
            "two fields have the id 1",
        ),
        (
            {"schema": {"type": "struct", "fields": [field(1, "a"), field(2, "a")]}},
            "multiple fields for name a",
        ),
        (
            {"schema": {"type": "struct", "fields": [field(1, "a", "text")]}},
            "Cannot parse type string: text",
        ),
        (
            {"schema": {"type": "struct", "fields": [field(1, "a", "variant")]}},
            "not supported until v3",
        ),
        (
            {"schema": {"type": "struct", "fields": [field(1, "a", **{"initial-default": "x"})]}},
            "not supported until v3",
        ),
        (
            {
                "schema": SCHEMA,
                "partition-spec": {
                    "fields": [{"source-id": 9, "transform": "identity", "name": "x"}]
                },
            },
            "Cannot find source column",
        ),
        (
            {
                "schema": SCHEMA,
                "partition-spec": {"fields": [{"source-id": 3, "transform": "day", "name": "x"}]},
            },
            "Invalid source type string for transform: day",
        ),
        (
            {
                "schema": SCHEMA,
                "partition-spec": {
                    "fields": [{"source-id": 3, "transform": "bucket[2]", "name": "id"}]
                },
            },
            "name that exists in schema",
        ),
    ],
)
def test_what_cannot_be_a_table_is_refused(request_: Json, message: str) -> None:
    with pytest.raises(UserError, match=message.replace("(", r"\(")) as caught:
        new_table(request_, "/w/t")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


def test_v3_takes_new_types_and_defaults() -> None:
    schema = {
        "type": "struct",
        "fields": [
            field(1, "v", "variant"),
            field(2, "t", "timestamptz_ns"),
            field(3, "d", "int", **{"initial-default": 7, "write-default": 8}),
        ],
    }
    metadata = new_table({"schema": schema, "properties": {"format-version": "3"}}, "/w/t")
    assert metadata["schemas"][0]["fields"][2]["initial-default"] == 7


def test_identifier_fields_must_be_required_primitives() -> None:
    for bad in ([2], [9]):
        with pytest.raises(UserError, match="as an identifier field"):
            new_table({"schema": {**SCHEMA, "identifier-field-ids": bad}}, "/w/t")
