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
CREATE TABLE IF NOT EXISTS lake.demo.products AS
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

-- # MERGE: corrected prices and two new products
-- Rows that match are updated, the others inserted, in one atomic commit. Doing it twice changes
-- nothing more, so you can run this tour again.
CREATE TABLE IF NOT EXISTS lake.demo.price_changes AS
SELECT * FROM VALUES
  (3, 'Linen chair', 'seating', CAST(149.00 AS DECIMAL(8, 2))),
  (8, 'Linen lamp', 'lighting', CAST(59.50 AS DECIMAL(8, 2))),
  (17, 'Steel shelf', 'storage', CAST(119.00 AS DECIMAL(8, 2))),
  (24, 'Cork clock', 'decoration', CAST(35.00 AS DECIMAL(8, 2))),
  (41, 'Marble vase', 'decoration', CAST(210.00 AS DECIMAL(8, 2))),
  (42, 'Bamboo stool', 'seating', CAST(79.90 AS DECIMAL(8, 2)))
AS changes(product_id, name, category, price);

MERGE INTO lake.demo.products AS p
USING lake.demo.price_changes AS c ON p.product_id = c.product_id
WHEN MATCHED AND p.price <> c.price THEN UPDATE SET price = c.price
WHEN NOT MATCHED THEN INSERT (product_id, name, category, price)
  VALUES (c.product_id, c.name, c.category, c.price);

-- # Every change is a snapshot
-- Iceberg keeps the table as it was. The first snapshot is the load, the second one the MERGE.
-- keep: before
SELECT snapshot_id, operation, summary['total-records'] AS total_records
FROM lake.demo.products.snapshots
ORDER BY committed_at
LIMIT 2;

-- # Time travel
-- The same table twice in one query: as it is, and as it was before the MERGE.
SELECT p.product_id, p.name, old.price AS price_before, p.price AS price_now
FROM lake.demo.products AS p
LEFT JOIN lake.demo.products VERSION AS OF {before} AS old
  ON old.product_id = p.product_id
WHERE old.price IS NULL OR old.price <> p.price
ORDER BY p.product_id;

-- # EXPLAIN
-- Which engine runs a query and why, the text it gets, and its plan.
EXPLAIN
SELECT c.city, sum(o.quantity) AS sold
FROM lake.demo.orders AS o
JOIN lake.demo.customers AS c ON c.customer_id = o.customer_id
WHERE o.ordered_on >= DATE '2025-12-01'
GROUP BY c.city;
