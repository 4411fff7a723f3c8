"""An unqualified column is refused where nothing in sight has it, and only there."""

from __future__ import annotations

import pytest

from sqe.sql.parse import parse
from sqe.sql.visible_columns import UnknownColumn, names_of, unknown_columns

TABLES = {
    "t": names_of(["id", "Name", "pay", "s", "xs", "m"]),
    "u": names_of(["id", "city"]),
    "past": None,  # nobody knows what it has
}
# Each names ``nosuch`` where nothing has it.
REFUSED = """
SELECT nosuch FROM t
SELECT id, upper(nosuch) AS x FROM t
SELECT (nosuch) FROM t
SELECT count(*), nosuch FROM t GROUP BY 2
SELECT id FROM t WHERE nosuch = 1
SELECT id FROM t WHERE `nosuch` = 1
SELECT id FROM t GROUP BY nosuch
SELECT id FROM t HAVING nosuch > 1
SELECT id FROM t ORDER BY nosuch DESC
SELECT sum(pay) OVER (PARTITION BY nosuch) FROM t
SELECT t.id FROM t JOIN u ON nosuch = city
SELECT t.id FROM t JOIN u USING (id) WHERE nosuch = 1
SELECT nosuch
SELECT nosuch, a FROM VALUES (1, 2) AS v(a, b)
SELECT nosuch FROM (SELECT id FROM t)
SELECT id FROM (SELECT id, nosuch FROM t)
SELECT nosuch FROM (SELECT id AS a, name FROM t) x
SELECT nosuch FROM t AS x(a, b, c, d, e, f)
WITH c AS (SELECT id FROM t) SELECT nosuch FROM c
WITH c AS (SELECT nosuch FROM t) SELECT * FROM c
WITH c(a) AS (SELECT id FROM t), d AS (SELECT a FROM c) SELECT nosuch FROM d
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE nosuch = city)
SELECT (SELECT max(nosuch) FROM u) FROM t
SELECT id FROM t WHERE id IN (SELECT nosuch FROM u)
SELECT id FROM t UNION SELECT nosuch FROM u
SELECT id FROM t, LATERAL (SELECT nosuch AS a FROM u)
SELECT transform(xs, x -> x + nosuch) FROM t
SELECT nosuch[0] FROM t
SELECT * FROM t WHERE nosuch IS NULL
TABLE t UNION ALL SELECT *, nosuch FROM t
INSERT INTO t SELECT nosuch FROM u
INSERT INTO t VALUES (1, nosuch)
UPDATE t SET nosuch = 1
UPDATE t SET pay = nosuch + 1
UPDATE t SET pay = 1 WHERE nosuch = 1
DELETE FROM t WHERE nosuch = 1
DELETE FROM t WHERE id IN (SELECT id FROM u WHERE nosuch = 1)
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND nosuch = 1 THEN DELETE
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET pay = nosuch
MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT (id) VALUES (nosuch)
MERGE INTO t USING (SELECT id, nosuch FROM u) x ON t.id = x.id WHEN MATCHED THEN DELETE
CREATE TABLE new AS SELECT nosuch FROM t
""".strip().splitlines()
# Each is Spark's to answer.
LEFT_ALONE = """
SELECT ID, nAmE FROM t
SELECT *, t.* FROM t
SELECT id AS a, a + 1 AS b FROM t
SELECT id AS a FROM t GROUP BY a HAVING a > 1 ORDER BY a
SELECT count(*) FROM t ORDER BY `count(1)`
SELECT s.deep FROM t ORDER BY deep
SELECT s.deep FROM t HAVING deep > 1
SELECT xs[0].deep FROM t ORDER BY deep
SELECT 'word' FROM t ORDER BY word
SELECT s.* FROM t ORDER BY anything
SELECT explode(xs) FROM t ORDER BY col
SELECT inline(xs) FROM t ORDER BY anything
SELECT stack(2, 1, 2) AS (a, b) FROM t ORDER BY a, b
SELECT col, nope FROM t LATERAL VIEW explode(xs) e
SELECT item FROM t, LATERAL explode(xs) AS e(item)
SELECT a FROM t, LATERAL (SELECT pay AS a)
SELECT a FROM t JOIN LATERAL (SELECT pay + id AS a FROM u WHERE name = city)
SELECT * FROM t, LATERAL (SELECT b FROM explode(array(pay, id)) AS e(b))
SELECT id FROM range(10)
SELECT col1 FROM VALUES (1)
SELECT key, value FROM t, explode(m)
SELECT transform(xs, (x, i) -> x + i + id), aggregate(xs, 0, (acc, x) -> acc + x) FROM t
SELECT filter(xs, x -> exists(xs, y -> y = x)) FROM t
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE city = name AND pay > 1)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE city = name))
SELECT (SELECT max(city || name) FROM u) FROM t
WITH c AS (SELECT id AS a FROM t) SELECT a FROM c WHERE a IN (SELECT a FROM c)
WITH c(a) AS (SELECT id FROM t) SELECT a FROM c ORDER BY a
SELECT id FROM t WHERE EXISTS (WITH c AS (SELECT pay AS a) SELECT a FROM c UNION SELECT a FROM c)
WITH t AS (SELECT 1 AS other) SELECT other FROM t
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r
SELECT anything FROM past
SELECT anything FROM t JOIN past
SELECT anything FROM (SELECT * FROM past)
SELECT id FROM t WHERE id IN (SELECT id FROM u, past WHERE anything = 1)
SELECT id FROM past WHERE EXISTS (SELECT 1 FROM t WHERE anything = 1)
SELECT _file, _pos, _partition, _metadata FROM t
SELECT current_date, current_timestamp, localtimestamp, user, current_user, current_time FROM t
SELECT timestampdiff(MONTH, id, pay), datediff(DAY, id, pay), extract(YEAR FROM id) FROM t
SELECT id FROM t ORDER BY ALL
SELECT id, count(*) FROM t GROUP BY ALL
SELECT id, grouping__id FROM t GROUP BY id WITH CUBE
SELECT * EXCEPT (id) FROM t
SELECT * FROM t PIVOT (sum(pay) FOR id IN (1 AS a, 2 AS b)) WHERE a > 1
SELECT a, b FROM t UNPIVOT (a FOR b IN (id, pay))
SELECT name COLLATE UTF8_LCASE FROM t
SELECT mask(name, upperChar => 'x') FROM t
SELECT id FROM t UNION SELECT pay AS a FROM t ORDER BY id
(SELECT id AS a FROM t) ORDER BY a
SELECT sum(pay) OVER w FROM t WINDOW w AS (PARTITION BY id)
SELECT x.id FROM t x JOIN u USING (id) WHERE id = 1
SELECT größe FROM t
SELECT ? AS a FROM t ORDER BY a
SELECT ? FROM t ORDER BY anything
FROM t |> SELECT id AS a |> WHERE a > 1
INSERT INTO t (id, name) SELECT id, city FROM u
INSERT INTO t PARTITION (pay = 1) SELECT id FROM u
INSERT INTO t VALUES (DEFAULT, 1)
UPDATE t SET pay = DEFAULT, s.deep = 1
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET name = city
MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (id, city)
CREATE TABLE new PARTITIONED BY (bucket(4, a)) AS SELECT id AS a FROM t
""".strip().splitlines()


def _unknown(sql: str) -> list[UnknownColumn]:
    statement = parse(sql)
    known = {one.span.start: TABLES.get(one.parts[-1]) for one in statement.references}
    return unknown_columns(statement.text, statement.tree, known.get)


@pytest.mark.parametrize("sql", REFUSED)
def test_what_nothing_has_is_found_with_its_place(sql: str) -> None:
    (unknown,) = _unknown(sql)
    assert unknown.name == "nosuch" and "nosuch" in unknown.span.of(sql)


@pytest.mark.parametrize("sql", LEFT_ALONE)
def test_what_something_may_have_is_left_alone(sql: str) -> None:
    assert _unknown(sql) == []


def test_the_first_in_the_text_comes_first() -> None:
    found = _unknown("SELECT id, aa FROM (SELECT bb, id FROM t) WHERE cc = 1")
    assert [unknown.name for unknown in found] == ["aa", "bb", "cc"]


def test_what_could_be_meant_is_what_stands_in_from() -> None:
    (unknown,) = _unknown("SELECT nam, pay AS name_of FROM t")
    assert (unknown.relation, dict(unknown.near)) == (32, TABLES["t"])
    (unknown,) = _unknown("SELECT cit FROM t JOIN u")
    assert unknown.relation is None and {"name", "city"} <= set(unknown.near)
