-- The engine's own session is SQE's: functions that tell of it become values.

-- # Who asks, under the name that the column would have
SELECT current_user()
-- =>
SELECT 'bob' AS `current_user()`
-- rows
-- bob

-- # Where
SELECT concat(current_catalog(), '.', current_schema()) AS place, current_database() AS d
-- =>
SELECT concat('lake', '.', 'pairs') AS place, 'pairs' AS d
-- rows
-- lake.pairs, pairs

-- # In a condition
SELECT d FROM mine WHERE u = current_user
-- =>
SELECT d FROM lake.pairs.mine WHERE u = 'bob'
-- rows
-- it
