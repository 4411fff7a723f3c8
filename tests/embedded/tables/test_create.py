"""Tables made in all the ways there are."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict
from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def test_every_type_that_iceberg_and_spark_share(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (b BOOLEAN, ti TINYINT, si SMALLINT, i INT NOT NULL COMMENT 'key',"
        " l BIGINT, f FLOAT, d DOUBLE, de DECIMAL(10, 2), s STRING, vc VARCHAR(10), c CHAR(3),"
        " bi BINARY, da DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ,"
        " st STRUCT<a: INT NOT NULL COMMENT 'x', b: ARRAY<MAP<STRING, INT>>>)",
        "CREATE TABLE u (id INT, v VARIANT) TBLPROPERTIES ('format-version' = '3')",
        "INSERT INTO u SELECT 1, parse_json('{\"a\": 1}')",
        "INSERT INTO t SELECT true, 1Y, 2S, 3, 4, 1.5F, 2.5, 3.25, 's', 'vc', 'c', X'01',"
        " DATE '2020-01-02', TIMESTAMP '2020-01-02 03:04:05', TIMESTAMP_NTZ '2020-01-02 03:04:05',"
        " named_struct('a', 1, 'b', array(map('k', 2)))",
    )
    assert desk.described("t") == {
        "b": "boolean", "ti": "int", "si": "int", "i": "int", "l": "bigint", "f": "float",
        "d": "double", "de": "decimal(10,2)", "s": "string", "vc": "string", "c": "string",
        "bi": "binary", "da": "date", "ts": "timestamp", "tn": "timestamp_ntz",
        "st": "struct<a:int,b:array<map<string,int>>>",
    }  # fmt: skip
    assert len(desk.both("SELECT b, ti, i, l, f, d, de, s, vc, da, ts, tn FROM t")) == 1
    assert desk.rows("SELECT st.b[0]['k'] FROM t") == [(2,)]
    assert desk.rows("SELECT id, variant_get(v, '$.a', 'int') FROM u") == [(1, 1)]


def test_every_partition_transform(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT, s STRING, y DATE, m DATE, d TIMESTAMP, h TIMESTAMP,"
        " n STRUCT<a: INT>) PARTITIONED BY (bucket(4, id), truncate(2, s), years(y), months(m),"
        " days(d), hours(h), n.a)",
        "INSERT INTO t VALUES (1, 'abc', DATE '2020-05-06', DATE '2020-05-06',"
        " TIMESTAMP '2020-05-06 07:08:09', TIMESTAMP '2020-05-06 07:08:09', named_struct('a', 7))",
    )
    [spec] = desk.metadata("t")["partition-specs"]
    assert [part["transform"] for part in spec["fields"]] == [
        "bucket[4]", "truncate[2]", "year", "month", "day", "hour", "identity",
    ]  # fmt: skip
    assert desk.both("SELECT id FROM t WHERE h > TIMESTAMP '2020-01-01 00:00:00'") == [(1,)]
    assert "truncate(2, s), years(y), months(m), days(d), hours(h), n.a" in desk.spark.value(
        "SHOW CREATE TABLE t"
    )


def test_what_a_table_says_about_itself_makes_it_again(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT NOT NULL COMMENT 'it\\'s', n STRING DEFAULT 'x',"
        " d DATE DEFAULT DATE '2020-01-02') PARTITIONED BY (bucket(4, id))"
        " COMMENT 'a table' TBLPROPERTIES ('format-version' = '3', 'own.key' = 'value')",
    )
    text = desk.spark.value("SHOW CREATE TABLE t")
    desk.run("ALTER TABLE t RENAME TO old", text)
    assert desk.spark.value("SHOW CREATE TABLE t") == text


def test_create_or_replace_keeps_the_history(desk: Desk) -> None:
    desk.run("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)")
    desk.run("CREATE TABLE IF NOT EXISTS t (other STRING)")
    assert desk.described("t") == {"id": "int"}
    desk.run("CREATE OR REPLACE TABLE t AS SELECT 'a' AS name")
    assert desk.both("SELECT * FROM t") == [("a",)]
    desk.run(
        "CREATE OR REPLACE TABLE t (id INT, n INT DEFAULT 7)"
        " TBLPROPERTIES ('format-version' = '3')",
        "INSERT INTO t (id) VALUES (1)",
    )
    assert desk.both("SELECT * FROM t") == [(1, 7)]
    desk.run("REPLACE TABLE t (x INT) PARTITIONED BY (x)")
    assert desk.both("SELECT * FROM t") == []
    assert len(desk.rows("SELECT * FROM t.snapshots")) >= 2
    desk.refuses("REPLACE TABLE never (x INT)", ErrorCode.TABLE_NOT_FOUND)
    error = desk.refuses("CREATE TABLE t (id INT)", ErrorCode.TABLE_ALREADY_EXISTS, "t")
    assert "OR REPLACE" in error.hint


def test_a_table_like_another(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT NOT NULL COMMENT 'key', s STRING, ts TIMESTAMP)"
        " PARTITIONED BY (days(ts), bucket(4, id)) COMMENT 'a table'"
        " TBLPROPERTIES ('format-version' = '3', 'own.key' = 'value')",
        "ALTER TABLE t WRITE ORDERED BY id DESC, truncate(2, s)",
        "ALTER TABLE t SET IDENTIFIER FIELDS id",
        "ALTER TABLE t ADD COLUMN n INT DEFAULT 5 AFTER id",
        "INSERT INTO t VALUES (1, 2, 'a', NULL)",
        "CREATE TABLE u LIKE t TBLPROPERTIES ('own.other' = 'x')",
    )
    assert desk.both("SELECT * FROM u") == []
    assert desk.described("u") == desk.described("t")
    properties = desk.properties("u")
    assert properties["sort-order"] == "id DESC NULLS LAST, truncate(s, 2) ASC NULLS FIRST"
    assert (properties["identifier-fields"], properties["own.other"]) == ("[id]", "x")
    text = desk.spark.value("SHOW CREATE TABLE u").replace("  'own.other' = 'x',\n", "")
    assert text == desk.spark.value("SHOW CREATE TABLE t").replace(".t (", ".u (")
    desk.run("INSERT INTO u (id, s) VALUES (1, 'b')")
    assert desk.both("SELECT id, n, s FROM u") == [(1, 5, "b")]
    desk.run("CREATE TABLE IF NOT EXISTS u LIKE t")
    desk.refuses("CREATE TABLE u LIKE t", ErrorCode.TABLE_ALREADY_EXISTS, "u")
    desk.refuses("CREATE TABLE w LIKE never", ErrorCode.TABLE_NOT_FOUND)


def test_a_table_like_a_view(desk: Desk) -> None:
    desk.run(
        "CREATE VIEW v AS SELECT 1 AS a, array(named_struct('x', 'y')) AS b",
        "CREATE TABLE t LIKE v",
    )
    assert desk.described("t") == {"a": "int", "b": "array<struct<x:string>>"}


def test_a_table_like_one_that_is_seen_in_part(desk: Desk) -> None:
    """What is hidden from the user is not in the copy: no column, no partition, no property."""
    desk.run(
        "CREATE TABLE t (id INT, salary INT, s STRING) PARTITIONED BY (bucket(4, salary), s)"
        " TBLPROPERTIES ('write.metadata.metrics.column.salary' = 'none')",
        "ALTER TABLE t WRITE LOCALLY ORDERED BY salary, id",
    )
    with desk.spark.rules.on(
        f"lake.{desk.schema}.t", Restrict("test", hidden=frozenset({"salary"}))
    ):
        desk.run("CREATE TABLE u LIKE t")
    assert desk.described("u") == {"id": "int", "s": "string"}
    assert "salary" not in desk.loaded("u").metadata_json.decode()
    assert desk.properties("u")["sort-order"] == "id ASC NULLS FIRST"


def test_what_cannot_be_made(desk: Desk) -> None:
    for text, code, words in (
        ("(v VARIANT)", ErrorCode.INVALID_ARGUMENT, "variant is not supported until v3"),
        ("(a INT) PARTITIONED BY (days(a))", ErrorCode.TYPE_MISMATCH, "int"),
        ("(a INT) PARTITIONED BY (nope)", ErrorCode.USER_ERROR, "nope"),
        ("(a INT, b INT DEFAULT 1)", ErrorCode.NOT_SUPPORTED, "format version 3"),
        ("(a INT DEFAULT 'x') TBLPROPERTIES ('format-version' = '3')",
         ErrorCode.INVALID_CAST, "The default of a"),
        ("(a INT NOT NULL DEFAULT NULL) TBLPROPERTIES ('format-version' = '3')",
         ErrorCode.CONSTRAINT_VIOLATION, "NOT NULL"),
    ):  # fmt: skip
        assert words in desk.refuses(f"CREATE TABLE t {text}", code).message
    assert desk.spark.rows("SHOW TABLES") == []
