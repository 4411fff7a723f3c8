-- Who sees some rows of a table, by filters alone, may write rows that these filters show: the table
-- gets a condition. All other writes are refused.

-- # A row that the filter shows
-- staff: filter dept = 'it'
INSERT INTO staff VALUES (5, 'it', 1, NULL, NULL)
-- =>
INSERT INTO lake.pairs.staff SELECT CASE WHEN (SELECT ((dept = 'it')) FROM (SELECT
CAST(__sqe.__sqe_2 AS string) AS dept) AS staff) THEN __sqe_1 ELSE
raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you may
see. Nothing was written.') END, __sqe_2, __sqe_3, __sqe_4, __sqe_5 FROM (VALUES (5, 'it', 1,
NULL, NULL)) AS __sqe(__sqe_1, __sqe_2, __sqe_3, __sqe_4, __sqe_5)
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25
-- 5, it, 1.00, NULL, NULL

-- # With a mask there is no writing
-- staff: filter dept = 'it'
-- staff: mask mail null
INSERT INTO staff VALUES (5, 'it', 1, NULL, NULL)
-- refused ACCESS_DENIED

-- # Nor with a hidden column
-- staff: hide mail
DELETE FROM staff WHERE id = 1
-- refused ACCESS_DENIED

-- # Nor as a whole
-- staff: filter dept = 'it'
INSERT OVERWRITE staff SELECT * FROM staff
-- refused ACCESS_DENIED
