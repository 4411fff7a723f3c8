"""Tables that change under their rows: read before and after, by both engines."""

from __future__ import annotations

import pytest

from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def test_columns_are_added_moved_renamed_and_dropped(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT NOT NULL, a INT, f FLOAT, d DECIMAL(5, 2))",
        "INSERT INTO t VALUES (1, 2, 1.5, 1.25)",
        "ALTER TABLE t ADD COLUMNS (n INT COMMENT 'new' AFTER id, s STRING FIRST)",
        "ALTER TABLE t RENAME COLUMN a TO b",
        "ALTER TABLE t ALTER COLUMN b TYPE BIGINT, f COMMENT 'a float'",
        "ALTER TABLE t ALTER COLUMN f TYPE DOUBLE",
        "ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10, 2)",
        "ALTER TABLE t ALTER COLUMN b AFTER d",
        "ALTER TABLE t ALTER COLUMN id DROP NOT NULL",
        "ALTER TABLE t CHANGE COLUMN n n BIGINT COMMENT 'changed' FIRST",
    )
    assert list(desk.described("t").items()) == [
        ("n", "bigint"), ("s", "string"), ("id", "int"), ("f", "double"),
        ("d", "decimal(10,2)"), ("b", "bigint"),
    ]  # fmt: skip
    desk.run("INSERT INTO t VALUES (5000000000, 's', NULL, 2.5, 99999999.99, 6000000000)")
    rows = desk.both("SELECT n, s, id, f, CAST(d AS STRING), b FROM t")
    assert rows == [
        (5000000000, "s", None, 2.5, "99999999.99", 6000000000),
        (None, None, 1, 1.5, "1.25", 2),
    ]
    desk.run("ALTER TABLE t DROP COLUMNS (s, n)", "ALTER TABLE t DROP COLUMN IF EXISTS never")
    desk.run("ALTER TABLE t ADD COLUMN s INT")  # the same name is another column
    assert desk.both("SELECT id, s FROM t") == [(1, None), (None, None)]


def test_nested_fields_change(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT, s STRUCT<x: INT, y: STRUCT<z: INT>>, l ARRAY<STRUCT<b: INT>>,"
        " m MAP<STRING, STRUCT<c: INT>>)",
        "INSERT INTO t SELECT 1, named_struct('x', 1, 'y', named_struct('z', 2)),"
        " array(named_struct('b', 3)), map('k', named_struct('c', 4))",
        "ALTER TABLE t ADD COLUMN s.w BIGINT FIRST",
        "ALTER TABLE t ADD COLUMN s.y.k DOUBLE",
        "ALTER TABLE t ADD COLUMN l.element.q STRING AFTER b",
        "ALTER TABLE t ADD COLUMN m.value.r INT",
        "ALTER TABLE t RENAME COLUMN s.x TO xx",
        "ALTER TABLE t ALTER COLUMN l.element.b TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN m.value.c COMMENT 'inside'",
        "ALTER TABLE t DROP COLUMN s.y.z",
    )
    assert desk.described("t") == {
        "id": "int",
        "s": "struct<w:bigint,xx:int,y:struct<k:double>>",
        "l": "array<struct<b:bigint,q:string>>",
        "m": "map<string,struct<c:int,r:int>>",
    }
    assert desk.rows("SELECT s.xx, s.w, s.y.k, l[0].b, l[0].q, m['k'].c, m['k'].r FROM t") == [
        (1, None, None, 3, None, 4, None)
    ]
    assert desk.both("SELECT id FROM t") == [(1,)]


def test_defaults_fill_rows_that_were_there(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT, s STRUCT<x: INT>) TBLPROPERTIES ('format-version' = '3')",
        "INSERT INTO t VALUES (1, named_struct('x', 1))",
        "ALTER TABLE t ADD COLUMN n INT NOT NULL DEFAULT 42 AFTER id",
        "ALTER TABLE t ADD COLUMNS (q STRING DEFAULT concat('a', 'b'), e DECIMAL(4, 1) DEFAULT 2)",
        "ALTER TABLE t ADD COLUMN s.y INT DEFAULT 9",
        "ALTER TABLE t ALTER COLUMN n SET DEFAULT 43",
        "INSERT INTO t (id) VALUES (2)",
        "ALTER TABLE t ALTER COLUMN q DROP DEFAULT",
        "INSERT INTO t (id) VALUES (3)",
    )
    assert desk.both("SELECT id, n, q FROM t") == [(1, 42, "ab"), (2, 43, "ab"), (3, 43, None)]
    assert desk.rows("SELECT s.y FROM t WHERE id = 1") == [(9,)]
    assert desk.both("SELECT id FROM t WHERE n = 42") == [(1,)]


def test_all_columns_are_replaced(desk: Desk) -> None:
    """As in Spark: the old columns are dropped; new ones are new, whatever their names."""
    desk.run(
        "CREATE TABLE t (id INT, s STRING)",
        "INSERT INTO t VALUES (1, 'a')",
        "ALTER TABLE t REPLACE COLUMNS (id BIGINT COMMENT 'x', n INT)",
    )
    assert desk.described("t") == {"id": "bigint", "n": "int"}
    assert desk.both("SELECT * FROM t") == [(None, None)]


def test_partitioning_changes_for_rows_to_come(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT, ts TIMESTAMP, s STRING)",
        "INSERT INTO t VALUES (1, TIMESTAMP '2020-01-01 00:00:00', 'ab')",
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)",
        "ALTER TABLE t ADD PARTITION FIELD days(ts) AS day",
        "INSERT INTO t VALUES (2, TIMESTAMP '2020-01-02 00:00:00', 'cd')",
        "ALTER TABLE t REPLACE PARTITION FIELD day WITH months(ts)",
        "ALTER TABLE t DROP PARTITION FIELD bucket(4, id)",
        "ALTER TABLE t ADD PARTITION FIELD truncate(s, 1)",
        "INSERT INTO t VALUES (3, TIMESTAMP '2020-02-02 00:00:00', 'cd')",
    )
    assert len(desk.metadata("t")["partition-specs"]) > 3
    assert desk.both("SELECT id FROM t WHERE ts >= TIMESTAMP '2020-01-02 00:00:00'") == [
        (2,),
        (3,),
    ]
    assert desk.both("SELECT id FROM t WHERE s = 'cd' AND id > 2") == [(3,)]
    assert desk.both("SELECT count(*), max(id) FROM t") == [(3, 3)]
    desk.run("DELETE FROM t WHERE id = 2")
    assert desk.both("SELECT id FROM t") == [(1,), (3,)]


def test_a_column_that_the_table_was_once_partitioned_by_is_dropped(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT, r STRING) PARTITIONED BY (r)",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
        "ALTER TABLE t DROP PARTITION FIELD r",
        "INSERT INTO t VALUES (3, 'c')",
        "ALTER TABLE t DROP COLUMN r",
        "INSERT INTO t VALUES (4)",
    )
    assert desk.both("SELECT * FROM t") == [(1,), (2,), (3,), (4,)]
    desk.run("DELETE FROM t WHERE id = 1", "ALTER TABLE t ADD COLUMN r INT")
    assert desk.both("SELECT * FROM t") == [(2, None), (3, None), (4, None)]


def test_order_key_and_format_version(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT NOT NULL, s STRING) TBLPROPERTIES ('format-version' = '1')",
        "INSERT INTO t VALUES (2, 'b'), (1, 'a')",
        "ALTER TABLE t WRITE ORDERED BY id DESC NULLS LAST, truncate(1, s)",
        "ALTER TABLE t SET IDENTIFIER FIELDS id",
    )
    properties = desk.properties("t")
    assert properties["sort-order"] == "id DESC NULLS LAST, truncate(s, 1) ASC NULLS FIRST"
    assert properties["identifier-fields"] == "[id]"
    assert properties["write.distribution-mode"] == "range"
    desk.run(
        "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY s",
        "ALTER TABLE t DROP IDENTIFIER FIELDS id",
        "ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2', 'own.key' = 'x')",
        "INSERT INTO t VALUES (3, 'c')",
        "ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3')",
        "ALTER TABLE t UNSET TBLPROPERTIES ('own.key')",
        "INSERT INTO t VALUES (4, 'd')",
        "ALTER TABLE t WRITE UNORDERED",
    )
    properties = desk.properties("t")
    assert properties["format-version"] == "3"
    assert not {"own.key", "sort-order", "identifier-fields"} & properties.keys()
    assert desk.both("SELECT id, s FROM t") == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_a_table_gets_another_name(desk: Desk) -> None:
    desk.run("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)", "ALTER TABLE t RENAME TO u")
    assert desk.both("SELECT * FROM u") == [(1,)]
    desk.run("INSERT INTO u VALUES (2)", "ALTER TABLE u RENAME TO U")
    assert desk.spark.rows("SHOW TABLES")[0][1] == "U"
    desk.run(f"CREATE SCHEMA {desk.schema}.below", f"ALTER TABLE U RENAME TO {desk.schema}.below.w")
    assert desk.both(f"SELECT * FROM {desk.schema}.below.w") == [(1,), (2,)]
