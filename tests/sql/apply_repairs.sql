-- What Spark and Iceberg would carry out wrongly, said so that they do not: engines/spark/repairs.

-- # DELETE: rows that hold NULL stay (decision 0014)
DELETE FROM gaps WHERE i <> 99
-- =>
DELETE FROM lake.pairs.gaps WHERE i IS NOT NULL AND i <> 99
-- leaves gaps
-- 2, NULL

-- # REPLACE WHERE: they stay, too
INSERT INTO gaps REPLACE WHERE i < 6 SELECT 9, 5
-- =>
INSERT INTO lake.pairs.gaps REPLACE WHERE i IS NOT NULL AND i < 6 SELECT 9, 5
-- leaves gaps
-- 2, NULL
-- 3, 7
-- 9, 5

-- # Where IS NOT NULL cannot be said, rows are looked at one by one
DELETE FROM gaps WHERE i < 6 OR k > 2
-- =>
DELETE FROM lake.pairs.gaps WHERE (i < 6 OR k > 2) AND array_contains(array((i < 6 OR k > 2)),
TRUE)
-- leaves gaps
-- 2, NULL

-- # REPLACE WHERE cannot do that
INSERT INTO gaps REPLACE WHERE i < 6 OR k > 2 SELECT 9, 5
-- refused NOT_SUPPORTED

-- # What Iceberg judges as SQL does stays as it is
DELETE FROM gaps WHERE i > 5 AND k IN (1, 3)
-- =>
DELETE FROM lake.pairs.gaps WHERE i > 5 AND k IN (1, 3)
-- leaves gaps
-- 1, 5
-- 2, NULL

-- # MERGE: a WHEN MATCHED that is for no row makes Spark look for rows that match twice (decision 0015)
MERGE INTO gaps USING mine ON gaps.k = length(mine.u) WHEN NOT MATCHED BY SOURCE THEN DELETE
-- =>
MERGE INTO lake.pairs.gaps USING lake.pairs.mine ON gaps.k = length(mine.u) WHEN MATCHED AND FALSE
THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE
-- fails CONSTRAINT_VIOLATION
-- leaves gaps
-- 1, 5
-- 2, NULL
-- 3, 7
