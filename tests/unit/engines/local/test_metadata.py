"""SELECTs over information_schema, as Spark would answer them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sqe.engines.local.lazy import LazyLocalEngine
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import NotLocal
from sqe.engines.metadata import MetadataSource
from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, UserError
from sqe.results.cancellation import Cancellation
from sqe.rewrite.session_values import answer_session_functions
from tests.unit.coordinator.lake import Lake


class AskedLake(Lake):
    """What is in it is asked of the local engine."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        options = LocalOptions(folder=folder / "spill", pool=1)
        rows = MetadataSource(self.catalogs).rows
        self.engine = LazyLocalEngine(options, rows, self.catalogs)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[AskedLake]:
    lake = AskedLake(tmp_path)
    yield lake
    lake.engine.close()
    lake.close()


def ask(lake: AskedLake, text: str) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """The columns (name, type) and the rows."""
    run = lake.new_run()
    guarded = answer_session_functions(lake.guarded(text), lake.session.schema, "ada")
    lake.lake.calls.clear()
    described = lake.engine.prepare(guarded, run.session).describe(run)
    assert not lake.lake.calls
    with lake.engine.prepare(guarded, run.session).run(run) as result:
        assert result.columns == described.columns
        table = result.read_all()
    assert table.schema.equals(described.schema)
    columns = [column.to_pylist() for column in table.columns]
    return [(c.name, c.type) for c in described.columns], list(zip(*columns, strict=True))


def rows(lake: AskedLake, text: str) -> list[tuple[Any, ...]]:
    return ask(lake, text)[1]


def test_a_filter_lists_one_schema(lake: AskedLake) -> None:
    columns, found = ask(
        lake, "SELECT TABLE_NAME, table_type FROM information_schema.tables WHERE table_schema='hr'"
    )
    assert columns == [("TABLE_NAME", "string"), ("table_type", "string")]
    assert found == [("dept", "BASE TABLE"), ("emp", "BASE TABLE"), ("names", "VIEW")]
    assert dict(lake.lake.calls) == {"list hr": 1}


def test_a_join_passes_the_filter_on(lake: AskedLake) -> None:
    text = """
        SELECT t.table_name, c.column_name
        FROM lake.information_schema.tables t
        JOIN information_schema.columns AS c
          ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE t.table_schema = 'hr' AND c.table_name IN ('emp', 'x') AND t.table_type LIKE 'BASE%'
        ORDER BY c.ordinal_position DESC LIMIT 2"""
    assert rows(lake, text) == [("emp", "home"), ("emp", "hired")]
    assert dict(lake.lake.calls) == {"list hr": 2, "load hr.emp": 1}


def test_an_outer_join_passes_the_filter_to_the_optional_side_only(lake: AskedLake) -> None:
    text = """
        SELECT t.table_name, v.view_definition
        FROM information_schema.tables t LEFT JOIN information_schema.views v
          ON t.table_name = v.table_name AND t.table_schema = v.table_schema
        WHERE t.table_schema = 'sales'"""
    assert rows(lake, text) == [("orders", None)]
    assert not [call for call in lake.lake.calls if "view" in call]


def test_like_with_an_escape_lists_by_prefix(lake: AskedLake) -> None:
    text = r"SELECT column_name FROM information_schema.columns WHERE table_name LIKE 'de\_%'"
    assert rows(lake, text) == []
    text = "SELECT column_name FROM information_schema.columns WHERE table_name LIKE 'd%t'"
    assert rows(lake, text) == [("a",)]
    assert [call for call in lake.lake.calls if call.startswith("load")] == ["load hr.dept"]


@pytest.mark.parametrize(
    "condition",
    [
        "table_schema = 'hr' OR table_name = 'orders'",
        "NOT table_schema = 'hr'",
        "table_schema <> 'hr'",
        "lower(table_schema) = 'hr'",
        "table_schema NOT LIKE 'h%'",
        "table_schema IN (SELECT schema_name FROM information_schema.schemata)",
    ],
)
def test_what_is_not_certain_is_not_pushed(lake: AskedLake, condition: str) -> None:
    ask(lake, f"SELECT table_name FROM information_schema.tables WHERE {condition}")
    assert sorted(call for call in lake.lake.calls) == ["list hr", "list hr.old", "list sales"]


def test_an_alias_that_shadows_is_not_confused(lake: AskedLake) -> None:
    text = """
        SELECT count(*) AS n FROM information_schema.tables t WHERE EXISTS (
          SELECT 1 FROM information_schema.schemata t WHERE t.schema_name = 'hr')"""
    assert rows(lake, text) == [(5,)]


def test_groups_are_named_as_spark_names_them(lake: AskedLake) -> None:
    columns, found = ask(
        lake,
        "SELECT t.table_schema, count(*), COUNT(DISTINCT table_type), upper(t.table_schema),"
        " sum(1), max(length(table_name)) FROM information_schema.tables t"
        " GROUP BY 1, 4 HAVING count(*) > 1 ORDER BY 1",
    )
    assert columns == [
        ("table_schema", "string"),
        ("count(1)", "bigint"),
        ("count(DISTINCT table_type)", "bigint"),
        ("upper(table_schema)", "string"),
        ("sum(1)", "bigint"),
        ("max(length(table_name))", "int"),
    ]
    assert found == [("hr", 3, 2, "HR", 3, 5)]


def test_expressions_are_named_as_spark_names_them(lake: AskedLake) -> None:
    columns, found = ask(
        lake,
        "SELECT table_schema || '.' || table_name, table_name = 'emp', 1, 'x',"
        " CASE WHEN table_type = 'VIEW' THEN 'v' ELSE 't' END, table_name IS NOT NULL,"
        " table_name BETWEEN 'a' AND 'b', table_name <> 'x', table_name IN ('x', 'y')"
        " FROM information_schema.tables WHERE table_schema = 'sales'",
    )
    assert [name for name, _ in columns] == [
        "concat(concat(table_schema, .), table_name)",
        "(table_name = emp)",
        "1",
        "x",
        "CASE WHEN (table_type = VIEW) THEN v ELSE t END",
        "(table_name IS NOT NULL)",
        "between(table_name, a, b)",
        "(NOT (table_name = x))",
        "(table_name IN (x, y))",
    ]
    assert found == [("sales.orders", False, 1, "x", "t", True, False, True, False)]


@pytest.mark.parametrize(
    ("order", "first", "last"),
    [("comment", None, "the key"), ("comment DESC", "the key", None)],
)
def test_null_sorts_as_in_spark(lake: AskedLake, order: str, first: Any, last: Any) -> None:
    text = (
        f"SELECT comment FROM information_schema.columns WHERE table_name = 'emp' ORDER BY {order}"
    )
    found = [row[0] for row in rows(lake, text)]
    assert (found[0], found[-1]) == (first, last)


def test_ctes_subqueries_and_sets(lake: AskedLake) -> None:
    text = """
        WITH tables AS (SELECT table_name AS n FROM information_schema.tables),
             twice AS (SELECT n, count(*) AS k FROM tables GROUP BY n)
        SELECT n FROM twice WHERE k = (SELECT max(k) FROM twice)
        UNION ALL SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'hr%'
        EXCEPT SELECT 'hr' ORDER BY n"""
    assert rows(lake, text) == [("emp",), ("hr.old",)]


def test_two_catalogs_in_one_query(lake: AskedLake) -> None:
    text = """
        SELECT catalog_name, schema_name FROM attic.information_schema.schemata
        UNION ALL SELECT * FROM lake.information_schema.schemata ORDER BY 1, 2 LIMIT 2"""
    assert rows(lake, text) == [("attic", "default"), ("lake", "hr")]


def test_session_functions_are_the_sessions(lake: AskedLake) -> None:
    text = """
        SELECT count(*) AS n FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_catalog = current_catalog()"""
    assert rows(lake, text) == [(3,)]
    assert dict(lake.lake.calls) == {"list hr": 1}


def test_unqualified_names_in_information_schema(lake: AskedLake) -> None:
    lake.run("USE information_schema")
    assert rows(lake, "SELECT tables.table_name FROM tables WHERE table_schema = 'sales'") == [
        ("orders",)
    ]


def test_columns_of_one_name_are_kept_apart(lake: AskedLake) -> None:
    columns, found = ask(
        lake,
        "SELECT * FROM information_schema.schemata a CROSS JOIN information_schema.schemata b"
        " WHERE a.schema_name = 'hr' AND b.schema_name = 'sales'",
    )
    assert [name for name, _ in columns] == ["catalog_name", "schema_name"] * 2
    assert found == [("lake", "hr", "lake", "sales")]


def test_what_is_proven_of_tables_is_proven_here(lake: AskedLake) -> None:
    columns, found = ask(
        lake,
        "SELECT row_number() OVER (ORDER BY table_name) AS place, ifnull(comment, 'x'),"
        " substring(table_name, 0, 2), 1.5, NULL AS n, 1 / 2, upper('é'), a"
        " FROM information_schema.columns JOIN (VALUES (1)) AS v(a) ON true"
        " WHERE table_schema = 'sales'",
    )
    assert columns == [
        ("place", "int"),
        ("ifnull(comment, x)", "string"),
        ("substring(table_name, 0, 2)", "string"),
        ("1.5", "decimal(2,1)"),
        ("n", "void"),
        ("(1 / 2)", "double"),
        ("upper(é)", "string"),
        ("a", "int"),
    ]
    assert found == [(1, "x", "or", Decimal("1.5"), None, 0.5, "É", 1)]


def test_a_name_comes_from_the_list_it_is_compared_with(lake: AskedLake) -> None:
    text = """
        SELECT c.column_name FROM information_schema.columns c, information_schema.tables t
        WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name
        AND t.table_name = 'orders'"""
    assert rows(lake, text) == [("a",)]
    assert [call for call in lake.lake.calls if call.startswith("load")] == ["load sales.orders"]


def test_using_passes_the_filter_on(lake: AskedLake) -> None:
    text = """
        SELECT c.column_name FROM information_schema.tables t
        JOIN information_schema.columns c USING (table_schema, table_name)
        WHERE t.table_name = 'orders' AND t.table_schema = 'sales'"""
    assert rows(lake, text) == [("a",)]
    assert dict(lake.lake.calls) == {"list sales": 2, "load sales.orders": 1}


def test_a_set_says_nothing_of_what_it_is_compared_with(lake: AskedLake) -> None:
    text = """
        SELECT t.table_name FROM (
          SELECT schema_name AS s FROM information_schema.schemata WHERE schema_name = 'hr'
          UNION SELECT 'sales') AS u
        JOIN information_schema.tables t ON t.table_schema = u.s ORDER BY 1"""
    assert rows(lake, text) == [("dept",), ("emp",), ("names",), ("orders",)]


@pytest.mark.parametrize(
    "select",
    [
        "regexp_replace(table_name, '(?<=a)b', 'c')",
        "coalesce(table_name, 1)",
        "CAST(table_name AS INT)",
        "current_user()",
        "upper(current_user())",
        "regexp_like(table_name, table_schema)",
    ],
)
def test_what_is_not_proven_is_left_to_spark(lake: AskedLake, select: str) -> None:
    with pytest.raises(NotLocal):
        ask(lake, f"SELECT {select} FROM information_schema.tables")


@pytest.mark.parametrize(
    "rest",
    [
        "UNION SELECT ordinal_position FROM information_schema.columns",
        "TABLESAMPLE (10 PERCENT)",
        "WHERE table_name = 'it''s'",
        "WHERE table_name > 1",
        "RIGHT JOIN LATERAL (SELECT 1) ON true",
    ],
)
def test_what_is_not_proven_behind_from_is_left_to_spark(lake: AskedLake, rest: str) -> None:
    with pytest.raises(NotLocal):
        ask(lake, f"SELECT table_name FROM information_schema.tables {rest}")


def test_an_unknown_column_is_the_users_mistake(lake: AskedLake) -> None:
    with pytest.raises(UserError) as caught:
        ask(lake, "SELECT tabel_name FROM information_schema.tables")
    assert caught.value.code is ErrorCode.COLUMN_NOT_FOUND
    assert "table_name" in caught.value.hint


def test_a_cancel_after_the_end_does_no_harm(lake: AskedLake) -> None:
    run = Run("q1", lake.session, Cancellation())
    guarded = lake.guarded("SELECT * FROM information_schema.schemata")
    with lake.engine.prepare(guarded, run.session).run(run) as result:
        assert result.read_all().num_rows == 3
    run.cancellation.cancel()


def test_a_cancelled_query_says_so(lake: AskedLake) -> None:
    run = Run("q1", lake.session, Cancellation())
    run.cancellation.cancel()
    guarded = lake.guarded("SELECT * FROM information_schema.schemata")
    prepared = lake.engine.prepare(guarded, run.session)
    with pytest.raises(UserError) as caught, prepared.run(run) as result:
        result.read_all()
    assert caught.value.code is ErrorCode.CANCELLED
