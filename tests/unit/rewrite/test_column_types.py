"""Which column a name means, and what it is then. What is asked for is what ``IS NULL`` is of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlglot import exp

from sqe.binding.bound import BoundStatement, BoundTable
from sqe.catalog.protocol import Loaded
from sqe.model.decision import Allow, Restrict
from sqe.model.identity import Identity
from sqe.rewrite.expression_types import Types
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import needs_of
from tests.unit.rewrite.bound_lake import BoundLake, bound_lake, struct

_MEMBERS = [
    {"id": 90, "name": "name", "type": "int", "required": False},
    {"id": 91, "name": "B", "type": "string", "required": False},
]
T = struct(id="int", name="string", pay="decimal(10,2)")
T["fields"].append({"id": 9, "name": "st", "type": {"type": "struct", "fields": _MEMBERS}})
U = struct(id="long", name="string", k="date", T="boolean")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), t=T, u=U, v=struct(x="string", k="int")) as made:
        yield made


def _guarded(bound: BoundStatement, **decisions: Restrict) -> GuardedStatement:
    answers = {need.key: decisions.get(need.key[0].name, Allow("test")) for need in needs_of(bound)}
    return GuardedStatement(bound, answers)


def _type(guarded: GuardedStatement) -> str | None:
    asked: Any = guarded.bound.statement.tree.find(exp.Is)
    return Types(guarded, certain=True).of(asked.this)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM t WHERE id IS NULL", "int"),
        ("SELECT 1 FROM t WHERE ID IS NULL", "int"),
        ("SELECT 1 FROM t AS x WHERE x.id IS NULL", "int"),
        ("SELECT 1 FROM t WHERE s.t.id IS NULL", None),
        ("SELECT 1 FROM s.t WHERE s.t.id IS NULL", "int"),
        ("SELECT 1 FROM lake.s.t WHERE s.t.id IS NULL", "int"),
        ("SELECT 1 FROM lake.s.t WHERE r.t.id IS NULL", None),
        ("SELECT 1 FROM s.t AS x WHERE s.x.id IS NULL", None),
        ("SELECT 1 FROM t WHERE gone IS NULL", None),
        ("SELECT 1 FROM t WHERE u.id IS NULL", None),
        ("SELECT 1 FROM t, u WHERE id IS NULL", None),
        ("SELECT 1 FROM t, u WHERE k IS NULL", "date"),
        ("SELECT 1 FROM t JOIN u ON t.id = u.id WHERE u.id IS NULL", "bigint"),
        ("SELECT 1 FROM t WHERE st.name IS NULL", "int"),
        ("SELECT 1 FROM t WHERE t.st.b IS NULL", "string"),
        ("SELECT 1 FROM t WHERE st.gone IS NULL", None),
        ("SELECT 1 FROM t WHERE name.b IS NULL", None),
        ("SELECT 1 FROM t, u WHERE t.id IS NULL", None),
        ("SELECT 1 FROM t WHERE _pos IS NULL", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM v WHERE _pos IS NULL)", None),
        ("SELECT 1 FROM t AS w(a, b, c, d) WHERE b IS NULL", "string"),
        ("SELECT 1 FROM t AS w(a, b, c) WHERE b IS NULL", None),
        ("SELECT 1 FROM range(3) WHERE id IS NULL", "bigint"),
        ("SELECT 1 FROM range(3) AS r(n) WHERE n IS NULL", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM range(3) WHERE k IS NULL)", "date"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM explode(array(1)) WHERE k IS NULL)", None),
        ("SELECT 1 FROM t PIVOT (sum(pay) FOR name IN ('a')) WHERE id IS NULL", None),
        ("SELECT 1 FROM (t JOIN u ON t.id = u.id) WHERE k IS NULL", None),
        ("SELECT 1 FROM (t JOIN u ON k IS NULL)", None),
        ("SELECT 1 FROM t.snapshots WHERE id IS NULL", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t.snapshots WHERE k IS NULL)", None),
        ("SELECT 1 FROM t JOIN u JOIN v ON TRUE ON TRUE WHERE T IS NULL", None),
        ("SELECT 1 FROM t JOIN u JOIN v ON k IS NULL ON TRUE", None),
        ("SELECT 1 FROM t JOIN (SELECT 1 AS y) a JOIN v ON TRUE ON TRUE WHERE y IS NULL", None),
        (
            "SELECT 1 FROM v WHERE EXISTS"
            " (SELECT 1 FROM t, LATERAL (SELECT 1) w(x) WHERE x IS NULL)",
            None,
        ),
        ("SELECT 1 FROM t, LATERAL (SELECT 1) w(x) WHERE id IS NULL", "int"),
        ("SELECT 1 FROM range(3) AS r(id) WHERE id IS NULL", None),
    ],
)
def test_a_name_is_a_column_of_one_source(lake: BoundLake, sql: str, expected: str | None) -> None:
    assert _type(_guarded(lake.bound(sql))) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE id IS NULL)", "bigint"),
        ("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE pay IS NULL)", "decimal(10,2)"),
        ("SELECT 1 FROM t x WHERE EXISTS (SELECT 1 FROM u WHERE x.id IS NULL)", "int"),
        ("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u, v WHERE k IS NULL)", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM t WHERE k IS NULL) a, v)",
         "date"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM v, (SELECT 1 FROM t WHERE k IS NULL) a)",
         "date"),
        ("SELECT 1 FROM u WHERE EXISTS"
         " (WITH a AS (SELECT 1 FROM t WHERE k IS NULL) SELECT 1 FROM v)", "date"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t JOIN t y ON k IS NULL JOIN v ON TRUE)",
         "date"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t JOIN v ON k IS NULL)", "int"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t UNION SELECT 1 FROM t ORDER BY k IS NULL)",
         None),
        ("SELECT 1 FROM u WHERE EXISTS"
         " (SELECT 1 FROM ((SELECT 1 FROM t) ORDER BY k IS NULL) a)", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t UNION SELECT 1 FROM t WHERE k IS NULL)",
         "date"),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT id AS k FROM t WHERE k IS NULL)", None),
        ("SELECT id AS name FROM t WHERE name IS NULL", "string"),
        ("SELECT id AS x, x IS NULL FROM t", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM (t JOIN v ON k IS NULL))", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM (SELECT (k), 1 AS y FROM v) WHERE k IS NULL)",
         None),
        ("SELECT 1 FROM u WHERE EXISTS"
         " (SELECT 1 FROM (SELECT * FROM v UNION SELECT * FROM v) WHERE k IS NULL)", None),
        ("SELECT 1 FROM t JOIN v ON TRUE JOIN u ON u.id IS NULL", "bigint"),
        ("SELECT 1 FROM t JOIN v ON TRUE JOIN u ON TRUE WHERE u.id IS NULL", "bigint"),
        ("SELECT 1 FROM s.t WHERE EXISTS (SELECT 1 FROM s.u AS t WHERE s.t.id IS NULL)", None),
        ("SELECT 1 FROM s.t WHERE EXISTS (SELECT 1 FROM (SELECT 1 AS id) t WHERE s.t.id IS NULL)",
         None),
        ("SELECT 1 FROM (SELECT 1 AS `count(1)`) WHERE EXISTS"
         " (SELECT 1 FROM (SELECT count(1) FROM v) WHERE `count(1)` IS NULL)", None),
        ("UPDATE t SET name = 'x' WHERE id IS NULL", "int"),
        ("UPDATE t SET name = 'x' WHERE EXISTS (SELECT 1 FROM u WHERE pay IS NULL)",
         "decimal(10,2)"),
        ("DELETE FROM t WHERE id IS NULL", "int"),
        ("MERGE INTO t USING v ON t.name = v.x WHEN MATCHED AND k IS NULL THEN DELETE", "int"),
        ("MERGE INTO t USING v ON t.id IS NULL WHEN MATCHED THEN DELETE", "int"),
    ],
)  # fmt: skip
def test_the_nearest_source_is_meant(lake: BoundLake, sql: str, expected: str | None) -> None:
    assert _type(_guarded(lake.bound(sql))) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id AS name FROM t GROUP BY id, name HAVING name IS NULL", None),
        ("SELECT name AS name FROM t GROUP BY name HAVING name IS NULL", "string"),
        ("SELECT id FROM t GROUP BY id, name HAVING name IS NULL", "string"),
        ("SELECT st.name FROM t GROUP BY st.name, name HAVING name IS NULL", None),
        ("SELECT st.name FROM t GROUP BY st.name, name HAVING t.name IS NULL", "string"),
        ("SELECT id AS t FROM t GROUP BY id, name HAVING t.name IS NULL", None),
        ("SELECT (id) FROM t GROUP BY id, name HAVING name IS NULL", None),
        ("SELECT count(*) FROM t GROUP BY name HAVING name IS NULL", "string"),
        ("SELECT count(*) FROM t GROUP BY name HAVING `count(1)` IS NULL", None),
        ("SELECT id AS name FROM t ORDER BY name IS NULL", None),
        ("SELECT id AS name FROM t SORT BY name IS NULL", None),
        ("SELECT id AS name, rank() OVER (ORDER BY id) FROM t QUALIFY name IS NULL", None),
        ("SELECT id, rank() OVER (ORDER BY id) FROM t QUALIFY name IS NULL", "string"),
        ("SELECT pay AS p FROM t GROUP BY pay HAVING p IS NULL", "decimal(10,2)"),
        ("SELECT * FROM t ORDER BY name IS NULL", "string"),
        ("SELECT st.* FROM t ORDER BY name IS NULL", None),
    ],
)
def test_behind_a_query_what_it_gives_may_be_meant(
    lake: BoundLake, sql: str, expected: str | None
) -> None:
    assert _type(_guarded(lake.bound(sql))) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(SELECT id AS x FROM t)", "int"),
        ("((SELECT id AS x FROM t))", "int"),
        ("(SELECT id AS x, name AS x FROM t)", None),
        ("(SELECT id FROM t) AS w(x)", "int"),
        ("(SELECT name, id FROM t) AS w(y, X)", "int"),
        ("(SELECT *, 1 FROM t) AS w(a, b, c, d, x)", None),
        ("(SELECT 1, * FROM t) AS w(x, a, b, c, d)", "int"),
        ("(SELECT * FROM v)", "string"),
        ("(SELECT v.* FROM v, t)", "string"),
        ("(SELECT t.* FROM v, t)", None),
        ("(SELECT * FROM v, v AS w)", None),
        ("(SELECT * EXCEPT (k) FROM v)", "string"),
        ("(SELECT * EXCEPT (x), 1 AS x FROM v)", "int"),
        ("(SELECT * EXCEPT (st.b), 1 AS x FROM t)", None),
        ("(SELECT st.* FROM t)", None),
        ("(SELECT (x) FROM v)", None),
        ("(SELECT 1 AS x UNION SELECT 2)", "int"),
        ("(SELECT 1 AS y, 'a' AS X UNION SELECT 2, 'b' UNION SELECT 3, 'c')", "string"),
        ("((SELECT 1 AS x) UNION SELECT 2)", "int"),
        ("(SELECT * FROM v UNION SELECT * FROM v)", None),
        ("(SELECT *, 1 AS x FROM t UNION SELECT *, 1 FROM t)", None),
        ("VALUES (1), (2) AS w(x)", "int"),
        ("VALUES ('a', 1), ('b', 2) AS w(y, x)", "int"),
        ("(VALUES (1)) AS w(x)", "int"),
        ("VALUES (1), (1, 'a') AS w(y, x)", "string"),
        ("(SELECT 1) AS w(y, x)", None),
        ("(SELECT length(x) FROM v)", None),
        ("((SELECT 1 AS x) AS a(y))", None),
        ("((SELECT 1 AS x) a JOIN v ON TRUE)", None),
        ("((SELECT 1 AS x) PIVOT (sum(x) FOR x IN (1)))", None),
        ("(SELECT NULL AS x UNION SELECT 2)", "int"),
        ("(SELECT 1 AS x) PIVOT (sum(x) FOR x IN (1))", None),
        ("LATERAL (SELECT 1) AS w(x)", None),
        ("(SELECT x FROM (SELECT max(id) AS x FROM u))", "bigint"),
    ],
)
def test_a_query_is_a_source(lake: BoundLake, source: str, expected: str | None) -> None:
    sql = f"SELECT 1 FROM {source} WHERE x IS NULL"
    assert _type(_guarded(lake.bound(sql))) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("WITH w AS (SELECT id AS x FROM t) SELECT 1 FROM w WHERE x IS NULL", "int"),
        ("WITH w AS (SELECT id AS x FROM t) SELECT 1 FROM W AS q(z) WHERE q.z IS NULL", "int"),
        ("WITH w(x) AS (SELECT id FROM t) SELECT 1 FROM w WHERE x IS NULL", "int"),
        ("WITH a AS (SELECT 1 AS x), b AS (SELECT 'c' AS x) SELECT 1 FROM b WHERE x IS NULL",
         "string"),
        ("WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT 1 FROM b WHERE x IS NULL",
         "int"),
        ("WITH v AS (SELECT x FROM v) SELECT 1 FROM v WHERE x IS NULL", "string"),
        ("WITH a AS (WITH a AS (SELECT 1 AS x) SELECT 'c' AS x) SELECT 1 FROM a WHERE x IS NULL",
         "string"),
        ("WITH a AS (SELECT 1 AS x) SELECT 1 WHERE EXISTS"
         " (WITH a AS (SELECT 'c' AS x) SELECT 1 FROM a WHERE x IS NULL)", "string"),
        ("WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x FROM r) SELECT 1 FROM r"
         " WHERE x IS NULL", "int"),
        ("WITH RECURSIVE r AS (SELECT x FROM r UNION ALL SELECT x FROM r) SELECT 1 FROM r"
         " WHERE x IS NULL", None),
        ("WITH RECURSIVE r AS (SELECT * FROM r) SELECT 1 FROM r WHERE x IS NULL", None),
    ],
)  # fmt: skip
def test_a_with_in_force_is_a_source(lake: BoundLake, sql: str, expected: str | None) -> None:
    assert _type(_guarded(lake.bound(sql))) == expected


def test_queries_that_read_the_same_twice_take_no_time(lake: BoundLake) -> None:
    steps = [f"w{i} AS (SELECT * FROM w{i - 1} a, w{i - 1} b)" for i in range(1, 40)]
    sql = f"WITH w0 AS (SELECT * FROM t), {', '.join(steps)} SELECT 1 FROM w39 WHERE id IS NULL"
    assert _type(_guarded(lake.bound(sql))) is None


def test_what_is_hidden_is_not_meant(lake: BoundLake) -> None:
    sql = "SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM v WHERE k IS NULL)"
    hidden = Restrict("test", hidden=frozenset({"K"}))
    assert _type(_guarded(lake.bound(sql), v=hidden)) == "date"
    assert _type(_guarded(lake.bound(sql), u=hidden)) == "int"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM t WHERE id IS NULL", "int"),
        ("SELECT 1 FROM t VERSION AS OF 1 WHERE name IS NULL", "string"),
        ("SELECT 1 FROM t VERSION AS OF 1 WHERE id IS NULL", None),
        ("SELECT 1 FROM t VERSION AS OF 1 WHERE pay IS NULL", None),
        ("SELECT 1 FROM t WITH (`end-snapshot-id` = 1) WHERE id IS NULL", None),
        ("SELECT 1 FROM t.tag_x WHERE name IS NULL", "string"),
        ("SELECT 1 FROM t.tag_x WHERE id IS NULL", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t VERSION AS OF 1 WHERE k IS NULL)", None),
        ("SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t WHERE k IS NULL)", "date"),
    ],
)
def test_an_older_state_has_what_there_always_was(
    lake: BoundLake, sql: str, expected: str | None
) -> None:
    bound = lake.bound(sql)
    before = struct(id="long", NAME="string", K="long")
    references = []
    for one in bound.references:
        target = one.target
        if isinstance(target, BoundTable) and target.name.name == "t" and target.loaded:
            metadata = {**target.metadata, "schemas": [before, *target.metadata["schemas"]]}
            target = replace(target, loaded=Loaded(json.dumps(metadata).encode()))
        references.append(replace(one, target=target))
    assert _type(_guarded(replace(bound, references=tuple(references)))) == expected
