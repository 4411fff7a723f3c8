-- Each ? gets a value of a type. Engines get values beside the text; the text has names for them.

-- # Values of their own types
-- with: 2, 'it'
SELECT id FROM emp WHERE id >= ? AND dept = ?
-- =>
SELECT id FROM lake.pairs.emp WHERE id >= :sqe_1 AND dept = :sqe_2
-- rows
-- 3

-- # In a guarded query
-- emp: filter dept = 'it'
-- with: 1
SELECT id FROM emp WHERE id > ?
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE ((dept
= 'it'))) TABLESAMPLE (100 PERCENT) AS sqe_guard) AS emp WHERE id > :sqe_1
-- rows
-- 3

-- # One value too few
-- with: 1
SELECT id FROM emp WHERE id > ? AND id < ?
-- refused INVALID_ARGUMENT
