"""A table's metadata as somebody sees it who sees a part of the table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sqe.catalog.redaction import redact_metadata, tellable
from sqe.model.decision import Restrict
from sqe.model.masks import NullMask

SEEN = Restrict("a test", masks={"Ssn": NullMask()}, hidden=frozenset({"PAY"}))


def field(ident: int, name: str, kind: Any = "long", **more: Any) -> dict[str, Any]:
    return {"id": ident, "name": name, "type": kind, "required": False, **more}


PAY = {"type": "struct", "fields": [field(5, "amount"), field(6, "currency", "string")]}
TABLE: dict[str, Any] = {
    "format-version": 2,
    "current-schema-id": 1,
    "schemas": [
        {"type": "struct", "schema-id": 0, "fields": [field(1, "id"), field(4, "salary", PAY)]},
        {
            "type": "struct",
            "schema-id": 1,
            "identifier-field-ids": [1, 5],
            "fields": [
                field(1, "id", doc="who is paid"),
                field(3, "ssn", "string", doc="nine", **{"write-default": "9"}),
                field(4, "pay", PAY, doc="in thousands"),
            ],
        },
    ],
    "partition-specs": [
        {"spec-id": 0, "fields": [{"source-id": 5, "transform": "identity", "name": "amount"}]},
        {"spec-id": 1, "fields": [{"source-id": 1, "transform": "bucket[4]", "name": "id_b"}]},
    ],
    "sort-orders": [
        {"order-id": 1, "fields": [{"source-ids": [1, 6], "transform": "identity"}]},
        {"order-id": 2, "fields": [{"source-id": 1, "transform": "identity"}]},
    ],
    "location": "s3://vault/hr/emp",
    "properties": {
        "comment": "the Pay of all",
        "owner": "ann",
        "ticket": "HR-5",
        "write.data.path": "s3://vault/x",
        "write.delete.mode": "copy-on-write",
    },
    "current-snapshot-id": 77,
    "snapshots": [{"snapshot-id": 77, "summary": {"total-records": "1234"}}],
    "snapshot-log": [{"snapshot-id": 77}],
    "refs": {"main": {"snapshot-id": 77}},
    "statistics": [{"snapshot-id": 77}],
    "last-updated-ms": 5,
}


@pytest.mark.parametrize("word", ["pay", "salary", "amount", "currency", "thousands", "nine"])
def test_nothing_names_a_hidden_column_or_tells_of_a_masked_one(word: str) -> None:
    assert word in json.dumps(TABLE)
    assert word not in json.dumps(redact_metadata(TABLE, SEEN)).lower()


@pytest.mark.parametrize("seen", [SEEN, Restrict("a test")])
@pytest.mark.parametrize("word", ["vault", "HR-5", "the Pay of all"])
def test_nothing_tells_where_it_is_or_what_its_owner_says_of_it(word: str, seen: Restrict) -> None:
    assert word in json.dumps(TABLE)
    assert word not in json.dumps(redact_metadata(TABLE, seen))


@pytest.mark.parametrize("word", ["77", "1234", "snapshot", "last-updated-ms", "statistics"])
def test_nothing_tells_of_rows(word: str) -> None:
    assert word in json.dumps(TABLE)
    assert word not in json.dumps(redact_metadata(TABLE, SEEN))


def test_the_rest_stays() -> None:
    seen = redact_metadata(TABLE, SEEN)
    assert [one["name"] for one in seen["schemas"][1]["fields"]] == ["id", "ssn"]
    assert seen["schemas"][1]["identifier-field-ids"] == [1]
    assert [len(one["fields"]) for one in seen["partition-specs"]] == [0, 1]
    assert [len(one["fields"]) for one in seen["sort-orders"]] == [0, 1]
    assert seen["properties"] == {"owner": "ann", "write.delete.mode": "copy-on-write"}
    assert len(TABLE["schemas"][1]["fields"]) == 3  # it is a copy


def test_rows_are_not_told_of_where_only_rows_are_hidden() -> None:
    seen = redact_metadata(TABLE, Restrict("a test"))
    assert "snapshots" not in seen
    assert seen["schemas"] == TABLE["schemas"]


def test_of_a_view_with_hidden_columns_the_query_is_not_told() -> None:
    query = {"type": "sql", "sql": "SELECT pay * 2 AS twice FROM t", "dialect": "spark"}
    view = {
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [field(1, "id")]}],
        "versions": [{"version-id": 1, "representations": [query]}],
    }
    assert "twice" not in json.dumps(redact_metadata(view, SEEN))
    assert "twice" in json.dumps(redact_metadata(view, Restrict("a test")))


def test_properties_are_told_that_mention_no_hidden_column() -> None:
    given = {"write.metadata.metrics.column.pay": "full", "k": "no PAY", "owner": "ann"}
    assert tellable(given, {"pay"}) == {"owner": "ann"}


def test_a_schema_that_was_another_by_a_hidden_column_alone_is_not_told_of() -> None:
    now = {"type": "struct", "schema-id": 1, "fields": [field(1, "id"), field(4, "pay")]}
    table = {
        "current-schema-id": 1,
        "schemas": [
            {"type": "struct", "schema-id": 0, "fields": [field(1, "id")]},
            now,
            {"type": "struct", "schema-id": 2, "fields": [field(1, "ident"), field(4, "pay")]},
        ],
    }
    seen = redact_metadata(table, Restrict("a test", hidden=frozenset({"pay"})))
    assert [schema["schema-id"] for schema in seen["schemas"]] == [1, 2]
