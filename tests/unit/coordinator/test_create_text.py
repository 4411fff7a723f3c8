"""SHOW CREATE TABLE and VIEW."""

from __future__ import annotations

from sqe.errors import ErrorCode
from sqe.sql.parse import parse
from sqe.sql.statement import StatementKind
from tests.unit.coordinator.lake import Lake

TABLE = """\
CREATE TABLE lake.hr.emp (
  id BIGINT NOT NULL COMMENT 'the key',
  name STRING,
  hired TIMESTAMP,
  home STRUCT<`zip code`: INT NOT NULL>)
USING iceberg
PARTITIONED BY (bucket(16, id), days(hired))
COMMENT 'who\\'s here'
TBLPROPERTIES (
  'format-version' = '2',
  'k' = 'v',
  'write.parquet.compression-codec' = 'zstd')"""

VIEW = """\
CREATE VIEW lake.hr.names (
  a)
COMMENT 'only names'
AS
SELECT name AS a FROM emp"""


def test_show_create_table_is_sparks_ddl(lake: Lake) -> None:
    assert lake.names("SHOW CREATE TABLE emp") == ["createtab_stmt"]
    assert lake.rows("SHOW CREATE TABLE emp") == [(TABLE,)]
    assert parse(TABLE).kind is StatementKind.CREATE_TABLE


def test_show_create_view(lake: Lake) -> None:
    assert lake.rows("SHOW CREATE VIEW names") == [(VIEW,)]
    assert lake.rows("SHOW CREATE TABLE hr.names") == [(VIEW,)]
    assert parse(VIEW).kind is StatementKind.CREATE_VIEW


def test_show_create_of_a_temporary_view(lake: Lake) -> None:
    lake.keep_view("mine")
    [(text,)] = lake.rows("SHOW CREATE VIEW mine")
    assert text == "CREATE TEMPORARY VIEW mine (\n  x)\nAS\nSELECT 1 AS x"


def test_show_create_view_of_a_table_says_so(lake: Lake) -> None:
    error = lake.refusal("SHOW CREATE VIEW emp")
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert "is a table" in error.message


def test_what_no_statement_made_has_no_text(lake: Lake) -> None:
    assert lake.refusal("SHOW CREATE TABLE information_schema.tables").code is (
        ErrorCode.NOT_SUPPORTED
    )
