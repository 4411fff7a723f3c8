-- A column that is named with schema or catalog follows what its relation is called now.

-- # With schema, and with catalog
SELECT pairs.emp.id, lake.pairs.emp.dept FROM emp WHERE pairs.emp.id = 1
-- =>
SELECT pairs.emp.id, lake.pairs.emp.dept FROM lake.pairs.emp WHERE pairs.emp.id = 1
-- rows
-- 1, it

-- # Of a guard only the last part is left
-- emp: filter dept = 'it'
SELECT pairs.emp.id FROM pairs.emp ORDER BY lake.pairs.emp.id
-- =>
SELECT emp.id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE
((dept = 'it'))) AS sqe_guard) AS emp ORDER BY emp.id
-- rows
-- 1
-- 3

-- # Of a view, too
SELECT pairs.plain.id FROM plain WHERE lake.pairs.plain.id = 4
-- =>
SELECT plain.id FROM (SELECT id, dept FROM (SELECT id, dept FROM lake.pairs.emp)) AS plain WHERE
plain.id = 4
-- rows
-- 4
