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
