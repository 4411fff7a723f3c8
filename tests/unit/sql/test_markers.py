"""Parameter markers in the text: where they are found, and where they are refused."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.sql.markers import without_markers
from sqe.sql.parse import parse
from sqe.sql.statement import Span

TAKEN = [
    "SELECT ? AS a, ?::int, x[?], -? FROM t WHERE b = ? AND c BETWEEN ? AND ? OR d IN (?, 1)",
    "SELECT '?', `?`, \"?\", ? /* ? */ -- ?",
    "WITH q AS (SELECT ?) SELECT * FROM q WHERE EXISTS (SELECT 1 FROM t WHERE a = ?)",
    "SELECT a FROM t LIMIT ? OFFSET ?",
    "VALUES (?, ?)",
    "INSERT INTO t VALUES (?, ?), (?, ?)",
    "INSERT INTO t (a) SELECT ? FROM u",
    "DELETE FROM t WHERE a = ?",
    "UPDATE t SET a = ?, b = ? WHERE c = ?",
    "MERGE INTO t USING u ON t.a = ? WHEN MATCHED THEN UPDATE SET b = ?"
    " WHEN NOT MATCHED THEN INSERT (a) VALUES (?)",
    "EXPLAIN SELECT ? + ?",
    "(SELECT ?) UNION ALL (SELECT ?)",
]
REFUSED = [
    "CREATE VIEW v AS SELECT ?",
    "CREATE TABLE t AS SELECT ?",
    "CREATE TEMPORARY VIEW v AS SELECT ?",
    "CREATE MATERIALIZED VIEW v AS SELECT ?",
    "EXPLAIN CREATE VIEW v AS SELECT ?",
    "ALTER TABLE t ADD COLUMN a int DEFAULT ?",
    "CALL system.expire_snapshots(?)",
    "COPY INTO t FROM ?",
    "DESCRIBE SELECT ?",
    "SET SESSION sqe.engine = ?",
    "SELECT :name",
    "SELECT {?}",
    "SELECT * FROM ?",
    "SELECT a AS ?",
    "SELECT a.? FROM t",
    "SELECT * FROM t VERSION AS OF ?",
    "SELECT * FROM t TABLESAMPLE (? PERCENT)",
    "SELECT CAST(a AS DECIMAL(?, 2)) FROM t",
    "SELECT INTERVAL ? DAY",
    "SELECT DATE ?",
    "SELECT 'a' ?",
    "SELECT ? 'a'",
    "SELECT a ? b",
    "SELECT /*+ REPARTITION(?) */ 1",
    "INSERT INTO t PARTITION (a = ?) SELECT 1",
]


@pytest.mark.parametrize("sql", TAKEN)
def test_markers_are_found_in_the_order_of_the_text(sql: str) -> None:
    statement = parse(sql)
    assert all(span.of(sql) == "?" for span in statement.markers)
    assert list(statement.markers) == sorted(statement.markers)
    quoted = sql.count("?") - 1 if "'?'" in sql else 0
    assert len(statement.markers) == sql.count("?") - quoted


@pytest.mark.parametrize("sql", REFUSED)
def test_a_marker_that_is_no_value_is_refused(sql: str) -> None:
    with pytest.raises(SqeError) as raised:
        parse(sql)
    assert raised.value.code is ErrorCode.NOT_SUPPORTED


def test_a_refusal_says_where() -> None:
    with pytest.raises(SqeError, match="A parameter marker in time travel") as raised:
        parse("SELECT 1,\n  a FROM t VERSION AS OF ?")
    assert raised.value.position is not None
    assert (raised.value.position.line, raised.value.position.column) == (2, 26)


def test_what_is_kept_may_leave_nothing_open() -> None:
    assert without_markers(parse("SELECT 1")).markers == ()
    with pytest.raises(SqeError):
        without_markers(parse("SELECT ?"))


def test_the_statement_inside_explain_keeps_the_places() -> None:
    statement = parse("EXPLAIN  SELECT ?")
    assert statement.markers == (Span(16, 17),)
    assert statement.inner is not None and statement.inner.markers == statement.markers
