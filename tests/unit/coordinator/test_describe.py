"""DESCRIBE, SHOW COLUMNS, SHOW TBLPROPERTIES."""

from __future__ import annotations

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
    for text in ("DESCRIBE EXTENDED emp", "SHOW CREATE TABLE emp", "SHOW TBLPROPERTIES emp"):
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
