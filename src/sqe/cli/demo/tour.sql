-- # A schema and some customers
-- Tables live in schemas, schemas in catalogs; `lake` is the catalog in SQE's own home. The data
-- is made by SQL itself, from a counter and a hash, so it is the same on every machine.
CREATE SCHEMA IF NOT EXISTS lake.demo;

CREATE TABLE IF NOT EXISTS lake.demo.customers AS
SELECT
  CAST(id AS INT) + 1 AS customer_id,
  concat(
    element_at(array('Ada', 'Bruno', 'Chiara', 'David', 'Elif', 'Femke', 'Goran', 'Hanna', 'Igor',
      'Julia', 'Kofi', 'Lena', 'Milan', 'Nadia', 'Oskar', 'Priya', 'Quentin', 'Rosa', 'Samir',
      'Tess'), CAST(pmod(hash(id, 'first'), 20) AS INT) + 1),
    ' ',
    element_at(array('Abbas', 'Berg', 'Costa', 'Dubois', 'Eriksson', 'Fischer', 'Garcia', 'Horvat',
      'Ivanova', 'Jansen', 'Keller', 'Lopez', 'Moreau', 'Novak', 'Okafor', 'Petrov', 'Rossi',
      'Silva', 'Tanaka', 'Visser'), CAST(pmod(hash(id, 'last'), 20) AS INT) + 1)
  ) AS name,
  element_at(array('Amsterdam', 'Berlin', 'Lisbon', 'Ljubljana', 'Paris', 'Rome', 'Stockholm',
    'Vienna'), CAST(pmod(hash(id, 'city'), 8) AS INT) + 1) AS city,
  date_add(DATE '2022-01-01', CAST(pmod(hash(id, 'since'), 730) AS INT)) AS customer_since
FROM range(500);

-- # Products and orders
-- An order keeps the price of its day. The table is partitioned by month: Iceberg derives the month
-- from the date, and queries on dates skip the other files without anyone naming a partition.
DROP TABLE IF EXISTS lake.demo.products;

CREATE TABLE lake.demo.products AS
SELECT
  CAST(id AS INT) + 1 AS product_id,
  concat(
    element_at(array('Oak', 'Steel', 'Linen', 'Cork', 'Glass'), CAST(id % 5 AS INT) + 1),
    ' ',
    element_at(array('chair', 'lamp', 'desk', 'shelf', 'clock', 'mirror', 'bench', 'lantern'),
      CAST(id DIV 5 AS INT) + 1)
  ) AS name,
  element_at(array('seating', 'lighting', 'tables', 'storage', 'decoration', 'decoration',
    'seating', 'lighting'), CAST(id DIV 5 AS INT) + 1) AS category,
  CAST(19 + pmod(hash(id, 'price'), 280) + 0.95 AS DECIMAL(8, 2)) AS price
FROM range(40);

CREATE TABLE IF NOT EXISTS lake.demo.orders
PARTITIONED BY (months(ordered_on)) AS
SELECT o.order_id, o.customer_id, o.product_id, o.quantity, p.price AS unit_price, o.ordered_on
FROM (
  SELECT
    CAST(id AS INT) + 1 AS order_id,
    CAST(pmod(hash(id, 'customer'), 500) AS INT) + 1 AS customer_id,
    CAST(pmod(hash(id, 'product'), 40) AS INT) + 1 AS product_id,
    CAST(pmod(hash(id, 'quantity'), 4) AS INT) + 1 AS quantity,
    date_add(DATE '2025-01-01', CAST(365 * sqrt(id / 5000) AS INT)) AS ordered_on
  FROM range(5000)
) AS o
JOIN lake.demo.products AS p ON p.product_id = o.product_id;

-- # A first look
-- SHOW is answered by SQE itself, without Spark.
SHOW TABLES IN lake.demo LIKE 'customers|orders|products';

-- # A join and an aggregate, on Spark
-- Plain Spark SQL: this text reaches Spark as it is, only the table names are replaced.
SET SESSION sqe.engine = 'spark';

SELECT c.name, c.city, count(*) AS orders, sum(o.quantity * o.unit_price) AS revenue
FROM lake.demo.orders AS o
JOIN lake.demo.customers AS c ON c.customer_id = o.customer_id
GROUP BY c.customer_id, c.name, c.city
ORDER BY revenue DESC, c.name
LIMIT 5;

-- # The same query on the local engine
-- DuckDB, inside SQE, takes what is proven to have Spark's answer; compare rows and times. `auto`,
-- the default, chooses by itself, and `sqe why "SELECT …"` says what it would choose.
SET SESSION sqe.engine = 'local';

SELECT c.name, c.city, count(*) AS orders, sum(o.quantity * o.unit_price) AS revenue
FROM lake.demo.orders AS o
JOIN lake.demo.customers AS c ON c.customer_id = o.customer_id
GROUP BY c.customer_id, c.name, c.city
ORDER BY revenue DESC, c.name
LIMIT 5;

SET SESSION sqe.engine = 'auto';

-- # A table from a query
-- CREATE TABLE AS SELECT keeps an answer as a table of its own.
CREATE TABLE IF NOT EXISTS lake.demo.monthly_revenue AS
SELECT
  date_format(o.ordered_on, 'yyyy-MM') AS month,
  p.category,
  sum(o.quantity * o.unit_price) AS revenue
FROM lake.demo.orders AS o
JOIN lake.demo.products AS p ON p.product_id = o.product_id
GROUP BY 1, 2;

SELECT month, sum(revenue) AS revenue, max_by(category, revenue) AS best_category
FROM lake.demo.monthly_revenue
GROUP BY month
ORDER BY month;

-- # A file into a table
-- COPY INTO loads Parquet, CSV, JSON or ORC files in one commit, or nothing. At the prompt,
-- `sqe load prices.csv --into demo.price_changes` does the same, and --create makes the table.
DROP TABLE IF EXISTS lake.demo.price_changes;

CREATE TABLE lake.demo.price_changes (
  product_id INT NOT NULL, name STRING, category STRING, price DECIMAL(8, 2) COMMENT 'in euros'
);

COPY INTO lake.demo.price_changes FROM '{prices}'
FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true');

-- # MERGE: corrected prices and two new products
-- Rows that match are updated, the others inserted, in one atomic commit. The tag keeps the name
-- of the state before.
ALTER TABLE lake.demo.products CREATE TAG old_prices;

MERGE INTO lake.demo.products AS p
USING lake.demo.price_changes AS c ON p.product_id = c.product_id
WHEN MATCHED AND p.price <> c.price THEN UPDATE SET price = c.price
WHEN NOT MATCHED THEN INSERT *;

-- # Every change is a snapshot
-- Iceberg keeps the table as it was. The first snapshot is the load, the second one the MERGE.
SELECT operation, summary['total-records'] AS total_records
FROM lake.demo.products.snapshots
ORDER BY committed_at;

-- # Time travel
-- The same table twice in one query: as it is, and as it was before the MERGE.
SELECT p.product_id, p.name, old.price AS price_before, p.price AS price_now
FROM lake.demo.products AS p
LEFT JOIN lake.demo.products VERSION AS OF 'old_prices' AS old
  ON old.product_id = p.product_id
WHERE old.price IS NULL OR old.price <> p.price
ORDER BY p.product_id;

-- # A table that changes shape
-- Columns are added, renamed and widened without rewriting a file; both engines read on.
ALTER TABLE lake.demo.products ADD COLUMN discount INT COMMENT 'percent' AFTER price;

UPDATE lake.demo.products SET discount = 10 WHERE category = 'lighting';

SELECT category, count(*) AS products, avg(discount) AS discount
FROM lake.demo.products
GROUP BY category
ORDER BY category;

-- # Upkeep
-- Every write adds files. Iceberg's procedures tidy up; `sqe maintain` finds which tables need
-- what, says why, and does it.
CALL lake.system.rewrite_manifests('lake.demo.products');

-- # One question, three answers
-- Who may see what is SQL, too. It is part of a query before any engine gets it: rows that are
-- filtered out and values behind a mask are not there, whatever is asked and however.
CREATE ROLE IF NOT EXISTS support;

GRANT ROLE support TO USER bruno;

GRANT SELECT ON lake.demo.customers TO USER ada;

GRANT SELECT ON lake.demo.customers TO ROLE support
  ROWS WHERE (city IN ('Berlin', 'Vienna'));

GRANT SELECT ON lake.demo.customers TO USER chiara
  ROWS WHERE (customer_since >= DATE '2023-12-01')
  COLUMNS (customer_id, name MASKED WITH PARTIAL(1, 0), city,
    customer_since MASKED WITH TRUNCATE(year));

-- @ada
SELECT count(*) AS customers, count(DISTINCT city) AS cities, min(name), max(customer_since)
FROM lake.demo.customers;
-- @bruno
SELECT count(*) AS customers, count(DISTINCT city) AS cities, min(name), max(customer_since)
FROM lake.demo.customers;
-- @chiara
SELECT count(*) AS customers, count(DISTINCT city) AS cities, min(name), max(customer_since)
FROM lake.demo.customers;

EXPLAIN POLICY SELECT name FROM lake.demo.customers;

-- # EXPLAIN
-- Which engine runs a query and why, the text it gets, and its plan.
EXPLAIN
SELECT c.city, sum(o.quantity) AS sold
FROM lake.demo.orders AS o
JOIN lake.demo.customers AS c ON c.customer_id = o.customer_id
WHERE o.ordered_on >= DATE '2025-12-01'
GROUP BY c.city;
