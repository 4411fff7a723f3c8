"""Wrong statements: a clear error with a code, and the table is what it was."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.fixture
def full(desk: Desk) -> Desk:
    desk.run(
        "CREATE TABLE t (id INT NOT NULL, d DATE, v DECIMAL(6, 2), r STRING, s STRUCT<x: INT>)"
        " PARTITIONED BY (r)",
        "INSERT INTO t VALUES (1, NULL, 1, 'a', NULL)",
        "ALTER TABLE t WRITE LOCALLY ORDERED BY v",
        "CREATE VIEW w AS SELECT id FROM t",
    )
    return desk


def test_rows_that_do_not_fit(full: Desk) -> None:
    for text, code, words in (
        ("VALUES (1, NULL)", ErrorCode.INVALID_ARGUMENT, "not enough data columns"),
        ("VALUES (1, NULL, 1, 'a', NULL, 6)", ErrorCode.INVALID_ARGUMENT, "too many"),
        ("VALUES (NULL, NULL, 1, 'a', NULL)", ErrorCode.CONSTRAINT_VIOLATION, "id"),
        ("SELECT nullif(id, 1), d, v, r, s FROM t", ErrorCode.CONSTRAINT_VIOLATION, "id"),
        ("(r) VALUES ('a')", ErrorCode.TYPE_MISMATCH, "`id`"),
        ("VALUES (3000000000, NULL, 1, 'a', NULL)", ErrorCode.NUMERIC_OUT_OF_RANGE, "overflow"),
        ("VALUES (1, NULL, 12345.67, 'a', NULL)", ErrorCode.NUMERIC_OUT_OF_RANGE, "overflow"),
        ("VALUES ('x', NULL, 1, 'a', NULL)", ErrorCode.TYPE_MISMATCH, '"STRING" to "INT"'),
        ("SELECT CAST(r AS INT), d, v, r, s FROM t", ErrorCode.INVALID_CAST, "'a'"),
        ("(id, id) VALUES (1, 2)", ErrorCode.AMBIGUOUS_NAME, "`id`"),
        ("(id, nope) VALUES (1, 2)", ErrorCode.COLUMN_NOT_FOUND, "nope"),
        ("BY NAME SELECT 1 AS id, 2 AS nope", ErrorCode.TYPE_MISMATCH, "nope"),
        ("PARTITION (id = 1) SELECT NULL, 1, 'a', NULL", ErrorCode.INVALID_ARGUMENT, "id"),
        ("VALUES (DEFAULT, NULL, 1, 'a', NULL)", ErrorCode.CONSTRAINT_VIOLATION, "id"),
    ):
        assert words in full.refuses(f"INSERT INTO t {text}", code, "t").message
    full.refuses("INSERT INTO never VALUES (1)", ErrorCode.TABLE_NOT_FOUND)
    full.refuses("INSERT INTO w VALUES (1)", ErrorCode.NOT_SUPPORTED, "t")
    assert full.both("SELECT id, r FROM t") == [(1, "a")]


def test_changes_that_cannot_be(full: Desk) -> None:
    for text, code, words in (
        ("ADD COLUMN ID INT", ErrorCode.AMBIGUOUS_NAME, "already has a column ID"),
        ("ADD COLUMN s.x INT", ErrorCode.AMBIGUOUS_NAME, "s.x"),
        ("ADD COLUMN never.x INT", ErrorCode.COLUMN_NOT_FOUND, "never"),
        ("ADD COLUMN n INT NOT NULL", ErrorCode.CONSTRAINT_VIOLATION, "rows that are there"),
        ("ADD COLUMN n INT DEFAULT 1", ErrorCode.NOT_SUPPORTED, "format version 3"),
        ("ALTER COLUMN v SET DEFAULT 1", ErrorCode.NOT_SUPPORTED, "format version 3"),
        ("ALTER COLUMN never DROP DEFAULT", ErrorCode.COLUMN_NOT_FOUND, "never"),
        ("DROP COLUMN r", ErrorCode.INVALID_ARGUMENT, "partitioned by r"),
        ("DROP COLUMN v", ErrorCode.INVALID_ARGUMENT, "order of v"),
        ("DROP COLUMN nope", ErrorCode.COLUMN_NOT_FOUND, "nope"),
        ("RENAME COLUMN id TO v", ErrorCode.AMBIGUOUS_NAME, "v"),
        ("RENAME COLUMN vv TO x", ErrorCode.COLUMN_NOT_FOUND, "vv"),
        ("ALTER COLUMN id TYPE STRING", ErrorCode.TYPE_MISMATCH, "int -> string"),
        ("ALTER COLUMN v TYPE DECIMAL(10, 3)", ErrorCode.TYPE_MISMATCH, "decimal"),
        ("ALTER COLUMN d SET NOT NULL", ErrorCode.USER_ERROR, "non-nullable"),
        ("ADD PARTITION FIELD days(id)", ErrorCode.TYPE_MISMATCH, "int"),
        ("ADD PARTITION FIELD nope", ErrorCode.COLUMN_NOT_FOUND, "nope"),
        ("WRITE ORDERED BY nope", ErrorCode.COLUMN_NOT_FOUND, "nope"),
        ("DROP PARTITION FIELD days(d)", ErrorCode.INVALID_ARGUMENT, "remove: day(d)"),
        ("ADD PARTITION FIELD r", ErrorCode.INVALID_ARGUMENT, "duplicate partition field r"),
        ("SET IDENTIFIER FIELDS d", ErrorCode.INVALID_ARGUMENT, "not a required field"),
        ("SET TBLPROPERTIES ('format-version' = '1')", ErrorCode.INVALID_ARGUMENT, "downgrade"),
        ("SET TBLPROPERTIES ('wrte.x' = 'y', 'write.x' = 'y')", ErrorCode.INVALID_ARGUMENT, "no"),
        ("SET LOCATION 's3://elsewhere'", ErrorCode.NOT_SUPPORTED, "SET LOCATION"),
        ("RENAME TO w", ErrorCode.TABLE_ALREADY_EXISTS, "w"),
        ("RENAME TO never.x", ErrorCode.SCHEMA_NOT_FOUND, "never"),
    ):
        assert words in full.refuses(f"ALTER TABLE t {text}", code, "t").message
    full.refuses("ALTER TABLE w ADD COLUMN x INT", ErrorCode.NOT_SUPPORTED)
    full.refuses("ALTER TABLE w RENAME TO x", ErrorCode.INVALID_ARGUMENT)
    full.refuses("ALTER VIEW t RENAME TO x", ErrorCode.INVALID_ARGUMENT, "t")
    full.refuses("CREATE OR REPLACE TABLE w AS SELECT 1 AS a", ErrorCode.TABLE_ALREADY_EXISTS)


def test_the_nearest_column_is_named(full: Desk) -> None:
    error = full.refuses("ALTER TABLE t ALTER COLUMN s.xx TYPE BIGINT", ErrorCode.COLUMN_NOT_FOUND)
    assert error.hint == "Did you mean s.x?"
    assert error.position is not None
    assert error.position.fragment == "s.xx"


def test_a_failed_create_as_leaves_nothing(full: Desk) -> None:
    full.refuses("CREATE TABLE u AS SELECT CAST(r AS INT) AS a FROM t", ErrorCode.INVALID_CAST)
    with full.unchanged("t"):
        error = full.spark.fails("CREATE OR REPLACE TABLE t AS SELECT id / 0 AS a FROM t")
    assert error.code is ErrorCode.DIVISION_BY_ZERO
    assert [row[1] for row in full.spark.rows("SHOW TABLES")] == ["t"]
