-- information_schema becomes the rows of what this user may know of ("SELECT rows" here).

-- # Under the name that the statement knows it by
SELECT table_name FROM information_schema.tables WHERE tables.table_schema = 'pairs'
-- =>
SELECT table_name FROM (SELECT rows FROM tables) AS tables WHERE tables.table_schema = 'pairs'

-- # Under an alias, beside a table
SELECT c.column_name, mine.d FROM information_schema.columns AS c, mine
-- =>
SELECT c.column_name, mine.d FROM (SELECT rows FROM columns) AS c, lake.pairs.mine
