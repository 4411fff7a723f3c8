-- TABLESAMPLE (100 PERCENT) is a barrier: no optimizer moves a condition through it. It stays where
-- the statement could fail for a row that the user does not see, and so tell of it.

-- # Comparisons cannot fail: they may go below the guard
-- emp: filter dept = 'it'
SELECT id FROM emp WHERE pay > 150 AND mail IS NULL
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept
= 'it'))) AS sqe_guard) AS emp WHERE pay > 150 AND mail IS NULL
-- rows
-- 3

-- # A cast can: of the hidden row 2 it would fail
-- emp: filter dept = 'it'
SELECT id FROM emp WHERE CAST(replace(dept, 'it', '7') AS INT) = 7
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept
= 'it'))) TABLESAMPLE (100 PERCENT) AS sqe_guard) AS emp WHERE CAST(replace(dept, 'it', '7') AS
INT) = 7
-- rows
-- 1
-- 3

-- # What is shown is computed at the end, behind the guard
-- emp: filter dept = 'it'
SELECT CAST(replace(dept, 'it', '7') AS INT) AS n FROM emp
-- =>
SELECT CAST(replace(dept, 'it', '7') AS INT) AS n FROM (SELECT * FROM (SELECT id, dept, pay, mail,
hired FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) AS emp
-- rows
-- 7
-- 7

-- # A policy that can fail itself keeps the barrier
-- emp: filter CASE WHEN id = 2 THEN CAST(dept AS INT) > 0 ELSE dept = 'it' END
SELECT id FROM emp WHERE id <> 2
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((CASE
WHEN id = 2 THEN CAST(dept AS INT) > 0 ELSE dept = 'it' END))) TABLESAMPLE (100 PERCENT) AS
sqe_guard) AS emp WHERE id <> 2

-- # In a view that reads the table, too
-- emp: filter dept = 'it'
SELECT id FROM plain WHERE id > 1
-- =>
SELECT id FROM (SELECT id, dept FROM (SELECT id, dept FROM (SELECT * FROM (SELECT id, dept, pay,
mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) AS emp)) AS plain WHERE id >
1
-- rows
-- 3
