"""Queries whose answers Spark gave: names, joins, grouping, sets, subqueries."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.unit.engines.local.compile.lakehouse import Lakehouse

ANSWERS: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("SELECT 1 AS x, x + 1 AS y", [(1, 2)]),
    ("SELECT 1 WHERE false", []),
    ("SELECT count(*) AS n WHERE false", [(0,)]),
    ("SELECT * FROM VALUES (1, 'a'), (2, NULL) AS t(x, y)", [(1, "a"), (2, None)]),
    ("SELECT * FROM range(10, 0, -4)", [(10,), (2,), (6,)]),
    ("SELECT x FROM dup t(x, y, z) WHERE y = 'y'", [(2,)]),
    ("SELECT * EXCEPT (a, v) FROM dup WHERE a = 3", [("",)]),
    ("SELECT a FROM dup LIMIT 0", []),
    ("SELECT a, b FROM dup ORDER BY ALL LIMIT 2", [(None, None), (None, "x")]),
    ("SELECT k AS label, label AS k FROM dim ORDER BY k", [(2, None), (1, "one"), (6, "six")]),
    # Words of the grammar that are names
    ("SELECT all, b FROM VALUES (1, 'x') AS t(all, b)", [(1, "x")]),
    ("SELECT distinct, 1 AS one FROM VALUES (7) AS t(distinct)", [(7, 1)]),
    ("SELECT DISTINCT all, b FROM VALUES (1, 2), (1, 2) AS t(all, b)", [(1, 2)]),
    ("SELECT count(all) AS n, max(distinct) AS m FROM VALUES (1, 2) t(all, distinct)", [(1, 2)]),
    ("SELECT b FROM VALUES (2, 1), (1, 3), (3, 2) AS t(all, b) ORDER BY all", [(3,), (1,), (2,)]),
    ("SELECT b FROM VALUES (2, 1), (1, 3) AS t(all, b) ORDER BY t.all DESC", [(1,), (3,)]),
    ("SELECT values FROM VALUES (2, 1), (1, 3) AS t(values, b) WHERE values > 1", [(2,)]),
    ("SELECT b isnull FROM VALUES (5) AS t(b)", [(5,)]),
    ("SELECT /*+ BROADCAST(d), COALESCE(1) */ k FROM dim d WHERE k = 1", [(1,)]),
    # Joins
    ("SELECT * FROM dim JOIN (SELECT 6 AS k, 'z' AS q) USING (k)", [(6, "six", "z")]),
    (
        "SELECT * FROM dim FULL JOIN (SELECT 7 AS k) y USING (k)",
        [(1, "one"), (2, None), (6, "six"), (7, None)],
    ),
    ("SELECT y.k, dim.k FROM dim RIGHT JOIN (SELECT 7 AS k) y USING (k)", [(7, None)]),
    ("SELECT x.* FROM (SELECT label, k FROM dim) x JOIN (SELECT 6 AS k) y USING (k)", [(6, "six")]),
    ("SELECT * FROM dim NATURAL JOIN (SELECT 1 AS k, 'one' AS label)", [(1, "one")]),
    ("SELECT k FROM dim LEFT ANTI JOIN dup ON a = k AND k = 1", [(2,), (6,)]),
    # Grouping
    ("SELECT a AS g, count(*) AS n FROM dup GROUP BY g", [(None, 2), (1, 2), (2, 2), (3, 1)]),
    ("SELECT a + 1 AS x FROM dup GROUP BY a + 1 HAVING a + 1 > 3", [(4,)]),
    ("SELECT b, count(*) AS n FROM dup GROUP BY ALL HAVING n > 2", [("x", 3)]),
    ("SELECT count(*) AS n FROM nobody GROUP BY k", []),
    ("SELECT k, count(*) AS n FROM nobody GROUP BY CUBE (k)", []),
    ("SELECT k, count(*) AS n FROM nobody GROUP BY ROLLUP (k) HAVING k IS NULL", []),
    ("SELECT 1 AS one, count(*) AS n FROM dup GROUP BY a, one HAVING a = 1", [(1, 2)]),
    (
        "SELECT a, sum(count(*)) OVER (ORDER BY a) AS n FROM dup GROUP BY a",
        [(None, 2), (1, 4), (2, 6), (3, 7)],
    ),
    (
        "SELECT k, count(*) AS n, grouping(k) AS g FROM dim GROUP BY k WITH ROLLUP",
        [(None, 3, 1), (1, 1, 0), (2, 1, 0), (6, 1, 0)],
    ),
    (
        "SELECT k, rank() OVER w AS r FROM dim WINDOW w AS (ORDER BY k DESC)",
        [(1, 3), (2, 2), (6, 1)],
    ),
    # Sets
    ("SELECT a FROM dup EXCEPT SELECT k FROM dim", [(None,), (3,)]),
    ("SELECT a FROM dup INTERSECT ALL SELECT a FROM dup WHERE a < 2", [(1,), (1,)]),
    ("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", [(1,)]),
    ("WITH dup AS (SELECT 5 AS q) SELECT * FROM dup", [(5,)]),
    ("WITH c AS (SELECT 1 AS x) SELECT * FROM (WITH c AS (SELECT 2 AS x) SELECT * FROM c)", [(2,)]),
    # Subqueries
    ("SELECT k FROM dim WHERE k NOT IN (SELECT a FROM dup)", []),
    ("SELECT k FROM dim WHERE k NOT IN (SELECT a FROM dup WHERE a IS NOT NULL)", [(6,)]),
    ("SELECT k, (SELECT count(*) FROM dup WHERE a = k) AS n FROM dim", [(1, 2), (2, 2), (6, 0)]),
    ("SELECT k FROM dim WHERE EXISTS (SELECT 1 FROM dup WHERE a > k AND b = '')", [(1,), (2,)]),
    ("SELECT (SELECT k FROM nobody) AS x", [(None,)]),
]


@pytest.mark.parametrize(("sql", "rows"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_sparks(lakehouse: Lakehouse, sql: str, rows: list[tuple[Any, ...]]) -> None:
    assert lakehouse.rows(sql) == rows


REFUSED = {
    "neither grouped": [
        "SELECT b FROM dup GROUP BY a",
        "SELECT a, count(*) FROM dup",
        "SELECT a AS b, count(*) AS n FROM dup GROUP BY b",
        "SELECT a FROM dup GROUP BY a HAVING b = 'x'",
        "SELECT a FROM dup GROUP BY a ORDER BY b",
        "SELECT a, sum(v) OVER () AS s FROM dup GROUP BY a",
        "SELECT * FROM dup GROUP BY a",
    ],
    "in WHERE": [
        "SELECT a FROM dup WHERE count(*) > 1",
        "SELECT a FROM dup WHERE row_number() OVER (ORDER BY a) = 1",
    ],
    "in ON": ["SELECT 1 FROM dup JOIN dim ON count(*) = k"],
    "aggregate": [
        "SELECT sum(count(*)) AS s FROM dup GROUP BY a",
        "SELECT count(*) AS n FROM dup GROUP BY n",
        "SELECT a FROM dup ORDER BY count(*)",
    ],
    "grouping()": ["SELECT grouping(a) AS g FROM dup GROUP BY a"],
    "may mean two things": [
        "SELECT a, max(b) AS b FROM dup GROUP BY a HAVING b = 'x'",
        "SELECT a, max(b) AS b FROM dup GROUP BY a ORDER BY max(b)",
        "SELECT a AS x, b AS x FROM dup GROUP BY ALL ORDER BY x",
    ],
    "where a column has that name": [
        "SELECT all, count(*) AS n FROM VALUES (1, 2) AS t(all, b) GROUP BY all",
        "SELECT b AS all, count(*) AS n FROM VALUES (1, 2) AS t(a, b) GROUP BY all",
    ],
    "may be a column": ["SELECT current_date FROM VALUES (1) AS t(current_date)"],
    "ANY over a query": ["SELECT any b FROM VALUES (true, false) AS t(any, b)"],
    "interval is not on": ["SELECT interval + 1 AS x FROM VALUES (1) AS t(interval)"],
    "ORDER BY ALL beside": ["SELECT a FROM dup ORDER BY ALL, a"],
    "a window function in ORDER BY": ["SELECT a FROM dup ORDER BY max(a) OVER ()"],
    "so many arguments": ["SELECT upper(b, b) AS u FROM dup"],
    "not selected": [
        "SELECT DISTINCT a FROM dup ORDER BY b",
        "SELECT DISTINCT a AS z FROM dup ORDER BY a",
    ],
    "position": ["SELECT a FROM dup ORDER BY 2", "SELECT a FROM dup GROUP BY 2"],
    "computed LIMIT": ["SELECT a FROM dup LIMIT 1 + 1", "SELECT a FROM dup LIMIT -1"],
    "IN over a query": [
        "SELECT k IN (SELECT a FROM dup) AS i FROM dim",
        "SELECT k FROM dim WHERE (k IN (SELECT a FROM dup)) IS NULL",
    ],
    "two parentheses": ["SELECT a FROM dup WHERE a IN ((SELECT k FROM dim))"],
    "named window": ["SELECT a FROM dup WINDOW w AS (ORDER BY a) ORDER BY rank() OVER w"],
    "of doubles": ["SELECT a FROM dup WHERE v NOT IN (SELECT v FROM dup)"],
    "several rows": ["SELECT k, (SELECT b FROM dup WHERE a = k) AS x FROM dim"],
    "outer query": ["SELECT k FROM dim WHERE k IN (SELECT dim.k FROM dup)"],
    "field of a column": [
        "SELECT 1 FROM dim a WHERE EXISTS (SELECT 1 FROM dup WHERE b = a.label)",
    ],
    "window function": ["SELECT a AS x, count(*) OVER (PARTITION BY x) AS n FROM dup"],
    "two CTEs": ["WITH c AS (SELECT 1 AS x), c AS (SELECT 2 AS x) SELECT * FROM c"],
    "different columns": ["SELECT 1 UNION SELECT 1, 2"],
    "this join in a dependent": [
        "SELECT k, n FROM dim JOIN LATERAL (SELECT count(*) AS n FROM "
        f"(SELECT a FROM dup WHERE a <= dim.k) AS l {join} dup AS r ON l.a = r.a)"
        for join in ("LEFT SEMI JOIN", "LEFT ANTI JOIN", "RIGHT JOIN", "FULL JOIN")
    ],
    "does not fit": ["SELECT * FROM dup AS t(x, y)"],
}


@pytest.mark.parametrize(
    ("reason", "sql"), [(reason, sql) for reason, queries in REFUSED.items() for sql in queries]
)
def test_what_spark_refuses_or_reads_otherwise_is_left_to_it(
    lakehouse: Lakehouse, reason: str, sql: str
) -> None:
    assert reason in lakehouse.refusal(sql)


def test_more_rows_than_one_fail_even_beside_a_table_without_files(lakehouse: Lakehouse) -> None:
    with pytest.raises(Exception, match="More than one row"):
        lakehouse.ask("SELECT (SELECT a FROM dup) AS x FROM nobody WHERE k > 5")


def test_zeros_keep_their_sign_when_sorted_and_lose_it_when_told_apart(
    lakehouse: Lakehouse,
) -> None:
    def signs(sql: str) -> list[float]:
        return [math.copysign(1, v) for (v,) in lakehouse.rows(sql) if v == 0]

    assert signs("SELECT v FROM dup ORDER BY v").count(-1) == 1
    assert signs("SELECT DISTINCT v FROM dup") == [1]
    assert signs("SELECT v FROM dup GROUP BY v") == [1]
    assert signs("SELECT v FROM dup UNION SELECT v FROM dup") == [1]


@pytest.mark.parametrize(
    ("sql", "nullable"),
    [
        ("SELECT 1 AS x, NULL AS y UNION ALL SELECT 2, 3", [False, True]),
        ("SELECT id FROM range(1)", [False]),
        ("SELECT r.id, l.id FROM range(1) r LEFT JOIN range(2) l ON r.id = l.id", [False, True]),
        ("SELECT id FROM range(1) FULL JOIN range(2) USING (id)", [True]),
        ("SELECT id FROM range(1) EXCEPT SELECT CAST(a AS bigint) FROM dup", [False]),
        ("SELECT id, count(*) AS n FROM range(3) GROUP BY ROLLUP(id)", [True, False]),
        ("SELECT coalesce(id, 0L) AS z FROM range(3) GROUP BY ROLLUP(id)", [False]),
        ("SELECT r.id, k FROM range(3) r JOIN dim ON k = r.id", [False, True]),
    ],
)
def test_nullability_is_sparks(lakehouse: Lakehouse, sql: str, nullable: list[bool]) -> None:
    assert [column.nullable for column in lakehouse.ask(sql).schema] == nullable
