-- A view becomes its query, with the names and types that its columns had when it was made.

-- # A view is its query
SELECT id, dept FROM plain WHERE id < 3
-- =>
SELECT id, dept FROM (SELECT id, dept FROM (SELECT id, dept FROM lake.pairs.emp)) AS plain WHERE
id < 3
-- rows
-- 1, it
-- 2, hr

-- # Under an alias, twice
SELECT a.id, b.id FROM plain AS a JOIN plain b ON a.id + 1 = b.id
-- =>
SELECT a.id, b.id FROM (SELECT id, dept FROM (SELECT id, dept FROM lake.pairs.emp)) AS a JOIN
(SELECT id, dept FROM (SELECT id, dept FROM lake.pairs.emp)) b ON a.id + 1 = b.id
-- rows
-- 1, 2
-- 2, 3
-- 3, 4

-- # Read with the reader's rights: what they see of its table
-- emp: filter dept = 'it'
SELECT id FROM plain
-- =>
SELECT id FROM (SELECT id, dept FROM (SELECT id, dept FROM (SELECT * FROM (SELECT id, dept, pay,
mail, hired FROM lake.pairs.emp WHERE ((dept = 'it'))) AS sqe_guard) AS emp)) AS plain
-- rows
-- 1
-- 3

-- # Read with its owner's rights: the reader's do not count, and what it leaves out is guarded
-- emp: filter FALSE
SELECT id FROM lent
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept FROM (SELECT id, dept FROM (SELECT id, dept FROM
lake.pairs.emp WHERE id < 4)) AS lent WHERE ((TRUE))) AS sqe_guard) AS lent
-- rows
-- 1
-- 2
-- 3

-- # A rule on the view itself
-- plain: filter dept = 'hr'
SELECT id FROM plain
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept FROM (SELECT id, dept FROM (SELECT id, dept FROM
lake.pairs.emp)) AS plain WHERE ((dept = 'hr'))) AS sqe_guard) AS plain
-- rows
-- 2

-- # A name of its own inside a view is not the statement's
WITH emp AS (SELECT 9 AS id) SELECT count(*) FROM plain, emp
-- =>
WITH emp AS (SELECT 9 AS id) SELECT count(*) FROM (SELECT id, dept FROM (SELECT id, dept FROM
lake.pairs.emp)) AS plain, emp
-- rows
-- 4

-- # TABLE takes only a name
TABLE plain
-- =>
SELECT * FROM (SELECT id, dept FROM (SELECT id, dept FROM lake.pairs.emp)) AS plain
-- rows
-- 1, it
-- 2, hr
-- 3, it
-- 4, NULL
