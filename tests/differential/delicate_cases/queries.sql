-- Queries, one a line.
SELECT * FROM tame
SELECT * FROM numbers
SELECT * FROM texts
SELECT * FROM times
SELECT * FROM nested
SELECT * FROM nobody
SELECT count(*), sum(i), max(s) FROM nobody
SELECT k, count(*) FROM nobody GROUP BY k
SELECT TaMe.I, K AS `odd name` FROM TAME
SELECT DISTINCT db FROM numbers
SELECT db, count(*) FROM numbers GROUP BY db
SELECT a.id, b.id FROM numbers a JOIN numbers b ON a.db = b.db
SELECT a.id, b.id FROM numbers a JOIN numbers b ON a.i = b.d5
SELECT a.id, b.id FROM numbers a JOIN numbers b ON a.f = b.db
SELECT id, s FROM tame ORDER BY s
SELECT id FROM tame ORDER BY s DESC, id LIMIT 5
SELECT id FROM texts ORDER BY s, id
SELECT id FROM numbers ORDER BY db, id
SELECT id FROM numbers ORDER BY f DESC NULLS FIRST, id
SELECT id FROM texts ORDER BY bin, id
SELECT id FROM nested ORDER BY ai, id
SELECT i AS x FROM tame ORDER BY i + 1, id
SELECT k, sum(d2), avg(d2), avg(i), sum(ti), avg(f) FROM tame GROUP BY k
SELECT sum(d4 * d2), avg(d4 / 3) FROM tame
SELECT avg(d18), sum(d5), avg(d5) FROM numbers
SELECT min(db), max(db), min(f), max(f) FROM numbers
SELECT min(b), max(b) FROM numbers
SELECT min(s), max(s), min(bin) FROM texts
SELECT min(dt), max(ts), min(ntz) FROM times
SELECT count(DISTINCT k), count(DISTINCT k, g), sum(DISTINCT i) FROM tame
SELECT count(k, g), count(1), count(NULL) FROM tame
SELECT sum(NULL), avg(NULL)
SELECT stddev(i), var_pop(db), stddev_samp(1) FROM tame
SELECT any_value(1), first(2)
SELECT k, g, count(*) FROM tame GROUP BY ROLLUP (k, g)
SELECT k, g, grouping(k), grouping_id(), sum(i) FROM tame GROUP BY CUBE (k, g)
SELECT k, g, count(*) FROM tame GROUP BY GROUPING SETS ((k), (g), ())
SELECT k + 1 AS k, count(*) FROM tame GROUP BY k + 1
SELECT k, count(*) c FROM tame GROUP BY ALL
SELECT k AS g, count(*) FROM tame GROUP BY g
SELECT i % 2 AS p, sum(i) FROM tame GROUP BY p
SELECT k, sum(i) FROM tame GROUP BY 1 HAVING sum(i) > 2 ORDER BY 2 DESC, 1
SELECT max(i) FROM tame HAVING count(*) > 100
SELECT 1 FROM tame HAVING true
SELECT * FROM tame JOIN dim USING (k)
SELECT * FROM tame NATURAL JOIN dim
SELECT * FROM tame t LEFT JOIN dim d ON t.k = d.k AND d.weight > 1
SELECT * FROM tame t RIGHT JOIN dim d USING (k)
SELECT * FROM tame t FULL JOIN dim d USING (k)
SELECT t.id, d.k FROM tame t FULL JOIN dim d ON t.k = d.k
SELECT count(*) FROM tame, dim
SELECT t.id FROM tame t LEFT SEMI JOIN dim d ON t.k = d.k
SELECT id FROM tame WHERE k IN (SELECT k FROM dim)
SELECT id FROM tame WHERE k NOT IN (SELECT k FROM dim)
SELECT k FROM dim WHERE k NOT IN (SELECT k FROM tame)
SELECT id FROM tame t WHERE EXISTS (SELECT 1 FROM dim d WHERE d.k = t.k AND d.weight > t.i)
SELECT id, (SELECT max(label) FROM dim d WHERE d.k = t.k) AS m FROM tame t
SELECT id, (SELECT count(*) FROM dim d WHERE d.k = t.k) AS m FROM tame t
SELECT id FROM tame t WHERE i > (SELECT avg(i) FROM tame u WHERE u.k = t.k)
SELECT (k, g) IN (SELECT a, b FROM dup) AS x FROM tame
SELECT id FROM tame WHERE (k, g) IN (SELECT a, b FROM dup)
SELECT a, b FROM dup UNION SELECT a, b FROM dup
SELECT a FROM dup UNION ALL SELECT k FROM dim
SELECT a, b FROM dup INTERSECT ALL SELECT a, b FROM dup
SELECT a FROM dup EXCEPT SELECT k FROM dim
SELECT a, b FROM dup EXCEPT ALL SELECT 1, 'x'
SELECT a FROM dup MINUS SELECT 1
SELECT i FROM tame UNION SELECT bi FROM tame
SELECT i FROM tame UNION ALL SELECT d2 FROM tame
SELECT i FROM tame UNION SELECT db FROM tame
SELECT NULL UNION ALL SELECT i FROM tame
SELECT db FROM numbers UNION SELECT db FROM numbers
SELECT 1 UNION SELECT 1.0 ORDER BY 1
WITH w AS (SELECT k, sum(i) s FROM tame GROUP BY k) SELECT a.k, b.s FROM w a JOIN w b ON a.k = b.k
WITH tame AS (SELECT 1 AS id) SELECT * FROM tame
WITH a AS (SELECT 1 x), b AS (SELECT x + 1 y FROM a) SELECT * FROM a, b
SELECT id, row_number() OVER (ORDER BY s, id) FROM tame
SELECT id, rank() OVER (PARTITION BY k ORDER BY i) r FROM tame
SELECT id, sum(i) OVER (PARTITION BY k) s FROM tame
SELECT id, sum(i) OVER (ORDER BY i) s FROM tame
SELECT id, avg(d2) OVER (PARTITION BY g ORDER BY id ROWS 1 PRECEDING) s FROM tame
SELECT id, lag(i, 1, -1) OVER (ORDER BY id), lead(s) OVER (ORDER BY id DESC) FROM tame
SELECT id, first_value(s) OVER (PARTITION BY k ORDER BY id), last_value(i) OVER (ORDER BY id) FROM tame
SELECT id, ntile(3) OVER (ORDER BY id), cume_dist() OVER (ORDER BY i) FROM tame
SELECT id, sum(i) OVER (ORDER BY i RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) s FROM tame
SELECT id, dense_rank() OVER (ORDER BY db DESC) FROM numbers
SELECT k, sum(sum(i)) OVER (ORDER BY k) FROM tame GROUP BY k
SELECT id, count(*) OVER w FROM tame WINDOW w AS (PARTITION BY b)
SELECT 1
SELECT 1 AS a, 'x' AS b
SELECT * FROM VALUES (1, 'a'), (2, NULL) AS v(x, y)
SELECT id AS id, id AS id FROM one
SELECT t.* FROM one t, dim
SELECT count(*) FROM tame WHERE s = 'pear' OR NULL
SELECT id FROM tame WHERE b
SELECT id FROM tame WHERE NOT b
SELECT id FROM tame LIMIT 0
SELECT id FROM tame ORDER BY id LIMIT 3 OFFSET 2
SELECT id FROM tame ORDER BY id LIMIT ALL
SELECT x FROM (SELECT id AS x FROM tame ORDER BY id LIMIT 2) q
SELECT q.x FROM (SELECT 1 AS x) q
SELECT explode(ai) FROM nested
SELECT id, e FROM nested LATERAL VIEW explode(ai) v AS e
SELECT id FROM tame WHERE dt > '2020-01-01'
SELECT id FROM tame WHERE ts >= DATE'2020-01-31'
SELECT id FROM tame WHERE i > '3'
SELECT id FROM tame WHERE i IN ('1', 2)
SELECT id, i FROM tame WHERE i = 2.0
SELECT sum(i) FILTER (WHERE b), count(*) FILTER (WHERE NOT b) FROM tame
SELECT DISTINCT k, g FROM tame ORDER BY g, k
SELECT k, max_by(id, i + id / 100.0) FROM tame WHERE i IS NOT NULL GROUP BY k
SELECT count(*) FROM numbers TABLESAMPLE (100 PERCENT)
SELECT id FROM texts WHERE s NOT LIKE 'H%'
SELECT id FROM texts WHERE s NOT ILIKE 'h%'
SELECT id FROM texts WHERE s NOT RLIKE '^[A-Z]'
SELECT id FROM tame WHERE i NOT BETWEEN 1 AND 5
SELECT min(g NOT LIKE '%') AS x FROM tame GROUP BY ti
SELECT DISTINCT concat('a', cast(NULL AS string), ' ') AS x FROM nested
SELECT id, i FROM tame WHERE NOT (i > 2 AND b)
SELECT day FROM evo_part t WHERE NOT EXISTS (SELECT 1 FROM dup d WHERE d.b = t.name)
-- Scopes and names.
SELECT i + 1 AS a, a + 1 AS b FROM tame
SELECT k AS id, id AS k FROM tame ORDER BY id, k
SELECT i AS x, x FROM (SELECT i, k AS x FROM tame) q
SELECT t.id FROM tame t WHERE t.k = (SELECT min(k) FROM dim WHERE k > 1)
SELECT * FROM (SELECT k, count(*) FROM tame GROUP BY k) q
SELECT q.* FROM (SELECT k AS a, g AS A1 FROM tame) AS q(x, y)
SELECT tame.* FROM tame JOIN dim ON tame.k = dim.k
SELECT k, t.k, d.k FROM tame t LEFT JOIN dim d USING (k)
SELECT k, t.k, d.k FROM tame t FULL JOIN dim d USING (k)
SELECT k, count(*) FROM tame t RIGHT JOIN dim d USING (k) GROUP BY k
SELECT * FROM dim a NATURAL LEFT JOIN dim b
SELECT * FROM evo_cow a JOIN evo_mor2 b USING (id, k)
SELECT `odd name` FROM (SELECT i AS `odd name` FROM tame) WHERE `odd name` > 2
SELECT sum(i) AS i, max(i) FROM tame
SELECT k AS i, sum(i) AS s FROM tame GROUP BY k HAVING s > 2
SELECT max(k) AS k FROM tame GROUP BY g HAVING k > 1
SELECT id AS x FROM tame WHERE id > 3 ORDER BY x DESC, id
SELECT id FROM tame t WHERE t.i = (SELECT max(i) FROM tame WHERE k = t.k)
WITH w AS (SELECT 1 AS x) SELECT * FROM (WITH w AS (SELECT 2 AS x) SELECT * FROM w) q, w
WITH w(a, b) AS (SELECT k, sum(i) FROM tame GROUP BY k) SELECT b, a FROM w WHERE a IS NOT NULL
WITH w AS (SELECT * FROM tame), v AS (SELECT * FROM w WHERE i > 1) SELECT count(*) FROM v JOIN w USING (id)
-- Groups.
SELECT 'x' AS c, count(*) FROM tame GROUP BY 'x'
SELECT 'x' AS c, count(*) FROM nobody GROUP BY 'x'
SELECT count(*) FROM nobody HAVING count(*) = 0
SELECT sum(i) FROM tame WHERE false
SELECT k, g FROM tame GROUP BY g, k HAVING max(i) > 2
SELECT k, count(*) FROM tame GROUP BY GROUPING SETS ((k), (k), ())
SELECT k, g, b, count(*) FROM tame GROUP BY k, ROLLUP (g, b)
SELECT k, g, sum(i) FROM tame GROUP BY CUBE (k, g) HAVING grouping(k) = 1
SELECT k + 1, sum(i) + 1, sum(i) / count(*) FROM tame GROUP BY k + 1
SELECT upper(g), upper(g) || 'x', count(*) FROM tame GROUP BY upper(g)
SELECT CASE WHEN k > 1 THEN 'a' ELSE 'b' END AS c, count(*) FROM tame GROUP BY CASE WHEN k > 1 THEN 'a' ELSE 'b' END
SELECT count(DISTINCT db), count(DISTINCT f) FROM numbers
SELECT f, count(*) FROM numbers GROUP BY f
SELECT DISTINCT f, db FROM evo_float
SELECT db, count(*) FROM evo_float GROUP BY db
SELECT min(db), max(db), min(f), max(f), count(db) FROM evo_float
SELECT sum(d5), avg(d18), min(d38), max(d3838) FROM numbers
SELECT avg(d2), avg(DISTINCT d2), sum(DISTINCT d2) FROM tame
SELECT sum(ti), sum(si), avg(ti), sum(f) FROM tame
SELECT k, sum(i) FILTER (WHERE i > 1) AS s FROM tame GROUP BY k HAVING count(*) FILTER (WHERE b) > 0
-- Joins.
SELECT a.id, b.id FROM evo_float a JOIN evo_float b ON a.db = b.f
SELECT a.id, b.id FROM evo_float a JOIN evo_float b ON a.db < b.db
SELECT a.a, b.a FROM dup a FULL JOIN dup b ON a.a <=> b.a AND a.b = b.b
SELECT a.id, b.k FROM tame a JOIN dim b ON a.k = b.k OR a.i = b.k
SELECT a.id FROM tame a LEFT ANTI JOIN dim b ON a.k = b.k
SELECT a.id FROM tame a LEFT ANTI JOIN nobody b ON a.k = b.k
SELECT a.id, b.id FROM tame a LEFT JOIN nobody b ON true
SELECT a.id, b.label, c.a FROM tame a LEFT JOIN dim b ON a.k = b.k LEFT JOIN dup c ON b.k = c.a WHERE c.a IS NULL OR c.a > 1
SELECT a.id FROM tame a JOIN tame b ON a.d2 = b.i
SELECT a.id FROM tame a JOIN texts b ON a.s = b.s
SELECT a.id, b.id FROM times a JOIN times b ON a.ts = b.ntz
SELECT a.id FROM times a JOIN tame b ON a.dt = b.ts
-- Subqueries.
SELECT k FROM dim WHERE k NOT IN (SELECT a FROM dup WHERE a IS NOT NULL)
SELECT k FROM dim WHERE k NOT IN (SELECT a FROM dup WHERE false)
SELECT id FROM tame WHERE NULL IN (SELECT k FROM dim)
SELECT id FROM tame WHERE NOT (k IN (SELECT k FROM dim) OR i > 5)
SELECT id FROM tame WHERE k IN (SELECT k FROM dim) OR i > 5
SELECT id FROM tame t WHERE i > ALL (SELECT k FROM dim)
SELECT id FROM tame t WHERE EXISTS (SELECT * FROM dim WHERE false)
SELECT id FROM tame t WHERE NOT EXISTS (SELECT 1 FROM dup d WHERE d.a = t.k AND d.b = t.g)
SELECT id, (SELECT sum(weight) FROM dim d WHERE d.k = t.k) AS w FROM tame t ORDER BY id
SELECT id, coalesce((SELECT count(*) FROM dup d WHERE d.a = t.k), -1) AS n FROM tame t
SELECT (SELECT max(i) FROM tame) - i AS x FROM tame
SELECT id FROM tame WHERE i = (SELECT k FROM dim WHERE false)
SELECT id FROM tame t WHERE k IN (SELECT a FROM dup d WHERE d.b = t.g)
SELECT id FROM tame WHERE d2 IN (SELECT i FROM tame)
SELECT id FROM tame WHERE i IN (SELECT d2 FROM tame)
SELECT id FROM evo_float WHERE db IN (SELECT db FROM evo_float WHERE id > 4)
SELECT id FROM evo_float WHERE db NOT IN (SELECT db FROM evo_float WHERE id IN (2, 6))
SELECT k, max(i) FROM tame GROUP BY k HAVING max(i) > (SELECT avg(i) FROM tame)
-- Set operations.
SELECT db FROM evo_float INTERSECT SELECT f FROM evo_float
SELECT db FROM evo_float EXCEPT SELECT 0.0D
SELECT a, b FROM dup EXCEPT SELECT NULL, NULL
SELECT a, b FROM dup INTERSECT SELECT NULL, NULL
SELECT a FROM dup UNION SELECT k FROM dim INTERSECT SELECT 1
(SELECT a FROM dup UNION ALL SELECT k FROM dim) EXCEPT ALL SELECT 1
(SELECT id FROM tame ORDER BY id LIMIT 2) UNION ALL (SELECT k FROM dim ORDER BY k DESC LIMIT 1)
SELECT 1 AS a UNION ALL SELECT NULL UNION ALL SELECT 2.5
SELECT dt FROM times UNION SELECT ts FROM times
SELECT d2 FROM tame UNION ALL SELECT d4 FROM tame
SELECT d38 FROM numbers UNION ALL SELECT d18 FROM numbers
SELECT 'a' UNION ALL SELECT g FROM tame ORDER BY 1
-- Orders and limits.
SELECT id FROM tame ORDER BY k DESC NULLS LAST, i ASC NULLS LAST, id
SELECT db FROM evo_float ORDER BY db, id
SELECT id FROM evo_float ORDER BY db DESC, id
SELECT id FROM evo_float ORDER BY f NULLS LAST, id
SELECT id FROM tame ORDER BY b, lower(s), id
SELECT id FROM tame ORDER BY length(s) DESC, id LIMIT 4
SELECT k, sum(i) AS s FROM tame GROUP BY k ORDER BY sum(i) DESC, k
SELECT k FROM tame GROUP BY k ORDER BY count(*), k
SELECT DISTINCT k + 1 AS x FROM tame ORDER BY x
SELECT id FROM tame ORDER BY id OFFSET 9
SELECT id FROM tame ORDER BY id LIMIT 1 + 1
-- Windows.
SELECT id, sum(i) OVER (ORDER BY k) AS s FROM tame
SELECT id, first_value(i) OVER (PARTITION BY g ORDER BY id DESC) AS s FROM tame
SELECT id, sum(d2) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS s FROM tame
SELECT id, count(db) OVER (ORDER BY db) AS s FROM evo_float
SELECT id, rank() OVER (ORDER BY db DESC) AS r FROM evo_float
SELECT id, row_number() OVER (PARTITION BY db ORDER BY id) AS r FROM evo_float
SELECT id, min(i) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) AS s FROM tame
SELECT id, lag(id, 2, 0) OVER (PARTITION BY k ORDER BY id) AS s FROM tame
SELECT id, avg(i) OVER (PARTITION BY g) - i AS s FROM tame
SELECT k, rank() OVER (ORDER BY sum(i) DESC NULLS LAST) AS r FROM tame GROUP BY k
SELECT id, percent_rank() OVER (PARTITION BY k ORDER BY i) AS r, cume_dist() OVER (PARTITION BY k ORDER BY i) AS c FROM tame
SELECT id, count(DISTINCT i) OVER (PARTITION BY k) AS c FROM tame
SELECT id, sum(i) OVER (PARTITION BY k ORDER BY dt RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW) AS s FROM tame
-- Rows written out, and no table.
SELECT * FROM VALUES (1, 1.5, 'a'), (2L, 2, NULL) AS v(x, y, z)
VALUES (1, 'a'), (2, 'b')
SELECT 1 WHERE false
SELECT count(*)
SELECT NULL AS n
SELECT current_catalog() IS NULL AS x
SELECT 1 AS a, 1 AS A
TABLE dim
FROM dim SELECT k
SELECT cast(s as int), cast(s as bigint), cast(s as double), cast(s as decimal(10,2)) FROM texts WHERE id IN (13, 14)
SELECT cast(y as boolean), cast(x as boolean) FROM (SELECT ' Yes ' AS y, '0' AS x FROM one)
SELECT cast(s as date), to_date('2024-02-29') FROM texts WHERE id = 17
SELECT cast(x as timestamp), cast(x as timestamp_ntz) FROM (SELECT '1969-12-31 23:59:59.000001' AS x FROM one)
SELECT count(*) FROM times WHERE dt < current_date() AND ts < now() AND ts < current_timestamp - INTERVAL 1 DAY AND dt < curdate()
SELECT dateadd(dt, 3), dt + 3, 3 + dt, dt - 3, dt - INTERVAL '1' DAY, dt + INTERVAL 2 WEEKS, ts - INTERVAL -3 HOURS FROM tame
SELECT upper(s), lower(s), ucase(g), lcase(g), s ILIKE 'STRA%' FROM tame
SELECT substring(s, -3), substring(s, -3, 2), substring(s, n), substring(s, n, 2), left(s, -1), right(s, 2) FROM texts
SELECT sum(d2 * d4), avg(d2 * d4), sum(d2 * (1 - d2) * (1 + d2)), sum(d18 * 1.5) FROM tame CROSS JOIN (SELECT d18 FROM numbers WHERE id = 8)
SELECT d3810 / d3810, d3810 * d18, d38 * 0.5, d3810 + d38, d18 / d3810 FROM numbers WHERE id IN (5, 7)
SELECT trunc(dt, 'MM'), date_trunc('Quarter', ts), date_trunc('week', ntz), last_day(ts), weekday(dt), extract(DOW FROM ts) FROM times
SELECT id, lag(ts) OVER (ORDER BY id), lead(db, 2, 0D) OVER (ORDER BY id), ntile(5) OVER (ORDER BY id), percent_rank() OVER (ORDER BY db), cume_dist() OVER (ORDER BY f) FROM tame
SELECT count(DISTINCT k, g), count(k, g), count_if(b), every(b), some(b), any(b), bool_and(b) FILTER (WHERE id > 3), sum(i) FILTER (WHERE b) FROM tame
SELECT ts, ntz, ts < '2024-01-01', ntz >= dt, ts BETWEEN '2024-03-31 00:00:00' AND '2024-03-31 23:59:59.999999' FROM times
-- Spark expands rows for grouping sets, so nothing comes of nothing.
SELECT i, max(k) AS m FROM nobody GROUP BY CUBE (i, ts)
SELECT k, count(*) AS n FROM tame WHERE false GROUP BY GROUPING SETS ((k), ())
SELECT k, count(*) AS n FROM nobody GROUP BY ROLLUP (k)
SELECT count(*) AS n FROM nobody GROUP BY GROUPING SETS (())
SELECT count(*) AS n FROM tame GROUP BY GROUPING SETS (())
SELECT * EXCEPT (s, ts) FROM tame
SELECT t.* EXCEPT (k) FROM dim AS t
SELECT id FROM range(5)
SELECT id * 2 AS x FROM range(2, 20, 3)
SELECT k, g, count(*) AS n FROM tame GROUP BY k, g WITH ROLLUP
SELECT k, g, count(*) AS n FROM tame GROUP BY k, g WITH CUBE
SELECT k, i FROM tame ORDER BY ALL
SELECT * FROM evo_view
SELECT a.j, b.label FROM evo_view AS a JOIN dim AS b ON a.k = b.k WHERE a.j > 2
SELECT i FROM tame EXCEPT SELECT k FROM dim
SELECT a.id FROM tame AS a, dim AS b WHERE a.k = b.k
SELECT year(dt) AS y, count(*) AS n FROM tame GROUP BY year(dt)
-- Names, joins, grouping, sets and subqueries, as Spark resolves them.
SELECT * FROM VALUES (1, 'a'), (2, NULL) AS t(a, b)
VALUES (1, 2.5), (3, 4)
SELECT * FROM (VALUES (1), (2L)) t
SELECT * FROM range(5)
SELECT id, id * 2 AS d FROM range(1, 10, 3) r WHERE r.id > 1
SELECT * FROM range(10, 0, -3)
SELECT a, b, count(*) AS n FROM dup GROUP BY ALL
SELECT a, b FROM dup GROUP BY ALL
SELECT a, sum(c) AS s FROM dup GROUP BY a HAVING s > 1
SELECT a, sum(c) AS s FROM dup GROUP BY a HAVING sum(c) > 1
SELECT sum(c) AS s FROM dup HAVING sum(c) > 1
SELECT sum(c) AS s FROM dup HAVING s > 100
SELECT a, b, count(*) AS n FROM dup GROUP BY ROLLUP(a, b)
SELECT a, b, count(*) AS n, grouping(a) AS g FROM dup GROUP BY CUBE(a, b)
SELECT a, b, count(*) AS n FROM dup GROUP BY GROUPING SETS ((a, b), (a), ())
SELECT a, b, sum(a) AS n FROM dup GROUP BY GROUPING SETS ((a, b), (a))
SELECT a, b, count(*) AS n FROM dup GROUP BY a, ROLLUP(b)
SELECT a + 1 AS x, count(*) AS n FROM dup GROUP BY ROLLUP(a)
SELECT id, count(*) AS n FROM tame GROUP BY ROLLUP(id)
SELECT a, b FROM dup ORDER BY ALL DESC
SELECT sum(a) OVER w AS s, b FROM dup WINDOW w AS (PARTITION BY b)
SELECT id, rank() OVER w AS s FROM tame WINDOW w AS (ORDER BY id DESC)
SELECT * FROM dup JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT * FROM dup LEFT JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT * FROM dup RIGHT JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT * FROM dup FULL JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT a, dup.a AS da, d.a AS dd FROM dup FULL JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT dup.* FROM dup JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT d.* FROM dup JOIN (SELECT k AS a, label FROM dim) d USING (a)
SELECT * FROM dup NATURAL JOIN (SELECT k AS a, label FROM dim) d
SELECT * FROM dup NATURAL JOIN (SELECT k AS z FROM dim) d
SELECT * FROM one x JOIN one y USING (id) JOIN one z USING (id)
SELECT count(*) AS n FROM dup JOIN (SELECT CAST(k AS bigint) AS a FROM dim) d USING (a)
SELECT a FROM dup JOIN (SELECT CAST(k AS bigint) AS a FROM dim) d USING (a) WHERE a = 1
SELECT * FROM dup LEFT ANTI JOIN dim ON a = k
SELECT * FROM dup LEFT ANTI JOIN dim ON a = k AND a = 1
SELECT * FROM dup LEFT SEMI JOIN dim ON a < k AND b <> label
SELECT * FROM dup LEFT ANTI JOIN dim ON a < k
WITH c AS (SELECT * FROM dup) SELECT x.a, y.a FROM c x JOIN c y ON x.b = y.b WHERE x.a = 1 AND y.a = 2
SELECT * FROM (SELECT a FROM dup EXCEPT SELECT k FROM dim) x WHERE a IN (1, 2, 3)
WITH c(x, y) AS (SELECT a, b FROM dup) SELECT * FROM c WHERE x = 2
WITH c AS (SELECT 1 AS x) SELECT * FROM (WITH c AS (SELECT 2 AS x) SELECT * FROM c) z
WITH c AS (SELECT 1 AS x) SELECT (WITH c AS (SELECT 2 AS x) SELECT x FROM c) AS v, x FROM c
WITH c AS (WITH d AS (SELECT 5 AS v) SELECT * FROM d) SELECT * FROM c
SELECT a, b FROM dup EXCEPT ALL SELECT DISTINCT a, b FROM dup
SELECT id FROM tame INTERSECT SELECT k FROM dim
SELECT id FROM tame EXCEPT SELECT k FROM dim
SELECT a FROM dup WHERE a IN (SELECT k FROM dim)
SELECT a FROM dup WHERE a NOT IN (SELECT a FROM dup WHERE a IS NULL)
SELECT k FROM dim WHERE label NOT IN (SELECT b FROM dup WHERE b IS NOT NULL)
SELECT k FROM dim WHERE k NOT IN (SELECT id FROM nobody)
SELECT k FROM dim WHERE k IN (SELECT a FROM dup) OR label = 'six'
SELECT k FROM dim WHERE NOT (k IN (SELECT a FROM dup)) OR label = 'six'
SELECT k FROM dim WHERE EXISTS (SELECT 1 FROM dup WHERE a < k AND b = 'x')
SELECT k FROM dim WHERE EXISTS (SELECT 1 FROM dup WHERE a = dim.k OR b = label)
SELECT k, EXISTS (SELECT 1 FROM dup WHERE a = k) AS e FROM dim
SELECT k, (SELECT count(*) FROM dup WHERE a = k) AS n FROM dim
SELECT k, (SELECT count(*) + 1 FROM dup WHERE a < k) AS n FROM dim
SELECT k, (SELECT max(b) FROM dup WHERE a = k AND c > 0) AS n FROM dim WHERE k > 1
SELECT k FROM dim WHERE k = (SELECT max(a) FROM dup)
SELECT k FROM dim WHERE (SELECT count(*) FROM dup WHERE a = k) = 0
SELECT k FROM dim d WHERE k IN (SELECT a FROM dup WHERE b = d.label)
SELECT label, count(*) AS n, (SELECT count(*) FROM dup) AS m FROM dim GROUP BY label
SELECT label, count(*) AS n FROM dim GROUP BY label HAVING count(*) > (SELECT min(a) - 1 FROM dup)
SELECT k FROM dim WHERE k IN (SELECT CAST(a AS bigint) FROM dup)
SELECT k FROM dim WHERE k IN (SELECT c FROM dup)
SELECT db FROM numbers INTERSECT SELECT -db FROM numbers
SELECT d.* FROM dup JOIN (SELECT label, k AS a FROM dim) d USING (a)
SELECT x.*, d.* FROM (SELECT b, a FROM dup) x FULL JOIN (SELECT label, k AS a FROM dim) d USING (a)
SELECT x.*, d.* FROM (SELECT b, a FROM dup) x RIGHT JOIN (SELECT label, k AS a FROM dim) d USING (a)
SELECT a FROM dup JOIN (SELECT k AS a FROM dim) d USING (a) ORDER BY a
SELECT dup.a FROM dup JOIN (SELECT k AS a FROM dim) d USING (a) ORDER BY d.a
SELECT dup.a, count(*) AS n FROM dup FULL JOIN (SELECT k AS a FROM dim) d USING (a) GROUP BY dup.a
SELECT a FROM dup FULL JOIN (SELECT k AS a FROM dim) d USING (a) WHERE a = 6
SELECT a FROM dup LEFT JOIN (SELECT k AS a FROM dim) d USING (a) WHERE d.a IS NULL
SELECT a FROM dup RIGHT JOIN (SELECT k AS a FROM dim) d USING (a) WHERE a = 1
SELECT * FROM one x JOIN one y USING (id) FULL JOIN (SELECT k AS id FROM dim) z USING (id)
SELECT dup.*, 1 AS one FROM dup GROUP BY ALL
SELECT a, max(c) - min(c) AS spread FROM dup GROUP BY a HAVING spread > 0 OR a = 1
SELECT a AS z, max(c) AS m FROM dup GROUP BY a HAVING z = 1
SELECT a AS z, max(c) AS m FROM dup GROUP BY z HAVING a = 1
SELECT a + 1 AS x, count(*) AS n FROM dup GROUP BY a + 1 HAVING a + 1 > 2
SELECT a, count(*) AS n FROM dup GROUP BY a HAVING count(*) FILTER (WHERE b = 'x') > 0
SELECT a, b, sum(c) AS s, grouping(a) AS ga, grouping(b) AS gb FROM dup GROUP BY ROLLUP(a, b) HAVING grouping(b) = 1
SELECT a, b, sum(c) AS s FROM dup GROUP BY ROLLUP(a, b) HAVING a IS NOT NULL
SELECT a, b, sum(c) AS s FROM dup GROUP BY ROLLUP(a, b) ORDER BY grouping(a), a, b
SELECT a, b, sum(c) AS s FROM dup GROUP BY ROLLUP(a, b) ORDER BY a, b, s
SELECT a, count(*) AS n FROM dup GROUP BY GROUPING SETS (a, ())
SELECT a AS x, b AS y, count(*) AS n FROM dup GROUP BY ROLLUP(x, y)
SELECT a + 1 AS x, count(*) AS n FROM dup GROUP BY ROLLUP(a + 1)
SELECT coalesce(a, -1) AS z, count(*) AS n FROM dup GROUP BY ROLLUP(a)
SELECT count(*) AS n FROM dup GROUP BY ROLLUP(a)
WITH c AS (SELECT a FROM dup UNION SELECT k FROM dim) SELECT count(*) AS n FROM c
WITH c AS (SELECT a FROM dup) (SELECT a FROM c) UNION ALL (SELECT a + 1 FROM c)
WITH c AS (SELECT a FROM dup) SELECT a FROM c UNION ALL SELECT a + 1 FROM c ORDER BY a
SELECT db FROM numbers INTERSECT ALL SELECT db FROM numbers
SELECT db FROM numbers EXCEPT ALL SELECT f FROM numbers
SELECT (SELECT max(id) FROM nobody) AS n
SELECT k, (SELECT count(*) FROM dup WHERE a = k AND b = 'x') + 1 AS n FROM dim
SELECT k, (SELECT sum(a) + count(*) FROM dup WHERE a = k) AS n FROM dim
SELECT k FROM dim WHERE (SELECT count(*) FROM dup WHERE a = k AND c > k) = 0 OR k = 1
SELECT k FROM dim x WHERE k = (SELECT max(y.k) FROM dim y WHERE y.k <= x.k)
SELECT k FROM dim x WHERE EXISTS (SELECT 1 FROM dim y LEFT JOIN dup z ON y.k = z.a WHERE y.k = x.k AND z.b IS NULL)
SELECT z.* FROM (SELECT 1 AS two, 2 AS a) z JOIN (SELECT b, a AS aa FROM dup) x ON true LEFT JOIN (SELECT label, k AS a FROM dim) d USING (a)
SELECT id FROM range(1) FULL JOIN range(2) USING (id)
SELECT id FROM range(3) RIGHT JOIN dim ON k = id
SELECT id, id AS id2 FROM range(3) WHERE id BETWEEN 1 AND 2
SELECT k, count(*) AS n FROM tame WHERE id > 1000 GROUP BY GROUPING SETS ((k), ())
SELECT k, count(*) AS n FROM tame WHERE false GROUP BY ROLLUP(k)
SELECT k, g, count(*) AS n FROM tame WHERE k = 1 AND (g = 'a' OR g = 'b') GROUP BY CUBE(k, g) HAVING grouping(k) = 0 OR grouping(g) = 0
SELECT date_part('year', dt), date_part('DOW', ts), date_format(dt, 'yyyy-MM'), date_format(ts, 'dd.MM.yyyy HH:mm:ss') FROM tame
SELECT id = '5', d2 > '1.5', f <> '0.25', id IN (1, '2'), id BETWEEN '1' AND '3' FROM tame
SELECT id, d38 = d3810 AS a, d38 < d3838 AS b, d18 > d3838 AS c FROM numbers
SELECT id, coalesce(d3838, d18) AS c FROM numbers
SELECT d3838 FROM numbers UNION ALL SELECT d18 FROM numbers
SELECT CAST(1.5 AS decimal(38,6)) = CAST(1.50000049 AS decimal(38,8)) AS x
SELECT * FROM one FULL JOIN (dup LEFT JOIN dim ON a = k) ON k = one.id WHERE label IS NULL
SELECT dup.a, dim.k, one.x FROM one LEFT JOIN (dup JOIN dim ON a = k) ON k = one.id
SELECT a + b, b, sum(c) FROM (VALUES (1, 1, 1), (2, 2, 2)) AS t(a, b, c) GROUP BY GROUPING SETS ((a + b), (b + a), (b))
SELECT a + b, b, sum(c) FROM (VALUES (1, 1, 1), (2, 2, 2)) AS t(a, b, c) GROUP BY GROUPING SETS ((a + b), (a + b), (b))
SELECT a + b, sum(c) FROM (VALUES (1, 1, 1), (2, 2, 2)) AS t(a, b, c) GROUP BY ROLLUP (a + b, b + a)
SELECT a + b, count(*) FROM (VALUES (1, 1, 1), (2, 2, 2)) AS t(a, b, c) GROUP BY a + b, ROLLUP (b + a)
SELECT k + i, k, count(*) FROM tame GROUP BY CUBE (k + i, k)
SELECT year(dt), month(dt), count(*) FROM tame GROUP BY ROLLUP (year(dt), month(dt))
SELECT year(dt), day(dt), count(*) FROM tame GROUP BY CUBE (year(dt), day(dt))
SELECT nvl(k, i) AS x, count(*) FROM tame GROUP BY GROUPING SETS ((nvl(k, i)), (coalesce(k, i)))
SELECT cast(1 as int) + cast(1 as decimal(3, 0)), cast(1 as decimal(10, 0)) / cast(1 as bigint)
SELECT sum(cast(1 as decimal(3, 0)) * cast(2 as int)) AS x
SELECT 1 AS x, cast(1 as decimal(3, 0)) + x AS y
SELECT 1 AS x, x, x + 1
SELECT 1 AS x, cast(x as string), X
SELECT 1 > 0.5, 1 > 0.00001, 0.5 >= 1, 0.5 < 1, 0.5 <= 1, 0.5 > 1, 1 >= 0.5, 1 < 0.5, 1 <= 0.5, 1 = 0.5
SELECT a > 0.5, a > 1.0, a > (0.5), a > -0.5, a >= -0.5, a > cast(0.5 as decimal(2, 1)), a BETWEEN 0.5 AND 1.5 FROM (VALUES (1)) AS t(a)
SELECT 0.0000000, -0.0000001, 0.00000012, 0.000000, 1.0000000000, 0.000001, -0.00000000
SELECT cast(0.0000001 as string)
SELECT a, (SELECT count(*) FROM dim WHERE k = a) FROM dup
SELECT a, 1 + (SELECT count(*) FROM dim WHERE k = a AND label = b) FROM dup
SELECT (SELECT count(*) FROM dim) FROM dup
SELECT a, EXISTS (SELECT 1 FROM dim WHERE k = a) FROM dup
SELECT k, sum(i) AS s, rank() OVER (ORDER BY sum(i)) AS r FROM tame GROUP BY k ORDER BY s, k + 1
SELECT k AS x, sum(i) AS s, rank() OVER (ORDER BY sum(i)) AS r FROM tame GROUP BY k ORDER BY k, x + r
SELECT (true IS NULL) :: string
SELECT 1 = 2 :: int, true AND false :: boolean
SELECT a, b, grouping(a) + grouping(b) AS h, rank() OVER (PARTITION BY grouping(a) ORDER BY sum(c)) AS r FROM (VALUES (1,1,1),(2,2,2)) AS t(a,b,c) GROUP BY ROLLUP (a, b) ORDER BY h DESC, CASE WHEN grouping(a) + grouping(b) = 0 THEN a END, r
SELECT db, grouping(db) AS g, count(*) AS n FROM numbers GROUP BY ROLLUP (db)
SELECT DISTINCT -0.0D AS x FROM numbers
SELECT try_cast(bi as tinyint) * cast(d38 as tinyint) AS x FROM numbers
SELECT count(DISTINCT 7) AS n FROM numbers
SELECT count(DISTINCT x) AS n FROM (SELECT 7 AS x FROM numbers)
SELECT min(7) AS a, max('x') AS b, count(7) AS c FROM numbers
SELECT s::string, i::bigint::decimal(20, 2) FROM tame
SELECT try_cast(bi as smallint) != 2S AS x, try_cast(bi as smallint) IN (2S, 3S) AS y FROM numbers
SELECT try_cast(bi as smallint) BETWEEN 2S AND 3S AS x, try_cast(i as tinyint) <=> 2Y AS y FROM numbers
SELECT id FROM numbers WHERE try_cast(d18 as decimal(4,2)) != 2.00
SELECT NULL AS n, id FROM texts
SELECT n, id FROM (SELECT NULL AS n, id FROM texts) AS x ORDER BY n, id
SELECT DISTINCT NULL AS n FROM texts
SELECT NULL AS n UNION ALL SELECT NULL
SELECT id FROM tame WHERE i > 3 OR CASE WHEN i IN (SELECT k FROM tame) THEN true WHEN i IS NULL THEN NULL ELSE false END
SELECT id, IF(i IN (SELECT k FROM tame), 1, 0) AS x FROM tame
SELECT k, transform(array(sum(d2)), v -> transform(array(count(d2)), w -> CAST(v AS DOUBLE) / w)[0])[0] AS x FROM tame GROUP BY k
SELECT k, transform(array(avg(i) OVER (PARTITION BY k)), v -> coalesce(v, 0))[0] AS x FROM tame
SELECT transform(array(i + 1), v -> v * v)[0] AS x, count(*) FROM tame GROUP BY transform(array(i + 1), v -> v * v)[0]
SELECT k FROM tame GROUP BY k HAVING transform(array(sum(i)), v -> v > 0)[0]
SELECT k, b, count(*) AS c FROM tame GROUP BY ROLLUP (k), CUBE (b)
SELECT k, b, g, count(*) AS c, grouping_id(k, b) AS x FROM tame GROUP BY g, ROLLUP (k), GROUPING SETS ((b), ())
SELECT k, b, grouping(k) AS x, grouping(b) AS y, sum(i) AS s FROM tame WHERE id > 100 GROUP BY ROLLUP (k), CUBE (b)
SELECT count(*) AS c FROM one GROUP BY GROUPING SETS ((), ())
SELECT k, count(*) AS c FROM tame GROUP BY GROUPING SETS ((k), (k), ())
SELECT i, x FROM tame AS o CROSS JOIN LATERAL (SELECT max(id) AS x FROM tame AS n WHERE n.k = o.k) AS l
SELECT o.id, l.s FROM tame AS o LEFT JOIN LATERAL (SELECT s FROM tame AS n WHERE n.id > o.i) AS l ON true
SELECT o.id, l.id FROM tame AS o LEFT JOIN LATERAL (SELECT id FROM tame AS n WHERE n.id = o.k LIMIT 1) AS l ON true
SELECT id, (SELECT x FROM (SELECT *, row_number() OVER (ORDER BY x, y) AS r FROM (SELECT n.i AS x, n.id AS y FROM tame AS n WHERE n.k = o.k) AS a) AS b WHERE r <= 1) AS x FROM tame AS o
SELECT * FROM posexplode(array(1, 2L, NULL)) AS e(p, c)
SELECT * FROM explode(array('a', 'b'))
SELECT o.id, e.p, e.c FROM tame AS o CROSS JOIN LATERAL posexplode(array(o.i, o.k, o.bi)) AS e(p, c)
SELECT o.id, e.c + 1 AS x, n.id AS y FROM tame AS o LEFT JOIN LATERAL explode(array(o.d2, o.i)) AS e(c) ON true JOIN tame AS n ON n.i = e.c
SELECT count(*) AS c, e.c AS x FROM tame AS o CROSS JOIN LATERAL explode(array(o.g, o.s)) AS e(c) GROUP BY e.c
SELECT 1 AS x FROM tame WHERE false HAVING count(*) >= 0
SELECT 1 AS x, 'a' AS y FROM tame HAVING count(*) > 100
SELECT NULL AS x FROM tame HAVING max(i) > 0
SELECT id, x FROM nested LATERAL VIEW explode(ai) v AS x
SELECT id, x FROM nested LATERAL VIEW OUTER explode(at) v AS x
SELECT id, p, x FROM nested LATERAL VIEW OUTER posexplode(ai) v AS p, x
SELECT n.id, v.* FROM nested AS n, LATERAL explode(n.ast) AS v(e)
SELECT n.id, v.e.y FROM nested AS n, LATERAL explode(n.ast) AS v(e)
SELECT n.id, v.p, v.x FROM nested AS n LEFT JOIN LATERAL posexplode(n.at) AS v(p, x) ON true
SELECT n.id, v.p, v.x FROM nested AS n CROSS JOIN LATERAL posexplode_outer(n.at) AS v(p, x)
SELECT n.id, v.x FROM nested AS n CROSS JOIN LATERAL explode_outer(n.ai) AS v(x)
SELECT * FROM explode(sequence(1, 4)) AS v(x)
SELECT * FROM posexplode(filter(array(3, 4, 5), x -> x > 3)) AS v(p, x)
SELECT v.x, count(*) FROM nested AS n, LATERAL explode(n.ai) AS v(x) GROUP BY v.x
SELECT n.id, (SELECT sum(v.x) FROM explode(sequence(1, 3)) AS v(x)) AS s FROM nested AS n
SELECT ai, count(*) FROM nested GROUP BY ai
SELECT st, count(*) FROM nested GROUP BY st
SELECT DISTINCT at FROM nested
SELECT DISTINCT st.b FROM nested
SELECT st.a, st.b FROM nested ORDER BY st.a, id
SELECT nested.st.a FROM nested
SELECT a.id, b.id FROM nested a JOIN nested b ON a.ai = b.ai
SELECT a.id, b.id FROM nested a JOIN nested b ON a.st.b = b.st.b
SELECT id FROM nested WHERE st.a = 1
SELECT id FROM nested WHERE st.a IS NULL
SELECT id FROM nested WHERE st IS NOT NULL AND size(ai) > 2
SELECT id FROM nested WHERE array_contains(ai, 3)
SELECT id FROM nested WHERE m['x'] = 1
SELECT ai FROM nested UNION SELECT array(1, 2, 3)
SELECT ai FROM nested EXCEPT SELECT array(1, 2, 3)
SELECT st FROM nested INTERSECT SELECT named_struct('a', 1, 'b', 'one')
SELECT count(ai), count(DISTINCT ai), count(st) FROM nested
SELECT size(collect_list(ai)), size(collect_set(st)) FROM nested
SELECT max(size(ai)), array_max(collect_list(id)) FROM nested
SELECT k, array_join(array_sort(collect_list(g)), ',') AS l FROM tame GROUP BY k
SELECT k, sort_array(collect_set(i)) AS l FROM tame GROUP BY k
SELECT k, size(collect_list(i) FILTER (WHERE b)) AS l FROM tame GROUP BY k
SELECT id, sort_array(collect_list(i) OVER (PARTITION BY k)) AS l FROM tame
SELECT size(collect_list(i)) FROM nobody
SELECT sort_array(collect_list(i)) FROM nobody
SELECT id, lag(ai) OVER (ORDER BY id) AS x FROM nested
SELECT id, first_value(st) OVER (ORDER BY id) AS x FROM nested
SELECT x.a FROM (SELECT named_struct('a', id, 'b', ai) AS x FROM nested) AS q
SELECT array(id, 2), named_struct('a', id) AS s FROM nested
SELECT (SELECT array(1, 2)) AS x
SELECT v.a FROM VALUES (array(1)), (array()), (NULL) AS v(a)
SELECT 1 FROM nobody GROUP BY 'x'
SELECT 2 AS x, k, grouping(2) AS g FROM tame GROUP BY GROUPING SETS ((2, k), (2), ())
SELECT count(*), 'x' FROM nobody GROUP BY 'x'
SELECT count(*), 1 AS one FROM tame GROUP BY 'x', true
SELECT sum(i) FROM tame GROUP BY 'x' HAVING sum(i) > 1000
SELECT id, nth_value(i, 2) OVER (PARTITION BY k ORDER BY id) AS x FROM tame
SELECT id, first_value(i) IGNORE NULLS OVER (ORDER BY id) AS x FROM tame
SELECT id, last_value(g) IGNORE NULLS OVER (ORDER BY id) AS x FROM tame
SELECT id, last_value(g) IGNORE NULLS OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS x FROM tame
SELECT * FROM tame a JOIN ((SELECT k, label FROM dim) b CROSS JOIN (SELECT 1 AS z) c) ON a.k = b.k
SELECT min(bin), max(bin), count(DISTINCT bin) FROM texts
SELECT bin, count(*) FROM texts GROUP BY bin
SELECT id, bin FROM texts WHERE bin > X'61'
SELECT id, var_pop(k) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS v FROM tame ORDER BY id
SELECT stddev_pop(x), stddev_samp(x), var_pop(x), var_samp(x) FROM (SELECT 0.1D + 0.2D AS x FROM range(1000))
SELECT id, var_pop(x) OVER (ORDER BY id ROWS BETWEEN 7 PRECEDING AND CURRENT ROW) AS v FROM (SELECT id, 1.1D AS x FROM tame) ORDER BY id
SELECT id % 3 AS k, stddev_pop(x), var_samp(x) FROM (SELECT id, -7.3D AS x FROM range(100)) GROUP BY id % 3
SELECT var_samp(x), var_pop(x), stddev(x) FROM (SELECT 5.5D AS x)
SELECT id FROM nested n WHERE (SELECT count(*) FROM tame WHERE n.m[tame.g] = 1) > 0
SELECT id FROM nested n WHERE EXISTS (SELECT 1 FROM tame WHERE n.m['x'] = tame.k)
