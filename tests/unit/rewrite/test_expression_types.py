"""Types that are likely, and those that are certain: of views, and of what is deep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sqe.binding.bound import BoundStatement, BoundView
from sqe.model.decision import Allow
from sqe.model.identity import Identity
from sqe.model.query import Column
from sqe.rewrite.expression_types import Types, is_plain
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import needs_of
from sqe.sessions.session import TemporaryView
from tests.unit.rewrite.bound_lake import HERE, BoundLake, bound_lake, struct

COLUMNS = struct(
    id="int", big="long", name="string", pay="decimal(10,2)", day="date", ok="boolean", f="float",
)  # fmt: skip


_LIST = {"type": "list", "element-id": 91, "element": "date", "element-required": False}
COLUMNS["fields"].append({"id": 90, "name": "xs", "type": _LIST, "required": False})
OTHER = struct(a="date", b="string")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), t=COLUMNS, u=OTHER) as made:
        yield made


def _types(bound: BoundStatement, *, certain: bool) -> tuple[Types, Any]:
    """And the first thing that is selected."""
    decisions = {need.key: Allow("test") for need in needs_of(bound)}
    found = Types(GuardedStatement(bound, decisions), certain=certain)
    return found, bound.statement.tree.expressions[0]


@pytest.mark.parametrize(
    ("sql", "likely", "certain"),
    [
        ("id", "int", "int"),
        ("id + big", "bigint", "bigint"),
        ("id * 2", "int", "int"),
        ("pay + pay", "decimal(10,2)", "decimal(11,2)"),
        ("pay / 2", "decimal(10,2)", None),
        ("2 / pay", "int", None),
        ("unknown / pay", "decimal(10,2)", None),
        ("xs[0]", "date", None),
        ("name[0]", None, None),
        ("sum(CAST(id AS DOUBLE))", "double", "double"),
        ("id / 2", "double", None),
        ("day + 1", "date", None),
        ("id + unknown", "int", None),
        ("f + id", "float", "double"),
        ("coalesce(id, name)", "int", None),
        ("coalesce(unknown, id)", "int", None),
        ("CASE WHEN ok THEN unknown ELSE id END", "int", None),
        ("CASE WHEN ok THEN id ELSE name END", "int", None),
        ("if(ok, id, name)", "int", None),
        ("if(ok, unknown, name)", "string", None),
        ("sum(id)", "bigint", "bigint"),
        ("sum(f)", "double", "double"),
        ("sum(pay)", "decimal(20,2)", "decimal(20,2)"),
        ("sum(unknown)", None, None),
        ("avg(pay)", "double", "decimal(14,6)"),
        ("-name", "string", None),
        ("round(pay, 1)", "decimal(10,2)", None),
        ("rank() OVER (ORDER BY id)", "bigint", "int"),
        ("(SELECT name FROM t)", "string", "string"),
        ("array(id)[0]", None, None),
        ("1", "int", "int"),
        ("CAST(name AS INT)", "int", "int"),
        ("soundex(name)", None, None),
    ],
)
def test_what_is_likely_is_not_certain(
    lake: BoundLake, sql: str, likely: str | None, certain: str | None
) -> None:
    bound = lake.bound(f"SELECT {sql} FROM t")
    for sure, expected in ((False, likely), (True, certain)):
        types, node = _types(bound, certain=sure)
        assert types.of(node) == expected
        assert types.of(node) == expected, "and the second time"


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("int", "(id) | -id | max(id) | min(id) | first(id) | last(id) | any_value(id) | abs(id)"),
        ("int", "round(id) | id AS x | max(id) OVER () | max(id) FILTER (WHERE ok)"),
        ("int", "nullif(id, 1)"),
        ("int", "lag(id) OVER (ORDER BY id) | lead(id) OVER (ORDER BY id) | ~id | id % 2"),
        ("int", "first_value(id) OVER (ORDER BY id) | last_value(id) OVER (ORDER BY id)"),
        ("int", "greatest(id, 1) | least(id, 1) | length(name) | year(day) | month(day)"),
        ("int", "day(day) | hour(day) | minute(day) | second(day) | extract(WEEK FROM day)"),
        ("int", "datediff(day, day) | quarter(day) | dayofweek(day) | locate('a', name)"),
        ("boolean", "id = 1 | ok AND ok | NOT ok | TRUE | startswith(name, 'a')"),
        ("boolean", "endswith(name, 'a') | contains(name, 'a')"),
        ("bigint", "count(*) | row_number() OVER (ORDER BY id) | rank() OVER (ORDER BY id)"),
        ("bigint", "dense_rank() OVER (ORDER BY id) | id DIV 2"),
        ("string", "upper(name) | lower(name) | substring(name, 1) | concat(name, name)"),
        ("string", "name || name | trim(name) | replace(name, 'a') | left(name, 1)"),
        ("string", "right(name, 1) | lpad(name, 1) | date_format(day, 'y') | initcap(name)"),
        ("string", "regexp_replace(name, 'a', 'b')"),
        ("date", "current_date() | to_date(name) | date_add(day, 1) | add_months(day, 1)"),
        ("date", "last_day(day) | day + 1 | 1 + day"),
        ("timestamp", "current_timestamp() | date_trunc('DAY', day) | to_timestamp(name, 'y')"),
        ("double", "avg(id) | stddev(id) | sqrt(id) | ln(id) | exp(id) | power(id, 2) | rand()"),
        ("double", "id / 2 | f + CAST(id AS DOUBLE)"),
        ("interval day to second", "INTERVAL '1' DAY"),
        ("smallint", "CAST(id AS TINYINT) + CAST(id AS SMALLINT)"),
        ("tinyint", "CAST(id AS TINYINT) + name"),
        ("timestamp_ntz", "CAST(day AS TIMESTAMP_NTZ) + INTERVAL '1' DAY"),
        ("timestamp", "CAST(day AS TIMESTAMP) - INTERVAL '1' DAY"),
    ],
)  # fmt: skip
def test_a_marker_is_likely_to_be_what_stands_beside_it(
    lake: BoundLake, kind: str, written: str
) -> None:
    for sql in written.split(" | "):
        types, node = _types(lake.bound(f"SELECT {sql} FROM t"), certain=False)
        assert types.of(node) == kind, sql


def test_what_is_no_expression_has_no_type(lake: BoundLake) -> None:
    types, _ = _types(lake.bound("SELECT id FROM t"), certain=True)
    assert types.of(None) is None
    assert types.of("id") is None


@pytest.mark.parametrize(("depth", "expected"), [(60, "int"), (61, None)])
def test_there_is_an_end_to_looking_into_it(
    lake: BoundLake, depth: int, expected: str | None
) -> None:
    bound = lake.bound(f"SELECT {'(' * depth}id{')' * depth} FROM t")
    types, node = _types(bound, certain=True)
    assert types.of(node) == expected
    assert types.of(bound.statement.tree.expressions[0]) == expected


def test_what_is_explained_has_the_types_that_it_has(lake: BoundLake) -> None:
    bound = lake.bound("EXPLAIN SELECT id FROM t")
    assert bound.inner is not None
    decisions = {need.key: Allow("test") for need in needs_of(bound)}
    asked = bound.inner.statement.tree.expressions[0]
    assert Types(GuardedStatement(bound, decisions)).of(asked) == "int"
    nothing = lake.bound("SHOW TABLES")
    assert Types(GuardedStatement(nothing, {})).of(asked) is None


@pytest.mark.parametrize(
    ("sql", "index", "expected"),
    [
        ("WITH w AS (SELECT id FROM t) INSERT INTO u SELECT * FROM w", 0, "date"),
        ("INSERT INTO u SELECT * FROM t", 1, "string"),
        ("INSERT INTO u SELECT * FROM t", 2, None),
        ("INSERT INTO u (B) SELECT 1", 0, "string"),
        ("INSERT INTO u (b) SELECT 1", 1, None),
    ],
)
def test_a_value_is_written_to_a_column(
    lake: BoundLake, sql: str, index: int, expected: str | None
) -> None:
    bound = lake.bound(sql)
    decisions = {need.key: Allow("test") for need in needs_of(bound)}
    types = Types(GuardedStatement(bound, decisions))
    assert types.type_of_insert_column(bound.statement.tree, index) == expected


def test_what_an_insert_writes_is_its_own_query(lake: BoundLake) -> None:
    types, _ = _types(lake.bound("SELECT id FROM t"), certain=False)
    insert = lake.bound("INSERT INTO u (SELECT a, (SELECT 'x') FROM u)").statement.tree
    query = insert.expression.unnest()
    assert types.is_source(insert, query)
    assert not types.is_source(insert, query.expressions[1].unnest())
    by_name = lake.bound("INSERT INTO u BY NAME SELECT a, b FROM u").statement.tree
    assert not types.is_source(by_name, by_name.expression)


def _view(lake: BoundLake, query: str, *columns: str, **more: Any) -> BoundStatement:
    """A statement over a view of the query, which gave ints when it was made."""
    kept = tuple(Column(name, "int") for name in columns)
    lake.session.keep_view(TemporaryView("w", query, kept, HERE), replace=True)
    bound = lake.bound(f"SELECT {columns[-1]} FROM w")
    [reference] = bound.references
    assert isinstance(reference.target, BoundView)
    changed = replace(reference, target=replace(reference.target, **more))
    return replace(bound, references=(changed,))


@pytest.mark.parametrize(
    ("query", "more", "expected"),
    [
        ("SELECT name AS a FROM t", {}, "string"),
        ("SELECT name AS a FROM t", {"types": ("bigint",)}, "bigint"),
        ("SELECT name AS a FROM t", {"types": ("array<int>",)}, "string"),
        ("SELECT name FROM t", {"query_columns": ("name",)}, "string"),
        ("SELECT name FROM t", {"query_columns": ("name",), "types": ("int",)}, "int"),
        ("SELECT name FROM t", {}, None),
        ("SELECT name, 1 FROM t", {"query_columns": ("name",)}, "string"),
        ("SELECT soundex(name) AS a FROM t", {}, None),
        ("VALUES (1)", {}, None),
    ],
)
def test_a_view_gives_what_its_query_gives_now_or_what_it_is_cast_to(
    lake: BoundLake, query: str, more: dict[str, Any], expected: str | None
) -> None:
    bound = _view(lake, query, "a", **more)
    types, node = _types(bound, certain=True)
    assert types.of(node) == expected
    types, node = _types(bound, certain=False)
    assert types.of(node) == "int"


def test_columns_of_one_name_are_not_cast(lake: BoundLake) -> None:
    more = {"query_columns": ("name", "NAME"), "types": ("int", "int")}
    bound = _view(lake, "SELECT name, name FROM t", "a", "b", **more)
    types, node = _types(bound, certain=True)
    assert types.of(node) is None


@pytest.mark.parametrize("kind", ["int", "string", "decimal(10,2)", "timestamp_ntz"])
def test_plain_types_are_kept_by_a_cast(kind: str) -> None:
    assert is_plain(kind)
    assert not is_plain(f"array<{kind}>")
    assert not is_plain("")
