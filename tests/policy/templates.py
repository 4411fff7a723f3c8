"""Forms of statements that the grammar of tests/differential has not, or not for Trino.

``{A}`` and ``{B}`` are tables; ``{an}``, ``{as}``, ``{ac}`` a number, a text, any column of A and
likewise of B; ``{h}`` a column that is hidden. A form is drawn where all it needs is there.
"""

from __future__ import annotations

BOTH = (
    "SELECT * FROM {A}",
    "SELECT x.* FROM {A} x WHERE x.{as} IS NOT NULL",
    "SELECT count(*), count({ac}), min({an}), max({as}) FROM {A}",
    "SELECT {as}, count(*), sum({an}) FROM {A} GROUP BY {as}",
    "SELECT {as}, count(*) FROM {A} GROUP BY 1 HAVING count(*) > 1",
    "SELECT x.{as}, y.{bs} FROM {A} x JOIN {B} y ON x.{as} = y.{bs}",
    "SELECT x.{ac}, y.{bc} FROM {A} x LEFT JOIN {B} y ON x.{an} = y.{bn} AND y.{bs} <> 'bob'",
    "SELECT x.{ac}, y.{bc} FROM {A} x FULL JOIN {B} y ON x.{as} = y.{bs}",
    "SELECT x.{ac} FROM {A} x, {B} y WHERE x.{an} = y.{bn} AND x.{as} < y.{bs}",
    "SELECT {ac} FROM {A} WHERE {as} IN (SELECT {bs} FROM {B})",
    "SELECT {ac} FROM {A} WHERE {an} NOT IN (SELECT {bn} FROM {B} WHERE {bn} IS NOT NULL)",
    "SELECT {ac} FROM {A} x WHERE EXISTS (SELECT 1 FROM {B} y WHERE y.{bs} = x.{as})",
    "SELECT {ac} FROM {A} x WHERE NOT EXISTS (SELECT 1 FROM {B} y WHERE y.{bn} = x.{an})",
    "SELECT {ac}, (SELECT max({bs}) FROM {B}) AS m FROM {A}",
    "SELECT x.{ac}, (SELECT count(*) FROM {B} y WHERE y.{bs} = x.{as}) AS n FROM {A} x",
    "SELECT {as} FROM {A} GROUP BY {as} HAVING max({an}) >= (SELECT min({bn}) FROM {B})",
    "SELECT {as} FROM {A} ORDER BY (SELECT count(*) FROM {B}), {as} NULLS FIRST",
    "SELECT CASE WHEN {an} > (SELECT min({bn}) FROM {B}) THEN {as} ELSE 'x' END AS c FROM {A}",
    "WITH q AS (SELECT * FROM {A}) SELECT {ac} FROM q WHERE {as} IS NOT NULL",
    "WITH q AS (SELECT {as} AS s FROM {A}), r AS (SELECT s FROM q UNION ALL SELECT {bs} FROM {B})"
    " SELECT s, count(*) FROM r GROUP BY s",
    "WITH {B} AS (SELECT {as} AS c FROM {A}) SELECT c FROM {B}",
    "SELECT {as} FROM {A} UNION SELECT {bs} FROM {B}",
    "SELECT {as} FROM {A} UNION ALL SELECT {bs} FROM {B}",
    "SELECT {as} FROM {A} INTERSECT SELECT {bs} FROM {B}",
    "SELECT {as} FROM {A} EXCEPT SELECT {bs} FROM {B}",
    "SELECT {ac}, row_number() OVER (ORDER BY {as}, {an}) > 0 AS r FROM {A}",
    "SELECT {as}, count(*) OVER (PARTITION BY {as}) AS n FROM {A}",
    "SELECT {an}, rank() OVER (ORDER BY {an} DESC NULLS LAST) AS r FROM {A}",
    "SELECT {as}, sum({an}) OVER (PARTITION BY {as}) AS n FROM {A}",
    "SELECT DISTINCT {as}, {an} FROM {A}",
    "SELECT {as}, {an}, count(*) FROM {A} GROUP BY GROUPING SETS (({as}), ({an}), ())",
    "SELECT {as}, {an}, count(*) FROM {A} GROUP BY ROLLUP ({as}, {an})",
    "SELECT {as} FROM {A} ORDER BY {as} NULLS LAST LIMIT 1",
    "SELECT max({as}), min({as}) FROM {A} WHERE {an} >= 0",
    "SELECT v.{ac} FROM (SELECT * FROM {A} WHERE {an} IS NOT NULL) v WHERE v.{as} LIKE 'n%'",
    "SELECT {schema}.{A}.{ac} FROM {schema}.{A}",
    "SELECT {A}.{ac} FROM {A} WHERE {A}.{as} > 'b'",
    "SELECT {h} FROM {A}",
    "SELECT 1 FROM {A} WHERE {h} IS NULL",
    "SELECT x.{h} FROM {A} x",
    "SELECT {ac} FROM {A} ORDER BY {h}",
    "SELECT count(*) FROM {A} GROUP BY {h}",
    "SELECT count(*) FROM {A} x JOIN {B} y ON x.{h} = y.{bc}",
    "SELECT sum(1) OVER (PARTITION BY {h}) FROM {A}",
    "SELECT {ac} FROM {A} WHERE EXISTS (SELECT 1 FROM {B} WHERE {h} IS NULL)",
)
SPARK = (
    "SELECT {ac} FROM {A} VERSION AS OF 'v1'",
    "SELECT x.{ac}, count(*) FROM {A} VERSION AS OF 'v1' AS x GROUP BY ALL",
    "SELECT {ac} FROM {A}.tag_v1",
    "SELECT count(*), max({as}) FROM {A}.branch_main",
    "SELECT {ac} FROM {A} EXCEPT ALL SELECT {ac} FROM {A} VERSION AS OF 'v1'",
    "SELECT x.{ac}, q.n FROM {A} x, LATERAL (SELECT count(*) AS n FROM {B} y"
    " WHERE y.{bs} = x.{as}) q",
    "SELECT * FROM {A} LEFT SEMI JOIN {B} ON {A}.{as} = {B}.{bs}",
    "SELECT x.{ac} FROM {A} x LEFT ANTI JOIN {B} y ON x.{an} = y.{bn}",
    "SELECT count(*) FROM {A} TABLESAMPLE (100 PERCENT)",
    "FROM {A} |> WHERE {as} IS NOT NULL |> AGGREGATE count(*) GROUP BY {as}",
    "SELECT * EXCEPT ({ac}) FROM {A}",
    "SELECT listagg({as}, ',') WITHIN GROUP (ORDER BY {as}) FROM {A}",
    "SELECT {as} AS z, length(z) FROM {A}",
    "SELECT array_sort(collect_set({as})) FROM {A}",
    "SELECT * FROM (SELECT {as}, {an} FROM {A}) PIVOT (count({an}) FOR {as} IN ('ann', 'bob'))",
    "SELECT explode(array({as}, 'x')) FROM {A}",
    "SELECT * EXCEPT ({h}) FROM {A}",
    "TABLE {A}",
    "SELECT struct(*).{ac} FROM {A}",
)
TRINO = (
    "SELECT {ac} FROM {A} FOR VERSION AS OF 'v1'",
    "SELECT x.{ac}, q.n FROM {A} x CROSS JOIN LATERAL (SELECT count(*) AS n FROM {B} y"
    " WHERE y.{bs} = x.{as}) q",
    "TABLE {A}",
    "SELECT x.{ac} FROM {A} AS x ({columns})",
    "SELECT try_cast({as} AS integer) FROM {A}",
    "SELECT {as}, count(*) FILTER (WHERE {an} > 0) FROM {A} GROUP BY {as}",
    "SELECT approx_distinct({as}) >= 0 FROM {A}",
    "SELECT {as} FROM {A} FETCH FIRST 0 ROWS ONLY",
)
# Expressions that fail for some values: over rows that are there, both sides fail alike.
FAILING = (
    "SELECT 10 / {an} FROM {A}",
    "SELECT count(*) FROM {A} WHERE 10 % {an} = 0",
    "SELECT CAST({as} AS int) FROM {A}",
    "SELECT {ac} FROM {A} WHERE CAST({as} AS int) = 7",
    "SELECT CAST({as} AS int) AS c, count(*) FROM {A} GROUP BY 1",
    "SELECT max(CAST({as} AS int)) FROM {A}",
    "SELECT {ac} FROM {A} ORDER BY CAST({as} AS int)",
    "SELECT count(*) FROM {A} x JOIN {B} y ON CAST(x.{as} AS int) = y.{bn}",
    "SELECT (SELECT count(*) FROM {B} WHERE CAST({bs} AS int) > 0) AS c",
    "SELECT sum(10 / {an}) OVER () FROM {A}",
)
FAILING_SPARK = (
    "SELECT raise_error({as}) FROM {A} WHERE {as} = 'name17'",
    "SELECT element_at(array(1), {an}) FROM {A}",
    "SELECT to_date({as}, 'yyyy-MM-dd') FROM {A}",
    "SELECT {an} * 2147483647 FROM {A}",
    "SELECT assert_true({an} < 99) FROM {A}",
)
# ``{X}`` is a table of the asker's own, made anew: id int, k int, s1 string.
WRITES = (
    ("CREATE TABLE {Y} AS SELECT * FROM {A}", "SELECT * FROM {Y}"),
    ("CREATE TABLE {Y} AS SELECT {as}, count(*) AS n FROM {A} GROUP BY {as}", "SELECT * FROM {Y}"),
    ("INSERT INTO {X} SELECT {an}, 1, {as} FROM {A}", "SELECT * FROM {X}"),
    ("INSERT INTO {X} (s1) SELECT {as} FROM {A} VERSION AS OF 'v1'", "SELECT * FROM {X}"),
    ("INSERT OVERWRITE {X} SELECT {an}, 1, {as} FROM {A}", "SELECT * FROM {X}"),
    (
        "MERGE INTO {X} x USING (SELECT DISTINCT {as} AS s FROM {A}) q ON x.s1 = q.s"
        " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (s1) VALUES (q.s)",
        "SELECT * FROM {X}",
    ),
    (
        "UPDATE {X} SET s1 = 'found' WHERE s1 IN (SELECT {as} FROM {A})",
        "SELECT * FROM {X}",
    ),
    ("DELETE FROM {X} WHERE k <= (SELECT count(*) FROM {A}) / 4", "SELECT * FROM {X}"),
    ("DELETE FROM {X} WHERE EXISTS (SELECT 1 FROM {A} WHERE {as} = s1)", "SELECT * FROM {X}"),
)
VIEWS = (
    "SELECT * FROM seen",
    "SELECT n, count(*) FROM seen_again GROUP BY n",
    "SELECT x.id FROM seen x WHERE x.s1 IN (SELECT s1 FROM seen_again)",
    "SELECT max(s1), min(s1), count(*) FROM seen",
    "SELECT x.id, y.n FROM t1 x JOIN seen_again y ON x.s1 = y.s1",
)

# Writes to a table that its writer sees in part. ``{T}`` is the table; ``{S}`` rows with all of its
# columns, some with ids that the table has; ``{v}`` and ``{u}`` a value, an expression for ``{c}``.
CHANGES = (
    "INSERT INTO {T} {rows}",
    "INSERT INTO {T} (id, k, s1) SELECT id, k, s1 FROM {S}",
    "INSERT INTO {T} BY NAME SELECT s1, * EXCEPT (s1, id), id + 100 AS id FROM {S}",
    "INSERT INTO {T} SELECT * FROM {T} WHERE {an} >= 1",
    "UPDATE {T} SET {c} = {v}",
    "UPDATE {T} AS t SET t.{c} = {u}, id = id + 100 WHERE t.{an} >= 1",
    "UPDATE {T} SET k = k + 1, s1 = concat(s1, k) WHERE {as} LIKE 'n%'",
    "UPDATE {T} SET k = coalesce({an}, 1), {c} = {v} WHERE 10 / {an} > 1",
    "UPDATE {T} SET {c} = {v} WHERE CAST({as} AS int) = 7",
    "UPDATE {T} SET k = 10 / k",
    "UPDATE {T} SET k = 10 / k WHERE {an} IN (SELECT {an} FROM {S} WHERE s.id > 3)",
    "UPDATE {T} AS t SET {c} = {v} WHERE EXISTS (SELECT 1 FROM {S} WHERE s.{u} = t.{c})",
    "DELETE FROM {T}",
    "DELETE FROM {T} WHERE {as} IS NOT NULL",
    "DELETE FROM {T} WHERE {c} NOT IN (SELECT {u} FROM {T} WHERE id > 3)",
    "DELETE FROM {T} WHERE ({as}, id) IN (SELECT {as}, id FROM {S}) OR {an} >= 1",
    "DELETE FROM {T} WHERE 10 / {an} > 1",
    "DELETE FROM {T} WHERE {as} = 'bob' OR CAST({as} AS int) = 7",
    "MERGE INTO {T} AS t USING {S} ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
    " WHEN NOT MATCHED THEN INSERT *",
    "MERGE INTO {T} AS t USING {S} ON t.id = s.id WHEN MATCHED THEN DELETE"
    " WHEN NOT MATCHED BY SOURCE AND t.{an} >= 1 THEN UPDATE SET {c} = {v}",
    "MERGE INTO {T} AS t USING {S} ON t.{as} = s.{as} WHEN MATCHED AND s.id > 3 THEN DELETE"
    " WHEN MATCHED THEN UPDATE SET {c} = s.{c}",
    "MERGE INTO {T} AS t USING {S} ON t.id = s.id AND 10 / t.{an} > 1 WHEN MATCHED THEN DELETE"
    " WHEN NOT MATCHED AND s.{as} IS NULL THEN INSERT (id, s1) VALUES (s.id, 'bob')",
    "MERGE INTO {T} AS t USING {S} ON t.id = s.id WHEN MATCHED AND CAST(t.{as} AS int) = 7"
    " THEN UPDATE SET k = 10 / t.{an} WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "MERGE INTO {T} AS t USING {S} ON t.k = s.k AND t.{c} IS NOT NULL"
    " WHEN MATCHED THEN UPDATE SET s1 = concat(t.s1, s.s1), k = s.id",
    "MERGE INTO {T} AS t USING {S} ON t.k = s.k WHEN MATCHED THEN DELETE"
    " WHEN NOT MATCHED THEN INSERT *",
    "MERGE INTO {T} AS t USING (SELECT id + 20 AS id, k, s1 FROM {T}) AS s ON t.id = s.id"
    " WHEN NOT MATCHED THEN INSERT (id, k, s1) VALUES (s.id, s.k, s.s1)",
)
