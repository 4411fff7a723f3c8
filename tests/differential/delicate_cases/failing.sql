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
