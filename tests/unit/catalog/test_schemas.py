"""Iceberg's schemas in Spark's words."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.schemas import columns_of, current_schema, ddl_type, spark_type, view_text
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.query import Column

STRUCT = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "a", "type": "int", "required": True, "doc": "it's"},
        {"id": 2, "name": "b c", "type": "decimal(9, 2)", "required": False},
    ],
}
LIST = {"type": "list", "element-id": 3, "element": STRUCT, "element-required": False}
MAP = {"type": "map", "key-id": 4, "key": "string", "value-id": 5, "value": LIST}


@pytest.mark.parametrize(
    ("iceberg", "spark"),
    [
        ("boolean", "boolean"), ("int", "int"), ("long", "bigint"), ("float", "float"),
        ("double", "double"), ("date", "date"), ("time", "time"), ("string", "string"),
        ("timestamp", "timestamp_ntz"), ("timestamptz", "timestamp"),
        ("timestamp_ns", "timestamp_ns"), ("timestamptz_ns", "timestamptz_ns"),
        ("uuid", "string"), ("fixed[16]", "binary"), ("binary", "binary"),
        ("decimal(10, 2)", "decimal(10,2)"), ("variant", "variant"), ("unknown", "void"),
        ("geometry(srid:3857)", "geometry(srid:3857)"), ("geography", "geography(4326)"),
        ("geometry(OGC:CRS84)", "geometry(4326)"),
        (STRUCT, "struct<a:int,`b c`:decimal(9,2)>"),
        (MAP, "map<string,array<struct<a:int,`b c`:decimal(9,2)>>>"),
    ],
)  # fmt: skip
def test_every_type_of_iceberg_has_sparks_name(iceberg: Any, spark: str) -> None:
    assert spark_type(iceberg) == spark


def test_a_type_in_create_table_keeps_not_null_and_comments() -> None:
    assert ddl_type(MAP) == (
        "MAP<STRING, ARRAY<STRUCT<a: INT NOT NULL COMMENT 'it\\'s', `b c`: DECIMAL(9,2)>>>"
    )


def test_columns_are_those_of_the_current_schema() -> None:
    old = {"schema-id": 0, "type": "struct", "fields": []}
    new = {
        "schema-id": 3,
        "type": "struct",
        "fields": [{"id": 1, "name": "n", "type": "long", "required": True, "doc": "key"}],
    }
    metadata = {"current-schema-id": 3, "schemas": [old, new]}
    assert columns_of(metadata) == (Column("n", "bigint", nullable=False, comment="key"),)


def test_format_version_1_may_have_only_one_schema() -> None:
    assert current_schema({"format-version": 1, "schema": STRUCT}) == STRUCT


def test_a_views_columns_and_text_are_those_of_its_current_version() -> None:
    version = {
        "version-id": 2,
        "schema-id": 1,
        "representations": [
            {"type": "sql", "dialect": "trino", "sql": "SELECT 2"},
            {"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS a"},
        ],
    }
    metadata = {
        "current-version-id": 2,
        "versions": [{"version-id": 1, "schema-id": 0}, version],
        "schemas": [{"schema-id": 1, **STRUCT}],
    }
    assert [column.name for column in columns_of(metadata)] == ["a", "b c"]
    assert view_text(metadata) == "SELECT 1 AS a"


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"current-schema-id": 1, "schemas": [{"schema-id": 0, "fields": []}]},
        {"schema": {"fields": [{"name": "a"}]}},
        {"schema": {"fields": [{"name": "a", "type": {"type": "tensor"}}]}},
        {"schema": {"fields": [{"name": "a", "type": {"type": "list"}}]}},
        {"current-version-id": 1, "versions": []},
    ],
)
def test_damaged_metadata_is_corrupt_data(metadata: dict[str, Any]) -> None:
    with pytest.raises(UpstreamError) as caught:
        columns_of(metadata)
    assert caught.value.code is ErrorCode.CORRUPT_DATA
