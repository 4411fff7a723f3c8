-- A guard becomes a derived table with a name that nobody can guess ("sqe_guard" here). Keys of hash
-- masks never are part of a text: a marker stands for each.

-- # Under the name that the statement knows the table by
-- emp: filter dept = 'it'
SELECT emp.id FROM emp WHERE emp.id > 1
-- =>
SELECT emp.id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE
((dept = 'it'))) AS sqe_guard) AS emp WHERE emp.id > 1
-- rows
-- 3

-- # Under the statement's own alias
-- emp: filter dept = 'it'
SELECT e.id FROM lake.pairs.emp AS e
-- =>
SELECT e.id FROM (SELECT * FROM (SELECT id, dept, pay, mail, hired FROM lake.pairs.emp WHERE
((dept = 'it'))) AS sqe_guard) AS e
-- rows
-- 1
-- 3

-- # TABLE takes only a name
-- Odd_Name: filter `a b` = 1
TABLE `Odd Name`
-- =>
SELECT * FROM (SELECT * FROM (SELECT `a b`, `select`, `null` FROM lake.pairs.`Odd Name` WHERE ((`a
b` = 1))) AS sqe_guard) AS `Odd Name`
-- rows
-- 1, x, n

-- # Equal values have equal hashes, and NULL has none
-- emp: mask dept hash
SELECT count(*), count(DISTINCT dept), count(dept), max(length(dept)) FROM emp
-- =>
SELECT count(*), count(DISTINCT dept), count(dept), max(length(dept)) FROM (SELECT * FROM (SELECT
id, CAST(sha2(concat(:hash_key , sha2(concat(:hash_key , CAST(dept AS string)), 256)), 256) AS
string) AS dept, pay, mail, hired FROM lake.pairs.emp) AS sqe_guard) AS emp
-- rows
-- 4, 2, 3, 64

-- # Hashes of two columns can be compared
-- emp: mask dept hash
-- mine: mask d hash
SELECT id FROM emp JOIN mine ON dept = d
-- =>
SELECT id FROM (SELECT * FROM (SELECT id, CAST(sha2(concat(:hash_key , sha2(concat(:hash_key ,
CAST(dept AS string)), 256)), 256) AS string) AS dept, pay, mail, hired FROM lake.pairs.emp) AS
sqe_guard) AS emp JOIN (SELECT * FROM (SELECT CAST(sha2(concat(:hash_key , sha2(concat(:hash_key ,
CAST(d AS string)), 256)), 256) AS string) AS d, u FROM lake.pairs.mine) AS sqe_guard) AS mine ON
dept = d
-- rows
-- 1
-- 2
-- 3

-- # A type that has no hash
-- emp: mask hired hash
SELECT id FROM emp
-- refused ACCESS_DENIED
