"""What a credential of the scope `read` may do: every kind of statement is on one of the lists."""

from __future__ import annotations

import pytest

from sqe.access.scopes import check_scope
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits

READS = (
    "SELECT 1",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "TABLE t",
    "VALUES 1",
    "EXPLAIN SELECT 1",
    "EXPLAIN INSERT INTO t VALUES (1)",
    "EXPLAIN ANALYZE SELECT 1",
    "SHOW TABLES",
    "SHOW CATALOGS",
    "SHOW STATS FOR t",
    "SHOW CREATE TABLE t",
    "SHOW MATERIALIZED VIEWS",
    "DESCRIBE t",
    "DESCRIBE QUERY SELECT 1",
    "USE lake.default",
    "SET SESSION sqe.engine = 'local'",
    "CREATE TEMPORARY VIEW v AS SELECT 1",
)
WRITES = (
    "INSERT INTO t VALUES (1)",
    "DELETE FROM t",
    "UPDATE t SET a = 1",
    "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
    "CREATE TABLE t (a INT)",
    "CREATE TABLE t AS SELECT 1",
    "ALTER TABLE t ADD COLUMN b INT",
    "TRUNCATE TABLE t",
    "DROP TABLE t",
    "CREATE VIEW v AS SELECT 1",
    "DROP VIEW v",
    "CREATE SCHEMA s",
    "DROP SCHEMA s",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "CALL system.expire_snapshots('t')",
    "COPY INTO t FROM '/data' FILEFORMAT = PARQUET",
    "COMMENT ON TABLE t IS 'x'",
    "EXPLAIN ANALYZE INSERT INTO t VALUES (1)",
    "CREATE MATERIALIZED VIEW m AS SELECT 1",
    "REFRESH MATERIALIZED VIEW m",
    "DROP MATERIALIZED VIEW m",
)


def allowed(text: str, *scopes: str) -> bool:
    try:
        check_scope(Identity("ann", scopes=frozenset(scopes)), parse(text, TextLimits()))
    except AccessError as error:
        assert error.code is ErrorCode.ACCESS_DENIED
        assert "scope" in error.message and error.hint
        return False
    return True


@pytest.mark.parametrize("text", READS)
def test_reading_is_allowed(text: str) -> None:
    assert allowed(text, "read")


@pytest.mark.parametrize("text", WRITES)
def test_everything_else_is_not(text: str) -> None:
    assert not allowed(text, "read")


def test_without_a_scope_and_with_all_nothing_is_held_back() -> None:
    for text in (*READS, *WRITES):
        assert allowed(text) and allowed(text, "all") and allowed(text, "all", "read")


def test_a_scope_that_is_not_known_allows_nothing() -> None:
    assert not allowed("SELECT 1", "write")
