-- What a user sees in part becomes a view: its rows filtered by what is stored, then masks, without
-- the hidden columns. Whatever the statement does, it does to that view.

-- # A row filter
-- emp: filter dept = 'it'
SELECT id, pay FROM emp
-- =>
SELECT id, pay FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE
((dept = 'it'))) AS sqe_guard) AS emp
-- rows
-- 1, 100.00
-- 3, 300.00

-- # A filter that is NULL shows no row
-- emp: filter pay > 50
SELECT id FROM emp ORDER BY id
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((pay >
50))) AS sqe_guard) AS emp ORDER BY id
-- rows
-- 1
-- 2
-- 3

-- # Several filters all hold
-- emp: filter dept = 'it'
-- emp: filter pay > 150 OR pay < 0
SELECT id FROM emp
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept
= 'it') AND (pay > 150 OR pay < 0))) AS sqe_guard) AS emp
-- rows
-- 3

-- # A filter that reads another table, as which no policy counts
-- emp: filter dept IN (SELECT d FROM mine WHERE u = current_user())
-- mine: filter FALSE
SELECT id FROM emp
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept
IN (SELECT d FROM lake.pairs.mine WHERE u = 'bob')))) AS sqe_guard) AS emp
-- rows
-- 1
-- 3

-- # A hidden column is not there
-- emp: hide pay
-- emp: hide mail
SELECT * FROM emp WHERE id = 1
-- =>
SELECT * FROM (SELECT * FROM (SELECT id, dept, hired FROM lake.pairs.emp) AS sqe_guard) AS emp
WHERE id = 1
-- rows
-- 1, it, 2020-01-15

-- # Nor can it be named
-- emp: hide pay
SELECT pay FROM emp
-- refused COLUMN_NOT_FOUND

-- # A filter may use what is hidden
-- emp: filter pay >= 200
-- emp: hide pay
SELECT count(*) FROM emp
-- =>
SELECT count(*) FROM (SELECT * FROM (SELECT id, dept, mail, hired FROM lake.pairs.emp WHERE ((pay
>= 200))) AS sqe_guard) AS emp
-- rows
-- 2

-- # Masks come behind filters
-- emp: filter dept = 'it'
-- emp: mask dept constant nobody
SELECT id, dept FROM emp WHERE dept = 'nobody'
-- =>
SELECT id, dept FROM (SELECT * FROM (SELECT id, CAST('nobody' AS string) AS dept, pay, mail, hired
FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) AS emp WHERE dept = 'nobody'
-- rows
-- 1, nobody
-- 3, nobody

-- # A mask of NULL
-- emp: mask pay null
SELECT id, pay FROM emp WHERE pay IS NULL AND id < 3
-- =>
SELECT id, pay FROM (SELECT * FROM (SELECT id, dept, CAST(NULL AS decimal(10,2)) AS pay, mail,
hired FROM lake.pairs.emp) AS sqe_guard) AS emp WHERE pay IS NULL AND id < 3
-- rows
-- 1, NULL
-- 2, NULL

-- # A mask that shows the last characters
-- emp: mask mail partial 0 6 *
SELECT mail FROM emp
-- =>
SELECT mail FROM (SELECT * FROM (SELECT id, dept, pay, CAST(CASE WHEN length(mail) > 6 THEN
concat(repeat('*', length(mail) - 6), right(mail, 6)) ELSE repeat('*', length(mail)) END AS
string) AS mail, hired FROM lake.pairs.emp) AS sqe_guard) AS emp
-- rows
-- ***@x.org
-- ***@x.org
-- ***@x.org
-- NULL

-- # A mask that shows the beginning of a time
-- emp: mask hired truncate year
SELECT hired FROM emp WHERE id <= 3
-- =>
SELECT hired FROM (SELECT * FROM (SELECT id, dept, pay, mail, CAST(trunc(hired, 'year') AS date)
AS hired FROM lake.pairs.emp) AS sqe_guard) AS emp WHERE id <= 3
-- rows
-- 2020-01-01
-- 2021-01-01
-- NULL

-- # A mask that shows the bucket of a number
-- emp: mask id bucket 2
SELECT id FROM emp
-- =>
SELECT id FROM (SELECT * FROM (SELECT CAST(try_cast(CAST(id AS decimal(20,0)) - pmod(CAST(id AS
bigint), 2L) AS int) AS int) AS id, dept, pay, mail, hired FROM lake.pairs.emp) AS sqe_guard) AS
emp
-- rows
-- 0
-- 2
-- 2
-- 4

-- # A mask of a regular expression
-- emp: mask mail regex [a-z]+@ who@
SELECT mail FROM emp WHERE id < 3
-- =>
SELECT mail FROM (SELECT * FROM (SELECT id, dept, pay, CAST(regexp_replace(mail, '[a-z]+@',
'who@') AS string) AS mail, hired FROM lake.pairs.emp) AS sqe_guard) AS emp WHERE id < 3
-- rows
-- who@x.org
-- who@x.org

-- # A mask of the policy's own SQL
-- emp: mask mail expression concat(dept, '@')
SELECT mail FROM emp
-- =>
SELECT mail FROM (SELECT * FROM (SELECT id, dept, pay, CAST((concat(dept, '@')) AS string) AS
mail, hired FROM lake.pairs.emp) AS sqe_guard) AS emp
-- rows
-- it@
-- hr@
-- it@
-- NULL

-- # In a subquery of WHERE
-- emp: filter dept = 'it'
SELECT d FROM mine WHERE d IN (SELECT dept FROM emp)
-- =>
SELECT d FROM lake.pairs.mine WHERE d IN (SELECT dept FROM (SELECT * FROM (SELECT id, dept, pay,
mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) AS emp)
-- rows
-- it

-- # In EXISTS, with a column of the query around it
-- emp: filter dept = 'it'
SELECT d FROM mine WHERE NOT EXISTS (SELECT 1 FROM emp AS e WHERE e.dept = mine.d)
-- =>
SELECT d FROM lake.pairs.mine WHERE NOT EXISTS (SELECT 1 FROM (SELECT * FROM (SELECT id, dept,
pay, mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) AS e WHERE e.dept =
mine.d)
-- rows
-- hr

-- # Where a value stands
-- emp: filter dept = 'it'
SELECT d, (SELECT max(id) FROM emp) AS last FROM mine
-- =>
SELECT d, (SELECT max(id) FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM
lake.pairs.emp WHERE ((dept = 'it'))) TABLESAMPLE (100 PERCENT) AS sqe_guard) AS emp) AS last FROM
lake.pairs.mine
-- rows
-- hr, 3
-- it, 3

-- # In HAVING, and in a set operation
-- emp: filter dept = 'it'
SELECT d FROM mine GROUP BY d HAVING count(*) < (SELECT count(*) FROM emp)
EXCEPT SELECT dept FROM emp
-- =>
SELECT d FROM lake.pairs.mine GROUP BY d HAVING count(*) < (SELECT count(*) FROM (SELECT * FROM
(SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) TABLESAMPLE (100
PERCENT) AS sqe_guard) AS emp) EXCEPT SELECT dept FROM (SELECT * FROM (SELECT id, dept, pay, mail,
hired FROM lake.pairs.emp WHERE ((dept = 'it'))) TABLESAMPLE (100 PERCENT) AS sqe_guard) AS emp
-- rows
-- hr

-- # In ON, and in ORDER BY
-- emp: filter dept = 'it'
SELECT a.d FROM mine AS a JOIN mine AS b ON a.d = b.d AND a.d IN (SELECT dept FROM emp)
ORDER BY (SELECT max(id) FROM emp)
-- =>
SELECT a.d FROM lake.pairs.mine AS a JOIN lake.pairs.mine AS b ON a.d = b.d AND a.d IN (SELECT
dept FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept =
'it'))) TABLESAMPLE (100 PERCENT) AS sqe_guard) AS emp) ORDER BY (SELECT max(id) FROM (SELECT *
FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) TABLESAMPLE
(100 PERCENT) AS sqe_guard) AS emp)
-- rows
-- it

-- # In a join, twice, under names of its own
-- emp: filter dept = 'it'
SELECT a.id, b.id FROM emp AS a JOIN emp b ON a.id < b.id
-- =>
SELECT a.id, b.id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE
((dept = 'it'))) AS sqe_guard) AS a JOIN (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM
lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) b ON a.id < b.id
-- rows
-- 1, 3

-- # In a lateral subquery
-- emp: filter dept = 'it'
SELECT d, n FROM mine, LATERAL (SELECT count(*) AS n FROM emp WHERE dept = d)
-- =>
SELECT d, n FROM lake.pairs.mine, LATERAL (SELECT count(*) AS n FROM (SELECT * FROM (SELECT id,
dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) TABLESAMPLE (100 PERCENT) AS
sqe_guard) AS emp WHERE dept = d)
-- rows
-- hr, 0
-- it, 2

-- # A common table expression hides the table of its name
-- emp: filter dept = 'it'
WITH emp AS (SELECT 9 AS id) SELECT id FROM emp
-- =>
WITH emp AS (SELECT 9 AS id) SELECT id FROM emp
-- rows
-- 9

-- # But not inside of itself, nor with its schema
-- emp: filter dept = 'it'
WITH emp AS (SELECT id FROM emp WHERE id > 1) SELECT emp.id, e.id FROM emp, pairs.emp AS e
-- =>
WITH emp AS (SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp
WHERE ((dept = 'it'))) AS sqe_guard) AS emp WHERE id > 1) SELECT emp.id, e.id FROM emp, (SELECT *
FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard)
AS e
-- rows
-- 3, 1
-- 3, 3

-- # Time travel is part of the guard
-- emp: filter dept = 'it'
SELECT id FROM emp VERSION AS OF 'first' AS old
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp VERSION AS OF
'first' WHERE ((dept = 'it'))) AS sqe_guard) AS old
-- rows
-- 1
-- 3

-- # Its files would tell of hidden rows
-- emp: filter dept = 'it'
SELECT * FROM emp.files
-- refused ACCESS_DENIED

-- # Names in back quotes, and columns that are called as words of SQL
-- Odd_Name: filter `a b` = 1
SELECT `select`, `null` FROM `Odd Name`WHERE `Odd Name`.`a b` > 0
-- =>
SELECT `select`, `null` FROM (SELECT * FROM (SELECT `a b`, `select`, `null` FROM lake.pairs.`Odd
Name` WHERE ((`a b` = 1))) AS sqe_guard) AS `Odd Name` WHERE `Odd Name`.`a b` > 0
-- rows
-- x, n

-- # A policy that does not fit its table refuses the query
-- emp: mask pay partial 1 1 *
SELECT id FROM emp
-- refused ACCESS_DENIED
