-- What an engine makes of the statement: names for values, or a count of the rows it changes.

-- # A name for a value
-- with: 1
SELECT id FROM emp WHERE -? < id AND id < 3
-- =>
SELECT id FROM lake.pairs.emp WHERE - :sqe_1 < id AND id < 3
-- rows
-- 1
-- 2

-- # The count of rows that a DELETE would remove
-- as: count
DELETE FROM staff WHERE dept = 'it'
-- =>
SELECT count(*) FROM lake.pairs.staff WHERE dept = 'it'

-- # The count of rows that an UPDATE would change, of those its user sees
-- staff: filter dept = 'it'
-- as: count
UPDATE staff SET pay = 0 WHERE id > 1
-- =>
SELECT count(*) FROM lake.pairs.staff WHERE ((dept = 'it')) AND (id > 1)
