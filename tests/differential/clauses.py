"""The clauses the generator uses, each with a query that has it and little else.

The local engine is asked about these queries first: what it refuses is not drawn.
"""

from __future__ import annotations

CLAUSES: dict[str, str] = {
    "join": "SELECT a.id FROM tame AS a JOIN dim AS b ON a.k = b.k",
    "left join": "SELECT a.id FROM tame AS a LEFT JOIN dim AS b ON a.k = b.k",
    "right join": "SELECT a.id FROM tame AS a RIGHT JOIN dim AS b ON a.k = b.k",
    "full join": "SELECT a.id FROM tame AS a FULL OUTER JOIN dim AS b ON a.k = b.k",
    "semi join": "SELECT a.id FROM tame AS a LEFT SEMI JOIN dim AS b ON a.k = b.k",
    "anti join": "SELECT a.id FROM tame AS a LEFT ANTI JOIN dim AS b ON a.k = b.k",
    "cross join": "SELECT a.id FROM tame AS a CROSS JOIN dim AS b",
    "comma": "SELECT a.id FROM tame AS a, dim AS b",
    "using": "SELECT k, label FROM tame AS a JOIN dim AS b USING (k)",
    "natural join": "SELECT k, label FROM tame AS a NATURAL JOIN dim AS b",
    "derived table": "SELECT q.x FROM (SELECT id AS x FROM tame) AS q",
    "values": "SELECT v.a FROM VALUES (1, 'x'), (2, NULL) AS v(a, b)",
    "no table": "SELECT 1 AS a",
    "star": "SELECT * FROM tame",
    "qualified star": "SELECT a.*, 1 AS x FROM tame AS a",
    "distinct": "SELECT DISTINCT k FROM tame",
    "exists": "SELECT id FROM tame AS a WHERE EXISTS (SELECT 1 FROM dim AS b WHERE b.k = a.k)",
    "not exists": "SELECT id FROM tame AS a WHERE NOT EXISTS "
    "(SELECT 1 FROM dim AS b WHERE b.k = a.k)",
    "in subquery": "SELECT id FROM tame WHERE k IN (SELECT k FROM dim)",
    "not in subquery": "SELECT id FROM tame WHERE k NOT IN (SELECT k FROM dim)",
    "scalar subquery": "SELECT id, (SELECT max(b.k) FROM dim AS b) AS x FROM tame",
    "correlated scalar": "SELECT a.id, (SELECT max(b.label) FROM dim AS b WHERE b.k = a.k) AS x "
    "FROM tame AS a",
    "correlated in": "SELECT a.id FROM tame AS a WHERE a.i IN "
    "(SELECT b.i FROM tame AS b WHERE b.k = a.k)",
    "with": "WITH w AS (SELECT id FROM tame) SELECT id FROM w",
    "with columns": "WITH w(a) AS (SELECT id FROM tame) SELECT a FROM w",
    "union all": "SELECT id FROM tame UNION ALL SELECT k FROM dim",
    "union": "SELECT id FROM tame UNION SELECT k FROM dim",
    "intersect": "SELECT id FROM tame INTERSECT SELECT k FROM dim",
    "except": "SELECT id FROM tame EXCEPT SELECT k FROM dim",
    "intersect all": "SELECT id FROM tame INTERSECT ALL SELECT k FROM dim",
    "except all": "SELECT id FROM tame EXCEPT ALL SELECT k FROM dim",
    "over": "SELECT count(*) OVER (PARTITION BY k) AS x FROM tame",
    "rows frame": "SELECT sum(i) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x "
    "FROM tame",
    "range frame": "SELECT sum(i) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) "
    "AS x FROM tame",
    "named window": "SELECT count(*) OVER w AS x FROM tame WINDOW w AS (PARTITION BY k)",
    "group by": "SELECT k, count(*) AS n FROM tame GROUP BY k",
    "group by position": "SELECT k, count(*) AS n FROM tame GROUP BY 1",
    "group by alias": "SELECT k AS c1, count(*) AS n FROM tame GROUP BY c1",
    "group by all": "SELECT k, count(*) AS n FROM tame GROUP BY ALL",
    "group by expression": "SELECT k + 1 AS x, count(*) AS n FROM tame GROUP BY k + 1",
    "rollup": "SELECT k, g, count(*) AS n FROM tame GROUP BY ROLLUP (k, g)",
    "cube": "SELECT k, g, count(*) AS n FROM tame GROUP BY CUBE (k, g)",
    "grouping sets": "SELECT k, count(*) AS n FROM tame GROUP BY GROUPING SETS ((k), ())",
    "grouping": "SELECT k, grouping(k) AS x FROM tame GROUP BY ROLLUP (k)",
    "grouping_id": "SELECT k, grouping_id() AS x FROM tame GROUP BY ROLLUP (k)",
    "having": "SELECT k, count(*) AS n FROM tame GROUP BY k HAVING count(*) > 1",
    "order by": "SELECT id FROM tame ORDER BY id",
    "order by expression": "SELECT id AS x FROM tame ORDER BY k + 1, id",
    "nulls": "SELECT k FROM tame ORDER BY k DESC NULLS FIRST",
    "limit": "SELECT id FROM tame ORDER BY id LIMIT 3",
    "offset": "SELECT id FROM tame ORDER BY id LIMIT 3 OFFSET 2",
}
EVERY_CLAUSE = frozenset(CLAUSES)
