-- Queries, one a line, each by itself: most fail in Spark on some row, and have to fail alike.
SELECT i + 1 FROM numbers
SELECT i - 2 FROM numbers
SELECT i * 2 FROM numbers
SELECT bi + 1 FROM numbers
SELECT bi * bi FROM numbers
SELECT -i FROM numbers
SELECT -ti FROM numbers
SELECT abs(i) FROM numbers
SELECT ti + 1Y FROM numbers
SELECT si * si FROM numbers
SELECT 1 / i FROM numbers
SELECT 1 / db FROM numbers
SELECT 1.0 / d5 FROM numbers
SELECT i % 0 FROM numbers
SELECT i % i FROM numbers
SELECT i div 0 FROM numbers
SELECT bi div -1 FROM numbers
SELECT 1 / 0
SELECT 1 % 0
SELECT 1.5 / 0
SELECT 1D / 0D
SELECT db % 0 FROM numbers
SELECT mod(i, 0) FROM numbers
SELECT pmod(i, 0) FROM numbers
SELECT d38 + d38 FROM numbers
SELECT d38 * 10 FROM numbers
SELECT d3810 * d3810 FROM numbers
SELECT d3838 + 1 FROM numbers
SELECT d38 - 1 FROM numbers
SELECT cast(s as int) FROM texts
SELECT cast(s as double) FROM texts
SELECT cast(s as date) FROM texts
SELECT cast(s as boolean) FROM texts
SELECT cast(s as decimal(10,2)) FROM texts
SELECT cast(s as timestamp) FROM texts
SELECT cast('x' as int)
SELECT cast('' as int)
SELECT cast('1.5' as int)
SELECT cast('300' as tinyint)
SELECT cast('99999999999' as int)
SELECT cast(bi as int) FROM numbers
SELECT cast(i as tinyint) FROM numbers
SELECT cast(db as int) FROM numbers
SELECT cast(db as bigint) FROM numbers
SELECT cast(f as smallint) FROM numbers
SELECT cast(d38 as bigint) FROM numbers
SELECT cast(d5 as tinyint) FROM numbers
SELECT cast(d18 as decimal(5,2)) FROM numbers
SELECT cast(db as decimal(5,2)) FROM numbers
SELECT cast(1000 as tinyint)
SELECT cast(double('NaN') as int)
SELECT ai[5] FROM nested
SELECT ai[-1] FROM nested
SELECT element_at(ai, 0) FROM nested
SELECT element_at(ai, 5) FROM nested
SELECT sum(bi) FROM numbers
SELECT sum(d38) FROM numbers
SELECT avg(d38) FROM numbers
SELECT avg(bi) FROM numbers
SELECT sum(i) FROM numbers
SELECT (SELECT id FROM tame)
SELECT * FROM tame WHERE i = 'x'
SELECT i + s FROM tame
SELECT dt + 1.5 FROM times
SELECT nosuch FROM tame
SELECT nosuch(i) FROM tame
SELECT k, count(*) FROM tame
SELECT i FROM tame GROUP BY k
SELECT sum(s) FROM tame
SELECT k FROM tame t, dim
SELECT 1 + true
SELECT 'a' + 1
SELECT DATE'2020-02-30'
SELECT abs('x')
SELECT i FROM tame UNION SELECT s FROM tame
SELECT i, k FROM tame UNION SELECT i FROM tame
SELECT make_date(2023, 2, 29)
SELECT to_date('nonsense')
SELECT date_add(dt, 'x') FROM times
SELECT count(*) FROM tame WHERE 1 / i > 0
SELECT i FROM tame ORDER BY 5
SELECT CASE WHEN i <> 0 THEN 1 / i ELSE 0 END FROM numbers
SELECT i FROM tame LIMIT -1
SELECT if(i = 0, 0, 10 % i) FROM numbers
SELECT coalesce(1, 1 / 0)
SELECT id FROM numbers WHERE i <> 0 AND 10 / i > 1
SELECT id FROM evo_branch VERSION AS OF 'nosuch'
SELECT id FROM evo_branch VERSION AS OF 1
SELECT id FROM evo_branch TIMESTAMP AS OF '1990-01-01'
SELECT k FROM tame t JOIN dim d ON t.k = d.k
SELECT id FROM tame JOIN dim USING (id)
SELECT id FROM tame WHERE i = (SELECT k FROM dim)
SELECT id FROM tame WHERE sum(i) > 1
SELECT id FROM tame GROUP BY id HAVING i > 1
SELECT sum(i) OVER (ORDER BY id) FROM tame WHERE sum(i) OVER () > 1
SELECT row_number() FROM tame
SELECT id, id AS x FROM tame ORDER BY nosuch
SELECT q.nosuch FROM (SELECT 1 AS x) q
SELECT x FROM (SELECT id AS x, k AS x FROM tame) q
WITH w AS (SELECT 1 AS x), w AS (SELECT 2 AS x) SELECT * FROM w
SELECT k FROM tame EXCEPT SELECT k, label FROM dim
SELECT upper(i, 2) FROM tame
SELECT length() FROM tame
SELECT CASE WHEN i THEN 1 END FROM tame
SELECT id FROM tame WHERE i
SELECT sum(i) FROM tame GROUP BY sum(i)
SELECT m = m FROM nested
SELECT DISTINCT m FROM nested
SELECT sum(d3810) FROM numbers
SELECT sum(d3838) FROM numbers
SELECT max(1 / i) FROM tame
SELECT avg(d3810) FROM numbers
-- What Spark refuses: no engine may answer.
SELECT b FROM dup GROUP BY a
SELECT a, count(*) FROM dup
SELECT sum(a) FROM dup WHERE sum(a) > 1
SELECT sum(count(*)) FROM dup GROUP BY a
SELECT a AS b, count(*) FROM dup GROUP BY b
SELECT a + count(*) AS x FROM dup GROUP BY ALL
SELECT a, sum(c) AS c FROM dup GROUP BY a ORDER BY sum(c)
SELECT a, sum(c) AS s FROM dup GROUP BY a HAVING b = 'x'
SELECT a, sum(c) AS s FROM dup GROUP BY a HAVING count(*) > 1 ORDER BY count(*) DESC, a
SELECT a FROM dup GROUP BY a ORDER BY b
SELECT a FROM dup ORDER BY count(*)
SELECT a, row_number() OVER (ORDER BY a, b, c) AS r FROM dup WHERE row_number() OVER (ORDER BY a) = 1
SELECT row_number() OVER (ORDER BY a) AS r, count(*) AS n FROM dup GROUP BY row_number() OVER (ORDER BY a)
SELECT a, sum(c) OVER () AS t FROM dup GROUP BY a
SELECT a, grouping(a) AS n FROM dup GROUP BY a
SELECT DISTINCT a FROM dup ORDER BY b
SELECT DISTINCT a + 1 AS x FROM dup ORDER BY a + 1
SELECT a AS x, b AS x FROM dup ORDER BY x
SELECT a FROM dup ORDER BY 2
SELECT a FROM dup ORDER BY -1
SELECT a FROM dup LIMIT -1
SELECT id FROM tame QUALIFY row_number() OVER (ORDER BY id) = 1
SELECT sum(a) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, b FROM dup WINDOW w AS (PARTITION BY b ORDER BY a)
SELECT * EXCEPT (zz) FROM dup
SELECT * FROM dup AS t(x, y)
WITH c AS (SELECT 1 AS x), c AS (SELECT 2 AS x) SELECT * FROM c
SELECT a FROM dup UNION SELECT b FROM dup
SELECT a FROM dup UNION ALL SELECT k FROM dim ORDER BY k
SELECT k, (SELECT b FROM dup WHERE a = k) AS n FROM dim
SELECT k FROM dim WHERE k = (SELECT a FROM dup)
SELECT (SELECT a FROM dup) AS x
SELECT (SELECT a FROM dup) AS x FROM nobody
SELECT id, (SELECT a FROM dup) AS x FROM nobody WHERE id > 5
SELECT k FROM dim d WHERE EXISTS (SELECT 1 FROM dup WHERE a = d.k AND EXISTS (SELECT 1 FROM one WHERE id = d.k))
SELECT label, count(*) AS n, (SELECT count(*) FROM dup WHERE b = label) AS m FROM dim GROUP BY label
SELECT k FROM dim HAVING count(*) > (SELECT 1)
SELECT dup.a FROM lake.d.dup AS z
SELECT id, (SELECT a FROM dup) AS x FROM tame WHERE id > 500
SELECT id, (SELECT a FROM dup) AS x FROM tame WHERE id % 100 = 77
SELECT id FROM tame WHERE id % 100 = 77 AND id = (SELECT a FROM dup)
SELECT id FROM tame WHERE id > 500 AND id = (SELECT a FROM dup)
SELECT id FROM nobody WHERE id = (SELECT a FROM dup)
SELECT a FROM dup GROUP BY 3
SELECT count(*) AS n FROM dup GROUP BY 1
SELECT max(a) AS a FROM dup GROUP BY c ORDER BY max(a), c
SELECT DISTINCT a AS z FROM dup ORDER BY a LIMIT 2
SELECT id FROM tame WHERE id IN (VALUES (1), (2))
SELECT k, (SELECT 5 FROM dup WHERE a = k) AS n FROM dim
SELECT k FROM dim x WHERE 1 = (SELECT count(*) FROM dup LEFT JOIN one ON a = one.id WHERE b = x.label)
SELECT a AS x, count(*) OVER (PARTITION BY x) AS n FROM dup
SELECT a, rank() OVER w AS s FROM dup WINDOW w AS (ORDER BY a) ORDER BY rank() OVER w, b
SELECT a FROM dup WHERE a IN ((SELECT k FROM dim))
SELECT FALSE IS NOT NULL :: string
SELECT TRUE IS NULL :: string
SELECT cast(1 as decimal(10, 0)) = true
SELECT false <=> cast(0 as decimal(10, 0))
SELECT d5 = b FROM numbers
SELECT * FROM dup GROUP BY a, b, 1
SELECT dup.* FROM dup GROUP BY 1, 2
SELECT int '1'
SELECT decimal '1.5'
SELECT sum(a) OVER () AS s FROM dup GROUP BY a, b ORDER BY sum(a), b
SELECT k, sum(i) AS s, rank() OVER (ORDER BY sum(i)) AS r FROM tame GROUP BY k ORDER BY r, sum(i)
SELECT k + 1 AS x, count(*) AS n, rank() OVER (ORDER BY count(*)) AS r FROM tame GROUP BY k + 1 ORDER BY k + 1
SELECT k, count(*) AS n FROM tame GROUP BY k ORDER BY rank() OVER (ORDER BY k)
SELECT cast(7 as int) % d5 FROM numbers
SELECT 'x'::int AS n FROM numbers
SELECT 0S = (si + 32767S) AS x FROM numbers
SELECT id FROM numbers WHERE i + 2147483647 = 5
SELECT id FROM numbers WHERE i * 2147483647 > 3
SELECT id FROM numbers WHERE bi - 9223372036854775807L BETWEEN 5 AND 6
SELECT id FROM numbers WHERE (i + 2147483647) * 1 < 5
SELECT x FROM (SELECT ti + 127Y AS x FROM numbers) WHERE x = 5Y
SELECT cast(bi as smallint) != 2S AS x FROM numbers
SELECT id FROM numbers WHERE cast(bi as smallint) BETWEEN 2S AND 3S
SELECT x FROM (SELECT cast(bi as int) AS x FROM numbers) WHERE x = 5
SELECT id FROM numbers WHERE cast(d18 as decimal(4,2)) = 2.00
SELECT sum(k) > 5 AS x FROM (VALUES (9223372036854775807L), (1L)) AS t(k)
SELECT count(*) AS n FROM (VALUES (9223372036854775807L), (1L)) AS t(k) HAVING sum(k) > 5
SELECT CAST(raise_error(concat('no ', 'more')) AS INT)
SELECT raise_error(s) FROM texts
SELECT raise_error(s) FROM texts WHERE s IS NULL AND s IS NOT NULL
SELECT IF(i > 5, CAST(raise_error('too large') AS INT), i) AS i FROM numbers
SELECT IF(i IS NULL AND i > 5, CAST(raise_error('never') AS INT), i) AS i FROM numbers
SELECT coalesce('a', raise_error('never')) AS first_one
SELECT sum(k) AS s FROM (VALUES (99999999999999999999999999999999999999BD), (1BD)) AS t(k)
SELECT sum(k) AS s FROM (VALUES (99999999999999999999999999999999999998BD), (1BD)) AS t(k)
SELECT d38 div 1BD AS x FROM numbers
SELECT d38 div d38 AS x FROM numbers
SELECT CAST(i AS DECIMAL(20,0)) div CAST(0 AS DECIMAL(20,0)) AS x FROM numbers
SELECT CAST(concat(CAST(i AS STRING), 'E-2') AS DECIMAL(5,2)) AS x FROM numbers
SELECT CAST(concat(CAST(bi AS STRING), 'E-20') AS DECIMAL(38,20)) AS x FROM numbers
