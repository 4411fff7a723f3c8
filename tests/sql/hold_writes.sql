-- A checked write becomes one of rows that meet the condition. Where a row does
-- not, the statement fails and nothing is written.

-- # DELETE removes rows that the user sees
-- staff: filter dept = 'it'
DELETE FROM staff WHERE id < 3
-- =>
DELETE FROM lake.pairs.staff WHERE ((dept = 'it')) AND array_contains(array(CASE WHEN ((dept =
'it')) THEN CASE WHEN (id < 3) THEN TRUE END END), TRUE)
-- leaves staff
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # DELETE without a condition, too
-- staff: filter dept = 'it'
DELETE FROM staff
-- =>
DELETE FROM lake.pairs.staff WHERE ((dept = 'it')) AND array_contains(array(((dept = 'it'))),
TRUE)
-- leaves staff
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # UPDATE of a column that the filter does not read
-- staff: filter dept = 'it'
UPDATE staff SET pay = 7 WHERE id <> 1
-- =>
UPDATE lake.pairs.staff SET pay = 7 WHERE ((dept = 'it')) AND (id <> 1)
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 7.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # UPDATE of one that it reads: the new row is checked
-- staff: filter dept = 'it' OR pay > 250
UPDATE staff SET dept = 'hr' WHERE id = 3
-- =>
UPDATE lake.pairs.staff SET dept = 'hr' WHERE ((dept = 'it' OR pay > 250)) AND
array_contains(array(CASE WHEN ((dept = 'it' OR pay > 250)) THEN CASE WHEN (id = 3) THEN CASE WHEN
exists(array(named_struct('dept', CAST(('hr') AS string), 'pay', CAST(pay AS decimal(10,2)))),
__sqe -> ((__sqe.dept = 'it' OR __sqe.pay > 250))) THEN TRUE ELSE
raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you may
see. Nothing was written.') END END END), TRUE)
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, hr, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # A condition that can fail is evaluated on rows that the user sees
-- staff: filter dept = 'it'
UPDATE staff SET pay = 7 WHERE CAST(replace(dept, 'it', '7') AS INT) = 7 AND id = 1
-- =>
UPDATE lake.pairs.staff SET pay = 7 WHERE ((dept = 'it')) AND array_contains(array(CASE WHEN
((dept = 'it')) THEN CASE WHEN (CAST(replace(dept, 'it', '7') AS INT) = 7 AND id = 1) THEN TRUE
END END), TRUE)
-- leaves staff
-- 1, it, 7.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # A row that the user would not see is not written, nor any other
-- staff: filter dept = 'it'
UPDATE staff SET dept = CASE WHEN id = 3 THEN 'hr' ELSE dept END, pay = 0 WHERE id < 4
-- =>
UPDATE lake.pairs.staff SET dept = CASE WHEN id = 3 THEN 'hr' ELSE dept END, pay = 0 WHERE ((dept
= 'it')) AND array_contains(array(CASE WHEN ((dept = 'it')) THEN CASE WHEN (id < 4) THEN CASE WHEN
exists(array(named_struct('dept', CAST((CASE WHEN id = 3 THEN 'hr' ELSE dept END) AS string))),
__sqe -> ((__sqe.dept = 'it'))) THEN TRUE ELSE raise_error('SQE:TRINO:PERMISSION_DENIED:A row that
the statement writes is not one that you may see. Nothing was written.') END END END), TRUE)
-- fails ACCESS_DENIED
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # Nor is it inserted
-- staff: filter dept = 'it'
INSERT INTO staff (id, dept) VALUES (5, 'it'), (6, NULL)
-- =>
INSERT INTO lake.pairs.staff (id, dept) SELECT CASE WHEN (SELECT ((dept = 'it')) FROM (SELECT
CAST(__sqe.__sqe_2 AS string) AS dept) AS staff) THEN __sqe_1 ELSE
raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you may
see. Nothing was written.') END, __sqe_2 FROM (VALUES (5, 'it'), (6, NULL)) AS __sqe(__sqe_1,
__sqe_2)
-- fails ACCESS_DENIED
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25

-- # INSERT of a query, of some columns
-- staff: filter dept = 'it'
INSERT INTO staff (id, dept) SELECT 6, d FROM mine WHERE u = 'bob'
-- =>
INSERT INTO lake.pairs.staff (id, dept) SELECT CASE WHEN (SELECT ((dept = 'it')) FROM (SELECT
CAST(__sqe.__sqe_2 AS string) AS dept) AS staff) THEN __sqe_1 ELSE
raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you may
see. Nothing was written.') END, __sqe_2 FROM (SELECT 6, d FROM lake.pairs.mine WHERE u = 'bob')
AS __sqe(__sqe_1, __sqe_2)
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25
-- 6, it, NULL, NULL, NULL

-- # INSERT BY NAME
-- staff: filter dept = 'it'
INSERT INTO staff BY NAME SELECT 'it' AS dept, 8 AS id
-- =>
INSERT INTO lake.pairs.staff BY NAME SELECT __sqe.* EXCEPT (dept), CASE WHEN (SELECT ((dept =
'it')) FROM (SELECT CAST(__sqe.dept AS string) AS dept) AS staff) THEN __sqe.dept ELSE
raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you may
see. Nothing was written.') END AS dept FROM (SELECT 'it' AS dept, 8 AS id) AS __sqe
-- leaves staff
-- 1, it, 100.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 3, it, 300.00, NULL, NULL
-- 4, NULL, NULL, dan@x.org, 2022-03-25
-- 8, it, NULL, NULL, NULL

-- # MERGE: a hidden row matches nothing
-- staff: filter dept = 'it'
MERGE INTO staff AS s
USING (SELECT col1 AS k, col2 AS pay FROM VALUES (1, 5), (2, 6), (9, 7)) AS m ON s.id = m.k
WHEN MATCHED THEN UPDATE SET pay = m.pay
WHEN NOT MATCHED AND m.k > 5 THEN INSERT (id, dept, pay) VALUES (m.k, 'it', m.pay)
WHEN NOT MATCHED BY SOURCE THEN DELETE
-- =>
MERGE INTO lake.pairs.staff AS s USING (SELECT col1 AS k, col2 AS pay FROM VALUES (1, 5), (2, 6),
(9, 7)) AS m ON ((s.dept = 'it')) AND (array_contains(array(CASE WHEN ((s.dept = 'it')) THEN CASE
WHEN (s.id = m.k) THEN TRUE END END), TRUE)) WHEN MATCHED THEN UPDATE SET pay = m.pay WHEN NOT
MATCHED AND m.k > 5 THEN INSERT (id, dept, pay) VALUES (m.k, CASE WHEN
exists(array(named_struct('dept', CAST(('it') AS string))), __sqe -> ((__sqe.dept = 'it'))) THEN
('it') ELSE raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one
that you may see. Nothing was written.') END, m.pay) WHEN NOT MATCHED BY SOURCE AND ((s.dept =
'it')) THEN DELETE
-- leaves staff
-- 1, it, 5.00, ann@x.org, 2020-01-15
-- 2, hr, 200.00, bob@x.org, 2021-02-20
-- 4, NULL, NULL, dan@x.org, 2022-03-25
-- 9, it, 7.00, NULL, NULL

-- # Where a row is stored tells of the rows beside it
-- staff: filter dept = 'it'
DELETE FROM staff WHERE _pos = 0
-- refused ACCESS_DENIED
