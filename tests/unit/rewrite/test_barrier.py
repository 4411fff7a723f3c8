"""What can fail for some row, and where it matters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.binding.bound import BoundView
from sqe.model.decision import Allow, Decision, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask, Mask, NullMask, RegexMask, TruncateMask
from sqe.model.query import Column
from sqe.rewrite.barrier import can_fail
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import Key, needs_of
from sqe.sessions.session import TemporaryView
from tests.unit.rewrite.bound_lake import HERE, BoundLake, bound_lake, struct

COLUMNS = struct(
    id="int", big="long", name="string", pay="decimal(10,2)", day="date", at="timestamptz",
    f="double", ok="boolean",
)  # fmt: skip
PART = {"lake.s.t": Restrict("test", (RowFilter("id > 1"),))}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder: Path = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), t=COLUMNS, u=COLUMNS) as made:
        yield made


def _barrier(lake: BoundLake, sql: str, limits: Restrict | None = None) -> bool:
    """Whether the guard of lake.s.t has one."""
    decisions = {"lake.s.t": limits} if limits is not None else PART
    for reference in lake.guarded(sql, decisions).bound.walk():
        target = reference.target
        if isinstance(target, BoundView) and target.guard is not None:
            return target.guard.barrier
    raise AssertionError("there is no guard")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t",
        "SELECT id FROM t WHERE id = 1 AND big > id OR NOT name = 'x'",
        "SELECT id FROM t WHERE id IN (1, 2) AND id BETWEEN 1 AND 5 AND f > 1",
        "SELECT id FROM t WHERE pay > 10 AND pay < 12.5 AND pay = id",
        "SELECT id FROM t WHERE day >= '2024-02-29' AND day < DATE'2024-12-31'",
        "SELECT id FROM t WHERE CAST(id AS STRING) = name",
        "SELECT id FROM t WHERE name || '-' || CAST(id AS STRING) || left(name, 2) = 'a-1a'",
        "SELECT id FROM t WHERE named_struct('a', id, 'b', name) IS NOT NULL",
        "SELECT id FROM t WHERE pay BETWEEN 0.06 - 0.01 AND 0.06 + 0.01",
        "SELECT id FROM t WHERE day < DATE'1994-01-01' + INTERVAL '1' YEAR",
        "SELECT id FROM (SELECT id, pay * (1 - pay) AS q, year(day) AS y FROM t) WHERE q > 1",
        "SELECT id FROM t WHERE extract(YEAR FROM day) = 1994",
        "SELECT id FROM t WHERE id % 2 = 0 AND big % 10 = 1",
        "SELECT id FROM t WHERE name LIKE 'a%' AND name IS NOT NULL AND ok",
        "SELECT id FROM t WHERE upper(name) = 'X' AND length(trim(name)) > 2",
        "SELECT id FROM t WHERE substring(name, 1, 2) = 'ab' AND concat(name, 'x') <> 'y'",
        "SELECT id FROM t WHERE coalesce(name, 'x') = 'x' AND CASE WHEN ok THEN id ELSE 2 END = 2",
        "SELECT t.id FROM t JOIN u ON t.id = u.id AND t.name = u.name",
        "SELECT id FROM t WHERE id IN (SELECT id FROM u WHERE u.name = 'x')",
        "SELECT id FROM t WHERE (id, name) IN (SELECT id, name FROM u WHERE u.name = 'x')",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)",
        "SELECT name, sum(1 / id) FROM t GROUP BY name ORDER BY sum(pay)",
        "SELECT 1 / id, CAST(name AS INT), raise_error(name) FROM t ORDER BY 1 / id LIMIT 5",
        "INSERT INTO u SELECT CAST(name AS INT), big, name, pay, day, at, f, ok FROM t",
        "WITH w AS (SELECT id, name FROM t) SELECT CAST(name AS INT) FROM w WHERE w.id = 3",
        "SELECT id FROM t UNION ALL SELECT id FROM u",
        "SELECT id FROM t WHERE name IN (SELECT x FROM VALUES ('1'), ('2') AS v(x))",
        "SELECT a.id FROM (SELECT id, name FROM (SELECT * FROM t)) a JOIN u ON a.id = u.id",
        "EXPLAIN SELECT id FROM t WHERE id = 1",
        "SELECT id FROM (SELECT DISTINCT id FROM t WHERE id > 1 ORDER BY id LIMIT 5 OFFSET 2)",
        "SELECT id FROM (SELECT id FROM t GROUP BY id HAVING count(*) > 1)",
        "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY big) AS n FROM t)",
        "SELECT id FROM (SELECT id, rank() OVER (ORDER BY id) AS n FROM t)",
        "SELECT id FROM (SELECT id, dense_rank() OVER (ORDER BY id) AS n FROM t)",
        "SELECT id FROM t WHERE id <=> 1 AND id <> 2 AND id >= 1 AND id <= 9 AND id < 10",
        "SELECT id FROM t WHERE id IS DISTINCT FROM 3 AND ok IS TRUE",
        "SELECT id FROM t WHERE id = NULL OR NULL = name",
        "SELECT id FROM t WHERE startswith(name, 'a') AND endswith(name, 'b')",
        "SELECT id FROM t WHERE lower(name) = 'x' AND left(name, 2) = right(name, 2)",
        "SELECT id FROM t WHERE month(day) = 2 AND day(day) = 29",
        "SELECT id FROM t WHERE extract(QUARTER FROM day) = 1 AND extract(month FROM day) = 2",
        "SELECT id FROM t WHERE extract(DAY FROM day) = 1",
        "SELECT id FROM t WHERE name ILIKE 'a%' AND nullif(name, 'x') = 'y'",
        "SELECT id FROM t WHERE if(ok, 1, 2) = 1 AND CASE WHEN ok THEN NULL ELSE id END = 1",
        "SELECT id FROM t WHERE CAST(day AS STRING) = CAST(ok AS STRING)",
        "SELECT id FROM t WHERE id IN (1, NULL) AND name IN ('x')",
        "SELECT 1 / id, count(*) FROM t GROUP BY 1 / id",
        "CREATE TABLE n AS SELECT 1 / id AS q FROM t",
        "SELECT id FROM t GROUP BY id HAVING avg(pay) > 10 AND sum(id * big) > 3 AND id = 3",
        "SELECT count(*) FROM t GROUP BY name HAVING name = 'x'",
        "SELECT upper(name) AS name FROM t WHERE name = 'x'",
        "SELECT id FROM t WHERE day IN ('2024-02-29', DATE'2024-03-01', NULL)",
        "SELECT id FROM t WHERE id IN (1, 2.5, 3000000000) AND big = 99999999999999999999",
        "SELECT id FROM t WHERE f IN (1, 2)",
        "SELECT id FROM t WHERE concat('<', name, '>') = '<x>' AND to_date(day) = day",
        "SELECT id FROM t WHERE substring(name, 1, 999999999) = 'x' AND id % 999999999 = 1",
        "SELECT id IN (SELECT id FROM u) FROM t",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM (SELECT * FROM u) x WHERE x.id = t.id)",
        "SELECT id FROM (SELECT id, 'a |' AS x FROM t) WHERE x = 'b'",
        "(SELECT 1 / id FROM t)",
        "SELECT id FROM t WHERE CAST(name AS STRING) = 'x'",
        "SELECT id FROM t QUALIFY row_number() OVER (ORDER BY id) = 1",
        "SELECT t.id FROM t JOIN (SELECT id FROM u) x ON t.id = x.id",
        "WITH w AS ((SELECT id FROM t)) SELECT id FROM w",
        "SELECT id FROM t WHERE EXISTS ((SELECT 1 FROM u))",
        "INSERT INTO u (SELECT CAST(name AS INT), big, name, pay, day, at, f, ok FROM t)",
        "CREATE TABLE n AS (SELECT 1 / id AS q FROM t)",
        "(SELECT id FROM t) UNION ALL (SELECT id FROM u)",
        "SELECT id FROM t WHERE id IN (SELECT max(id) FROM u HAVING sum(pay * 2) > 3)",
        "SELECT coalesce(1 / id, f) FROM t",
    ],
)  # fmt: skip
def test_what_cannot_fail_needs_no_barrier(lake: BoundLake, sql: str) -> None:
    assert not _barrier(lake, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM t WHERE CAST(name AS INT) = 1",
        "SELECT id FROM t WHERE 1 / id > 0",
        "SELECT id FROM t WHERE id BETWEEN 0 AND 'x'",
        "SELECT id FROM t WHERE id BETWEEN 'x' AND 5",
        "SELECT explode(array(1 / id)) FROM t",
        "SELECT stack(2, 1 / id, id) FROM t",
        "SELECT id FROM (SELECT id, pay + '1' AS x FROM t)",
        "SELECT json_tuple(CAST(1 / id AS STRING), 'a') FROM t",
        "SELECT id FROM t WHERE name IN (SELECT col1 FROM VALUES ('1'), (2))",
        "SELECT id FROM t WHERE (id, name) IN (SELECT name, id FROM u)",
        "SELECT id FROM t WHERE (id, name) IN (SELECT id, pay FROM u)",
        "SELECT id FROM t WHERE (id, at + 1) IN (SELECT id, at + 1 FROM u)",
        "SELECT id FROM t WHERE id = (SELECT id FROM u)",
        "SELECT id FROM t WHERE id % 0 = 0",
        "SELECT id FROM t WHERE 1 % id = 0",
        "SELECT id FROM t WHERE name % 2 = 0",
        "SELECT id FROM t WHERE id + 1 > 0",
        "SELECT id FROM t WHERE id + id > pay",
        "SELECT id FROM t WHERE pay * pay * pay * pay > 1",
        "SELECT id FROM t WHERE pay / pay > 1",
        "SELECT id FROM t WHERE f * f > 1 AND 99999 * 99999 > id",
        "SELECT id FROM t WHERE day < DATE'1994-01-01' + INTERVAL '99999999' YEAR",
        "SELECT id FROM t WHERE day + INTERVAL '1' YEAR > day",
        "SELECT id FROM t WHERE extract(YEAR FROM name) = 1994",
        "SELECT id FROM t WHERE name = 1",
        "SELECT id FROM t WHERE name = id",
        "SELECT id FROM t WHERE id IN ('1', 2)",
        "SELECT id FROM t WHERE day > 'yesterday'",
        "SELECT id FROM t WHERE day > '2023-02-29'",
        "SELECT id FROM t WHERE at > '2024-01-01'",
        r"SELECT id FROM t WHERE name LIKE 'a\\'",
        "SELECT id FROM t WHERE name RLIKE '('",
        "SELECT id FROM t WHERE name LIKE upper(name)",
        "SELECT id FROM t WHERE coalesce(name, id) = 'x'",
        "SELECT id FROM t WHERE CASE WHEN ok THEN id ELSE name END = 2",
        "SELECT id FROM t WHERE raise_error(name)",
        "SELECT id FROM t WHERE pay > 1234567890123456789012345678901234567.5",
        "SELECT id FROM (SELECT id, 1 / id AS q FROM t) WHERE q > 0",
        "SELECT id FROM (SELECT id, CAST(name AS INT) AS q FROM t)",
        "WITH w AS (SELECT CAST(name AS INT) AS i FROM t) SELECT i FROM w",
        "SELECT t.id FROM t JOIN u ON t.name = u.id",
        "SELECT t.id FROM t JOIN u USING (id)",
        "SELECT t.id FROM t NATURAL JOIN u",
        "SELECT id FROM u WHERE id IN (SELECT name FROM t)",
        "SELECT id FROM u WHERE (SELECT max(1 / id) FROM t) = 1 AND u.f / u.id > 1",
        "SELECT name FROM t GROUP BY name HAVING CAST(name AS INT) > 1",
        "SELECT CAST(name AS INT) AS i FROM t GROUP BY name HAVING i > 1",
        "SELECT id FROM t UNION SELECT name FROM u",
        "SELECT CAST(name AS INT) FROM t INTERSECT SELECT id FROM u",
        "SELECT id FROM t WHERE id = ?",
        "SELECT id FROM t, LATERAL explode(array(1 / id))",
        "MERGE INTO u USING t ON t.id = u.id WHEN MATCHED THEN DELETE",
        "DELETE FROM u WHERE id IN (SELECT CAST(name AS INT) FROM t)",
        "EXPLAIN SELECT id FROM t WHERE 1 / id > 0",
        "SELECT id FROM t WHERE trim(BOTH 'x' FROM name) = 'a'",
        "SELECT id FROM t WHERE trim(id) = 'a'",
        "SELECT id FROM t WHERE upper(id) = 'a'",
        "SELECT id FROM t WHERE concat(name, id) = 'a'",
        "SELECT id FROM t WHERE startswith(name, id)",
        "SELECT id FROM t WHERE substring(name, id, 2) = 'a'",
        "SELECT id FROM t WHERE substring(name, 1, id) = 'a'",
        "SELECT id FROM t WHERE substring(name, '1', 2) = 'a'",
        "SELECT id FROM t WHERE substring(id, 1, 2) = 'a'",
        "SELECT id FROM t WHERE left(name, id) = 'a'",
        "SELECT id FROM t WHERE year(name) = 1",
        "SELECT id FROM t WHERE CASE id WHEN 'x' THEN 2 END = 2",
        "SELECT id FROM t WHERE if(ok, id, name) = 1",
        "SELECT id FROM t WHERE nullif(name, id) = 'x'",
        "SELECT id FROM t WHERE coalesce(raise_error(name), 'x') = 'x'",
        "SELECT id FROM t WHERE CAST(at AS STRING) = 'x'",
        "SELECT id FROM t WHERE id LIKE 'a%'",
        "SELECT id FROM t WHERE name LIKE 1",
        "SELECT id FROM t WHERE extract(WEEK FROM day) = 1",
        "SELECT id FROM t WHERE id % '2' = 0",
        "SELECT id FROM t WHERE id % 2.5 = 0",
        "SELECT id FROM t WHERE f % 2 = 0",
        "SELECT id FROM t WHERE id IN (1, 'x')",
        "SELECT id FROM t WHERE id = 1 AND at IN (SELECT raise_error('x') FROM u)",
        "SELECT id FROM t UNION ALL SELECT id FROM u UNION ALL SELECT name FROM u",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE 1 / u.id = t.id)",
        "SELECT 1 / id FROM t GROUP BY id HAVING count(*) > 1",
        "SELECT (SELECT max(id) FROM u WHERE 1 / u.id > 0) FROM t",
        "SELECT max((SELECT id FROM u WHERE 1 / u.id > 0)) FROM t",
        "SELECT 1 / id FROM t QUALIFY row_number() OVER (ORDER BY id) = 1",
        "SELECT id FROM t WHERE name IN (SELECT x FROM VALUES (id), (id) AS v(x))",
        "INSERT INTO u SELECT * FROM t WHERE 1 / id > 0",
        "CREATE TABLE n AS SELECT id FROM t WHERE 1 / id > 0",
        "SELECT id FROM t, LATERAL (SELECT 1 / t.id)",
        "SELECT id FROM (SELECT id, pay * pay AS q FROM t) WHERE q * q * q > 1",
        "SELECT m FROM (SELECT max(coalesce(name, id)) AS m FROM t) a JOIN t b ON m = b.name",
        "SELECT m FROM (SELECT sum(name) AS m FROM t) a JOIN t b ON m = b.big",
        "SELECT m FROM (SELECT max(-name) AS m FROM t) a JOIN t b ON m = b.name",
        "SELECT id AS a, name AS b FROM t UNION ALL BY NAME SELECT id AS b, name AS a FROM u",
        "SELECT id AS name FROM t GROUP BY id, name HAVING name = 'x'",
        "SELECT id FROM t WHERE (SELECT id FROM u) IN (1, 2)",
        "SELECT t.id FROM t JOIN u ON (SELECT ok FROM u)",
        "SELECT t.id FROM t JOIN u ON t.name",
        "SELECT id IN (SELECT name FROM t) FROM u",
        "SELECT max(id IN (SELECT name FROM t)) FROM u",
        "SELECT id FROM t WHERE substring(name, 9999999999, 2) = 'x'",
        "SELECT id FROM t WHERE left(name, 1e99) = 'x'",
        "SELECT id FROM t WHERE id % 9999999999 = 1",
        "SELECT id FROM t WHERE to_date(day, 'yyyy') = day",
        "SELECT id FROM t WHERE pay = 99999999999999999999999999999999999999",
        "SELECT id FROM t WHERE id IN (0.00000000000000000000000001, 123456789012345678901234567)",
        "SELECT id FROM t WHERE NULL IN (1, 'x')",
        "SELECT id FROM t WHERE day IN ('2024-02-29', 'x')",
        "SELECT id FROM t WHERE day = name",
        "SELECT id FROM t WHERE day IN (DATE'2024-02-29', name)",
        "SELECT id FROM t WHERE f IN (1, 2.5)",
        "SELECT id FROM t WHERE concat(name, name) = 'x'",
        "SELECT id FROM t WHERE name || '-' || name = 'x'",
        "SELECT id FROM t WHERE name || id = 'x'",
        "SELECT id FROM t WHERE array(name)[1] = 'x'",
        "SELECT id FROM t WHERE concat_ws(name, 'a', 'b') = 'x'",
        "SELECT id FROM t WHERE EXISTS (SELECT max(1 / t.id) FROM u)",
        "SELECT id FROM t WHERE id IN (SELECT max(u.id) FROM u HAVING max(1 / t.big) > 1)",
        "SELECT id FROM (SELECT id, concat('a', id) AS x FROM t)",
        "SELECT id FROM (SELECT id, substring(id, 1, 2) AS x FROM t)",
        "SELECT id FROM (SELECT id, coalesce(name, id) AS x FROM t)",
        "SELECT id FROM (SELECT id, coalesce(_file, _file) AS x FROM t)",
        "SELECT id FROM (SELECT id, CASE name WHEN TRUE THEN 1 END AS x FROM t)",
        "SELECT id FROM (SELECT id, name % 2 AS x FROM t)",
        "SELECT id FROM (SELECT id, id % `5` AS x FROM t)",
        "SELECT id FROM (SELECT id, left(name, `5`) AS x FROM t)",
        "SELECT id FROM (SELECT id, extract(WEEK FROM day) AS x FROM t)",
        "SELECT t.id FROM t, (VALUES ('1'), (2)) AS v(x)",
        "SELECT t.id FROM t, (VALUES (NULL), (NULL)) AS v(x)",
        "SELECT t.id FROM t, u WHERE u._file IN (SELECT _file FROM u)",
        "SELECT t.id FROM t, u WHERE u._file = u._spec_id",
        "SELECT id FROM t WHERE day = substring('2024-02-29', 1, 2)",
        "SELECT NULL FROM t UNION ALL SELECT NULL FROM u",
        "SELECT id FROM t UNION ALL SELECT id FROM u ORDER BY 1 / id",
        "SHOW STATS FOR t",
        "SELECT id FROM t WHERE name",
        "SELECT id FROM t WHERE ok AND name",
        "SELECT id FROM t WHERE name OR ok",
        "SELECT id FROM t WHERE NOT name",
        "SELECT id FROM t GROUP BY id, name HAVING name",
        "SELECT id FROM t QUALIFY name",
        "SELECT id FROM t WHERE if(name, 1, 2) = 1",
        "SELECT id FROM t WHERE CASE WHEN name THEN 1 END = 1",
        "SELECT id FROM t |> WHERE id = 1",
        "SELECT id FROM u WHERE id IN (SELECT id FROM t ORDER BY id LIMIT 1) |> WHERE id = 1",
    ],
)  # fmt: skip
def test_what_can_fail_below_the_guard_needs_one(lake: BoundLake, sql: str) -> None:
    assert _barrier(lake, sql)


FAILS = "SELECT id FROM t WHERE 1 / id > 0"


def test_a_text_is_not_looked_into_where_it_may_be_a_partitions_null(tmp_path: Path) -> None:
    """Iceberg fails there, on a partition that may be hidden."""
    field = {"source-id": 3, "field-id": 1000, "name": "name", "transform": "identity"}
    spec = {"spec-id": 0, "fields": [field]}
    with bound_lake(tmp_path, Identity("ann"), u=COLUMNS) as lake:
        for name, more in (("t", {"partition-spec": spec}), ("plain", {})):
            request = {"name": name, "schema": COLUMNS, **more}
            lake.catalog.create_table(("s",), request)
        assert _barrier(lake, "SELECT id FROM t WHERE name LIKE 'a%' OR id = 1")
        assert not _barrier(lake, "SELECT id FROM t WHERE name = 'a' OR id = 1")


def test_without_hidden_rows_there_is_nothing_to_tell(lake: BoundLake) -> None:
    assert not _barrier(lake, FAILS, Restrict("test", masks={"name": NullMask()}))
    assert not _barrier(lake, FAILS, Restrict("test", hidden=frozenset({"name"})))


@pytest.mark.parametrize(
    "limits",
    [
        Restrict("test", (RowFilter("CAST(name AS INT) > 1"),)),
        Restrict("test", (RowFilter("id > 1"),), {"name": ExpressionMask("1 / id")}),
        Restrict(
            "test", (RowFilter("id > 1"),), {"NAME": ExpressionMask("upper(raise_error(id))")}
        ),
        Restrict("test", (RowFilter("id > 1"),), {"id": ExpressionMask("name")}),
        Restrict("test", (RowFilter("id > 1"), RowFilter("1 / id > 0"))),
        Restrict("test", (RowFilter("id > 1"),), {"name": RegexMask("(a|b)*", "x")}),
        Restrict("test", (RowFilter("id > 1"),), {"at": TruncateMask("year")}),
        Restrict("test", (RowFilter("id > 1"),), {"id": ExpressionMask("big")}),
    ],
)
def test_a_policy_that_can_fail_itself_is_kept_from_what_is_above_it(
    lake: BoundLake, limits: Restrict
) -> None:
    assert _barrier(lake, "SELECT id FROM t", limits)


def test_a_policy_that_cannot_fail_is_not_in_the_way(lake: BoundLake) -> None:
    masks: dict[str, Mask] = {"NAME": ExpressionMask("upper(name)"), "day": NullMask()}
    assert not _barrier(lake, "SELECT id FROM t", Restrict("test", (RowFilter("id > 1"),), masks))


@pytest.mark.parametrize(
    ("query", "barrier"),
    [("SELECT id FROM t WHERE id > 0", False), ("SELECT id FROM t WHERE 1 / id > 0", True)],
)
def test_a_view_that_can_fail_is_as_what_is_written(
    lake: BoundLake, query: str, barrier: bool
) -> None:
    view = TemporaryView("w", query, (Column("id", "int"),), HERE, ("id",))
    lake.session.keep_view(view, replace=True)
    assert _barrier(lake, "SELECT * FROM w") is barrier


@pytest.mark.parametrize(
    ("query", "kind", "barrier"),
    [
        ("SELECT id AS x FROM t", "int", False),
        ("SELECT big AS x FROM t", "int", True),
        ("SELECT name AS X FROM t", "int", True),
        ("SELECT name AS x FROM t", "array<int>", False),
        ("SELECT max(name) AS x FROM t", "int", False),
        ("SELECT max(name) AS y, name AS x FROM t", "int", True),
        ("SELECT max(name) OVER (ORDER BY id) AS x FROM t", "int", True),
        ("SELECT id AS x FROM t UNION ALL SELECT id FROM u", "int", False),
        ("SELECT id AS x FROM t UNION ALL SELECT id FROM u", "bigint", True),
    ],
)
@pytest.mark.parametrize("named", [("x",), ()])
def test_a_view_whose_table_has_changed_casts(
    lake: BoundLake, query: str, kind: str, barrier: bool, named: tuple[str, ...]
) -> None:
    """To the type that its column had when it was made."""
    columns = (Column("a" if named else "x", kind),)
    lake.session.keep_view(TemporaryView("w", query, columns, HERE), replace=True)
    bound = lake.bound("SELECT * FROM w")
    [reference] = bound.references
    assert isinstance(reference.target, BoundView)
    view = replace(reference.target, query_columns=named, types=(kind,))
    stored = replace(bound, references=(replace(reference, target=view),))
    decisions: dict[Key, Decision] = {need.key: Allow("test") for need in needs_of(stored)}
    assert can_fail(GuardedStatement(stored, decisions)) is barrier
