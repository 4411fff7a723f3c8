-- Queries in Trino's SQL over the suite's tables: the digits of quotients and means.
SELECT avg(d5) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, avg(d5) OVER (PARTITION BY b) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, abs(d5), -d5 FROM numbers
SELECT id, try_cast(d5 AS double), d5 IS NULL FROM numbers
SELECT id, d5 / nullif(d5, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d5 / nullif(d18, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d5 / nullif(d38, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d5 / nullif(d3810, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d5 / nullif(d3838, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT sum(d5) / count(d5), sum(d5) / 7.0, 100.00 * sum(d5) / sum(d5) FROM numbers WHERE id NOT IN (2, 3)
SELECT avg(d18) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, avg(d18) OVER (PARTITION BY b) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, abs(d18), -d18 FROM numbers
SELECT id, try_cast(d18 AS double), d18 IS NULL FROM numbers
SELECT id, d18 / nullif(d5, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d18 / nullif(d18, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d18 / nullif(d38, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d18 / nullif(d3810, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d18 / nullif(d3838, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT sum(d18) / count(d18), sum(d18) / 7.0, 100.00 * sum(d18) / sum(d18) FROM numbers WHERE id NOT IN (2, 3)
SELECT avg(d38) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, avg(d38) OVER (PARTITION BY b) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, abs(d38), -d38 FROM numbers
SELECT id, try_cast(d38 AS double), d38 IS NULL FROM numbers
SELECT id, d38 / nullif(d5, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d38 / nullif(d18, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d38 / nullif(d38, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d38 / nullif(d3810, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d38 / nullif(d3838, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT sum(d38) / count(d38), sum(d38) / 7.0, 100.00 * sum(d38) / sum(d38) FROM numbers WHERE id NOT IN (2, 3)
SELECT avg(d3810) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, avg(d3810) OVER (PARTITION BY b) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, abs(d3810), -d3810 FROM numbers
SELECT id, try_cast(d3810 AS double), d3810 IS NULL FROM numbers
SELECT id, d3810 / nullif(d5, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3810 / nullif(d18, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3810 / nullif(d38, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3810 / nullif(d3810, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3810 / nullif(d3838, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT sum(d3810) / count(d3810), sum(d3810) / 7.0, 100.00 * sum(d3810) / sum(d3810) FROM numbers WHERE id NOT IN (2, 3)
SELECT avg(d3838) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, avg(d3838) OVER (PARTITION BY b) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, abs(d3838), -d3838 FROM numbers
SELECT id, try_cast(d3838 AS double), d3838 IS NULL FROM numbers
SELECT id, d3838 / nullif(d5, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3838 / nullif(d18, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3838 / nullif(d38, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3838 / nullif(d3810, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d3838 / nullif(d3838, 0) FROM numbers WHERE id NOT IN (2, 3)
SELECT sum(d3838) / count(d3838), sum(d3838) / 7.0, 100.00 * sum(d3838) / sum(d3838) FROM numbers WHERE id NOT IN (2, 3)
SELECT id, d5 / 0 FROM numbers
SELECT id, d5 / d18 FROM numbers
SELECT avg(d2), avg(d4), avg(i), avg(db), avg(f) FROM tame
SELECT k, avg(d2), avg(DISTINCT d2), sum(d2) / sum(d4) FROM tame GROUP BY k
SELECT k, avg(d2) FILTER (WHERE i > 2) FROM tame GROUP BY k
SELECT avg(d2) FROM tame WHERE id < 0
SELECT id, db / i, db / nullif(i, 0), f / db, i / db, db % i FROM tame
SELECT id, db / 0, -db / 0, 0 / db FROM numbers
SELECT id, CAST(d18 AS double), CAST(d5 AS bigint), CAST(d18 AS integer), CAST(db AS integer) FROM tame JOIN numbers USING (id) WHERE id = 1
SELECT id FROM tame WHERE b OR i IN (SELECT k FROM tame)
SELECT id, i IN (SELECT k FROM tame WHERE k IS NOT NULL), i NOT IN (SELECT k FROM tame) FROM tame
SELECT id, nullif(s, ''), coalesce(s, g), if(i > 2, 'a', 'b') FROM tame
