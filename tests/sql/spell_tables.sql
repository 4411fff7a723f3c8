-- A table's name becomes the engine's name for it: for Spark a handle that only this query has. Here
-- that name is the full one.

-- # A name without its schema
SELECT id FROM emp WHERE emp.pay > 150
-- =>
SELECT id FROM lake.pairs.emp WHERE emp.pay > 150
-- rows
-- 2
-- 3

-- # All else in the text stays as it is
select /* emp */ 'emp' AS emp   FROM pairs.EMP  e where e.id = 1 -- emp
-- =>
select /* emp */ 'emp' AS emp FROM lake.pairs.emp e where e.id = 1
-- rows
-- emp

-- # A word may follow a name in back quotes at once
SELECT `a b` FROM `Odd Name`x
-- =>
SELECT `a b` FROM lake.pairs.`Odd Name` x
-- rows
-- 1
-- 2

-- # Time travel stays behind the name
SELECT count(*) FROM emp VERSION AS OF 'first'
-- =>
SELECT count(*) FROM lake.pairs.emp VERSION AS OF 'first'
-- rows
-- 4

-- # A metadata table is part of the name
SELECT count(*) > 0 FROM emp.snapshots
-- =>
SELECT count(*) > 0 FROM lake.pairs.emp.snapshots
-- rows
-- True

-- # A common table expression is no table
WITH t AS (SELECT 1 AS n) SELECT n FROM t
-- =>
WITH t AS (SELECT 1 AS n) SELECT n FROM t
-- rows
-- 1

-- # The table that is written, and those that are read
INSERT INTO staff SELECT id + 10, d, NULL, u, NULL FROM emp JOIN mine ON dept = d WHERE id = 1
-- =>
INSERT INTO lake.pairs.staff SELECT id + 10, d, NULL, u, NULL FROM lake.pairs.emp JOIN
lake.pairs.mine ON dept = d WHERE id = 1
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25
-- 11, it, NULL, bob, NULL

-- # A table that is about to be
CREATE TABLE more (id INT)
-- =>
CREATE TABLE lake.pairs.more (id INT)
