"""Schemas and comments: changes of the catalog alone."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def properties(desk: Desk, schema: str) -> dict[str, str]:
    return dict(desk.spark.rows(f"DESCRIBE SCHEMA EXTENDED {schema}"))


def test_properties_and_comment_of_a_schema(desk: Desk) -> None:
    inner = f"{desk.schema}.below"
    desk.run(
        f"CREATE SCHEMA {inner} COMMENT 'first' WITH PROPERTIES ('a' = 'b')",
        f"ALTER SCHEMA {inner} SET PROPERTIES ('c' = 'd')",
        f"ALTER DATABASE {inner} SET DBPROPERTIES ('e' = 'f')",
        f"ALTER SCHEMA {inner} UNSET PROPERTIES ('a', 'never')",
        f"COMMENT ON SCHEMA {inner} IS 'second'",
    )
    found = properties(desk, inner)
    assert (found["Comment"], found["Properties"]) == ("second", "((c,d), (e,f))")
    desk.run(f"COMMENT ON SCHEMA {inner} IS NULL")
    assert "Comment" not in properties(desk, inner)
    text = desk.spark.value(f"SHOW CREATE SCHEMA {inner}")
    desk.run(f"DROP SCHEMA {inner}", text)
    assert desk.spark.value(f"SHOW CREATE SCHEMA {inner}") == text


def test_what_a_schema_does_not_take(desk: Desk) -> None:
    schema = desk.schema
    for text, code in (
        (f"ALTER SCHEMA {schema} SET LOCATION 's3://x'", ErrorCode.NOT_SUPPORTED),
        (f"ALTER SCHEMA {schema} SET PROPERTIES ('location' = 'x')", ErrorCode.NOT_SUPPORTED),
        (f"ALTER SCHEMA {schema} RENAME TO x", ErrorCode.NOT_SUPPORTED),
        ("CREATE SCHEMA x LOCATION 's3://x'", ErrorCode.NOT_SUPPORTED),
        ("ALTER SCHEMA never SET PROPERTIES ('a' = 'b')", ErrorCode.SCHEMA_NOT_FOUND),
        ("COMMENT ON SCHEMA never IS 'x'", ErrorCode.SCHEMA_NOT_FOUND),
        ("COMMENT ON SCHEMA information_schema IS 'x'", ErrorCode.INVALID_ARGUMENT),
        (f"CREATE SCHEMA {schema}", ErrorCode.SCHEMA_ALREADY_EXISTS),
    ):
        desk.refuses(text, code)


def test_a_schema_goes_with_what_is_in_it(desk: Desk) -> None:
    inner = f"{desk.schema}.below"
    desk.run(
        f"CREATE SCHEMA {inner}",
        f"CREATE TABLE {inner}.t (id INT)",
        f"CREATE VIEW {inner}.v AS SELECT id FROM {inner}.t",
    )
    desk.refuses(f"DROP SCHEMA {inner}", ErrorCode.SCHEMA_NOT_EMPTY)
    desk.run(f"DROP SCHEMA {inner} CASCADE", f"DROP SCHEMA IF EXISTS {inner}")
    desk.refuses(f"SELECT * FROM {inner}.t", ErrorCode.SCHEMA_NOT_FOUND)


def test_comments_on_tables_and_columns(desk: Desk) -> None:
    desk.run(
        "CREATE TABLE t (id INT COMMENT 'old', s STRING) COMMENT 'old'",
        "COMMENT ON TABLE t IS 'it''s new'",
        "COMMENT ON COLUMN t.ID IS 'a key'",
        f"COMMENT ON COLUMN lake.{desk.schema}.t.s IS 'text'",
    )
    described = {row[0]: row[2] for row in desk.spark.rows("DESCRIBE t")}
    assert described == {"id": "a key", "s": "text"}
    assert desk.metadata("t")["properties"]["comment"] == "it's new"
    with desk.unchanged("t"):
        desk.run("COMMENT ON COLUMN t.s IS 'text'")  # as it is
    desk.run("COMMENT ON TABLE t IS NULL", "COMMENT ON COLUMN t.id IS NULL")
    assert "comment" not in desk.metadata("t")["properties"]
    error = desk.refuses("COMMENT ON COLUMN t.idd IS 'x'", ErrorCode.COLUMN_NOT_FOUND, "t")
    assert error.hint == "Did you mean id?"
    desk.refuses("COMMENT ON VIEW t IS 'x'", ErrorCode.INVALID_ARGUMENT, "t")
