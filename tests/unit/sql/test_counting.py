"""A DELETE or UPDATE as the count of the rows it is about."""

from __future__ import annotations

import pytest

from sqe.sql.counting import edits_of_count
from sqe.sql.parse import parse
from sqe.sql.splice import splice


def counted(text: str) -> str | None:
    statement = parse(text)
    edits = edits_of_count(statement)
    return None if edits is None else splice(statement.text, edits).text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("DELETE FROM t WHERE a = 1", "SELECT count(*) FROM t WHERE a = 1"),
        ("DELETE FROM t", "SELECT count(*) FROM t"),
        ("TRUNCATE TABLE t", "SELECT count(*) FROM t"),
        (
            "UPDATE t AS x SET a = (SELECT max(a) FROM s WHERE b), c = 1 WHERE x.a > 2",
            "SELECT count(*) FROM t AS x WHERE x.a > 2",
        ),
        ("UPDATE t SET a = now()", "SELECT count(*) FROM t "),
        (
            "DELETE FROM t WHERE a IN (SELECT max(a) FROM t JOIN s USING (b))",
            "SELECT count(*) FROM t WHERE a IN (SELECT max(a) FROM t JOIN s USING (b))",
        ),
        (
            "UPDATE t SET a = CASE WHEN b THEN (SELECT max(a) FROM t) END WHERE c",
            "SELECT count(*) FROM t WHERE c",
        ),
    ],
)
def test_the_table_and_the_condition_stay(text: str, count: str) -> None:
    assert counted(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM t WHERE ts < current_timestamp()",
        "DELETE FROM t WHERE d < current_date - 1",
        "UPDATE t SET a = 1 WHERE d = DATE 'today'",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
    ],
)
def test_what_could_come_out_otherwise_is_not_counted(text: str) -> None:
    assert counted(text) is None
