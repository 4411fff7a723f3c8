"""DESCRIBE, SHOW COLUMNS, SHOW TBLPROPERTIES."""

from __future__ import annotations

import json

import pytest

from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode
from sqe.model.decision import Restrict
from tests.unit.coordinator.lake import SIMPLE, Lake

COLUMNS = [
    ("id", "bigint", "the key"),
    ("name", "string", None),
    ("hired", "timestamp", None),
    ("home", "struct<`zip code`:int>", None),
]


def test_describe_prints_columns_and_transforms(lake: Lake) -> None:
    assert lake.names("DESCRIBE emp") == ["col_name", "data_type", "comment"]
    assert lake.rows("DESCRIBE lake.hr.emp") == [
        *COLUMNS,
        ("", "", ""),
        ("# Partitioning", "", ""),
        ("Part 0", "bucket(16, id)", ""),
        ("Part 1", "days(hired)", ""),
    ]


def test_describe_prints_partition_columns(lake: Lake) -> None:
    spec = {"fields": [{"source-id": 1, "field-id": 1000, "transform": "identity", "name": "a"}]}
    lake.lake.create_table(("hr",), {"name": "p", "schema": SIMPLE, "partition-spec": spec})
    assert lake.rows("DESC p") == [
        ("a", "int", None),
        ("# Partition Information", "", ""),
        ("# col_name", "data_type", "comment"),
        ("a", "int", None),
    ]


def test_describe_extended_tells_the_rest(lake: Lake) -> None:
    rows = {row[0]: row[1] for row in lake.rows("DESCRIBE EXTENDED emp")}
    assert rows["Name"] == "lake.hr.emp"
    assert rows["Provider"] == "iceberg"
    assert rows["Comment"] == "who's here"
    assert rows["Owner"] == "ada"
    assert rows["Location"] == lake.lake.load_table(Ident(("hr",), "emp")).metadata["location"]
    assert rows["Table Properties"] == (
        "[current-snapshot-id=none,format=iceberg/parquet,format-version=2,"
        "identifier-fields=[id],k=v,write.parquet.compression-codec=zstd]"
    )


def test_describe_as_json_tells_the_same(lake: Lake) -> None:
    assert lake.names("DESCRIBE EXTENDED emp AS JSON") == ["json_metadata"]
    [(text,)] = lake.rows("DESC FORMATTED emp AS JSON")
    told = json.loads(text)
    location = lake.lake.load_table(Ident(("hr",), "emp")).metadata["location"]
    assert (told["catalog_name"], told["namespace"], told["table_name"]) == ("lake", ["hr"], "emp")
    assert (told["type"], told["owner"], told["location"]) == ("MANAGED", "ada", location)
    assert told["partition_columns"] == ["bucket(16, id)", "days(hired)"]
    assert told["table_properties"]["k"] == "v"
    assert told["columns"][0]["comment"] == "the key"
    assert [column["type"] for column in told["columns"]] == [
        {"name": "bigint"},
        {"name": "string", "collation": "UTF8_BINARY"},
        {"name": "timestamp_ltz"},
        {
            "name": "struct",
            "fields": [{"name": "zip code", "type": {"name": "int"}, "nullable": True}],
        },
    ]
    [(text,)] = lake.rows("DESCRIBE EXTENDED names AS JSON")
    view = json.loads(text)
    assert (view["type"], view["view_text"]) == ("VIEW", "SELECT name AS a FROM emp")
    assert lake.refusal("DESCRIBE EXTENDED emp id AS JSON").code is ErrorCode.NOT_SUPPORTED


def test_show_table_extended_tells_it_of_many(lake: Lake) -> None:
    lake.keep_view("namely")
    text = "SHOW TABLE EXTENDED IN lake.hr LIKE 'nam*|emp'"
    assert lake.names(text) == ["namespace", "tableName", "isTemporary", "information"]
    rows = lake.rows(text)
    assert [row[:3] for row in rows] == [
        ("hr", "emp", False), ("hr", "names", False), ("", "namely", True),
    ]  # fmt: skip
    emp = rows[0][3].splitlines()
    assert emp[:4] == ["Catalog: lake", "Namespace: hr", "Table: emp", "Type: MANAGED"]
    assert "Partition Columns: [bucket(16, id), days(hired)]" in emp
    assert emp[-6:] == [
        "Schema: root",
        " |-- id: long (nullable = false)",
        " |-- name: string (nullable = true)",
        " |-- hired: timestamp (nullable = true)",
        " |-- home: struct (nullable = true)",
        " |    |-- zip code: integer (nullable = true)",
    ]
    assert "View Text: SELECT name AS a FROM emp" in rows[1][3]
    assert "View Text: SELECT 1 AS x" in rows[2][3]


def test_describe_one_column(lake: Lake) -> None:
    assert lake.names("DESCRIBE emp ID") == ["info_name", "info_value"]
    assert lake.rows("DESCRIBE emp ID") == [
        ("col_name", "id"),
        ("data_type", "bigint"),
        ("comment", "the key"),
    ]
    assert lake.refusal("DESCRIBE emp nam").hint == "Did you mean name?"
    assert lake.refusal("DESCRIBE emp home.x").code is ErrorCode.COLUMN_NOT_FOUND


def test_describe_views_and_information_schema(lake: Lake) -> None:
    lake.keep_view("mine")
    assert lake.rows("DESCRIBE names") == [("a", "int", None)]
    assert lake.rows("DESCRIBE mine") == [("x", "int", None)]
    assert lake.rows("DESC information_schema.schemata")[0] == ("catalog_name", "string", None)
    details = {row[0]: row[1] for row in lake.rows("DESCRIBE EXTENDED names")}
    assert details["View Text"] == "SELECT name AS a FROM emp"
    assert details["Comment"] == "only names"


def test_show_columns(lake: Lake) -> None:
    assert lake.names("SHOW COLUMNS IN emp") == ["col_name"]
    assert lake.column("SHOW COLUMNS FROM emp FROM lake.hr") == ["id", "name", "hired", "home"]
    assert lake.column("SHOW COLUMNS IN names") == ["a"]


def test_hidden_columns_do_not_exist(lake: Lake) -> None:
    lake.decisions["lake.hr.emp"] = Restrict("a test", hidden=frozenset({"hired", "ID"}))
    assert lake.column("SHOW COLUMNS IN emp") == ["name", "home"]
    for text in (
        "DESCRIBE EXTENDED emp",
        "DESCRIBE EXTENDED emp AS JSON",
        "SHOW CREATE TABLE emp",
        "SHOW TBLPROPERTIES emp",
    ):
        assert "hired" not in str(lake.rows(text))
        assert "[id]" not in str(lake.rows(text))
    assert lake.refusal("DESCRIBE emp hired").code is ErrorCode.COLUMN_NOT_FOUND


def test_a_metadata_table_is_not_described_as_its_table(lake: Lake) -> None:
    assert lake.refusal("DESCRIBE emp.snapshots").code is ErrorCode.NOT_SUPPORTED


def test_show_table_properties(lake: Lake) -> None:
    assert lake.names("SHOW TBLPROPERTIES emp") == ["key", "value"]
    assert ("k", "v") in lake.rows("SHOW TBLPROPERTIES emp")
    assert lake.rows("SHOW TBLPROPERTIES emp ('k')") == [("k", "v")]
    [(_, missing)] = lake.rows("SHOW TBLPROPERTIES emp (x)")
    assert missing == "Table emp does not have property: x"


@pytest.mark.parametrize("name", ["attic.default", "ATTIC.DEFAULT"])
def test_describe_a_schema(lake: Lake, name: str) -> None:
    rows = dict(lake.rows(f"DESCRIBE SCHEMA EXTENDED {name}"))
    assert rows["Catalog Name"] == "attic"
    assert rows["Namespace Name"] == "default"
    assert rows["Comment"] == "things"
    assert "(k,v)" in rows["Properties"]


def test_an_unknown_table_is_refused_with_the_nearest(lake: Lake) -> None:
    error = lake.refusal("DESCRIBE empp")
    assert error.code is ErrorCode.TABLE_NOT_FOUND
    assert "emp" in error.hint
