"""SELECTs over information_schema, as Spark would answer them."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.information_schema import rows as listing
from sqe.catalog.listing import Listing
from sqe.coordinator.coordinator import metadata_query
from sqe.engines.local.metadata import NotLocal, describe_metadata_query, run_metadata_query
from sqe.errors import ErrorCode, UserError
from sqe.results.cancellation import Cancellation
from tests.unit.coordinator.lake import Lake


def ask(lake: Lake, text: str) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """The columns (name, type) and the rows."""
    query = metadata_query(lake.guarded(text), lake.new_run())
    described = describe_metadata_query(query)
    lake.lake.calls.clear()
    result = run_metadata_query(
        query,
        lambda relation, wanted: listing(
            Listing(lake.catalogs.open(relation.catalog, lake.session.identity), wanted),
            relation.catalog,
            relation.table,
        ),
        Cancellation(),
    )
    assert result.columns == described.columns
    table = result.read_all()
    assert table.schema.equals(described.schema)
    columns = [column.to_pylist() for column in table.columns]
    return [(c.name, c.type) for c in described.columns], list(zip(*columns, strict=True))


def rows(lake: Lake, text: str) -> list[tuple[Any, ...]]:
    return ask(lake, text)[1]


def test_a_filter_lists_one_schema(lake: Lake) -> None:
    columns, found = ask(
        lake, "SELECT TABLE_NAME, table_type FROM information_schema.tables WHERE table_schema='hr'"
    )
    assert columns == [("TABLE_NAME", "string"), ("table_type", "string")]
    assert found == [("dept", "BASE TABLE"), ("emp", "BASE TABLE"), ("names", "VIEW")]
    assert dict(lake.lake.calls) == {"list hr": 1}


def test_a_join_passes_the_filter_on(lake: Lake) -> None:
    text = """
        SELECT t.table_name, c.column_name
        FROM lake.information_schema.tables t
        JOIN information_schema.columns AS c
          ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE t.table_schema = 'hr' AND c.table_name IN ('emp', 'x') AND t.table_type LIKE 'BASE%'
        ORDER BY c.ordinal_position DESC LIMIT 2"""
    assert rows(lake, text) == [("emp", "home"), ("emp", "hired")]
    assert dict(lake.lake.calls) == {"list hr": 2, "load hr.emp": 1}


def test_an_outer_join_passes_the_filter_to_the_optional_side_only(lake: Lake) -> None:
    text = """
        SELECT t.table_name, v.view_definition
        FROM information_schema.tables t LEFT JOIN information_schema.views v
          ON t.table_name = v.table_name AND t.table_schema = v.table_schema
        WHERE t.table_schema = 'sales'"""
    assert rows(lake, text) == [("orders", None)]
    assert not [call for call in lake.lake.calls if "view" in call]


def test_like_with_an_escape_lists_by_prefix(lake: Lake) -> None:
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
def test_what_is_not_certain_is_not_pushed(lake: Lake, condition: str) -> None:
    ask(lake, f"SELECT table_name FROM information_schema.tables WHERE {condition}")
    assert sorted(call for call in lake.lake.calls) == ["list hr", "list hr.old", "list sales"]


def test_an_alias_that_shadows_is_not_confused(lake: Lake) -> None:
    text = """
        SELECT count(*) AS n FROM information_schema.tables t WHERE EXISTS (
          SELECT 1 FROM information_schema.schemata t WHERE t.schema_name = 'hr')"""
    assert rows(lake, text) == [(5,)]


def test_groups_are_named_as_spark_names_them(lake: Lake) -> None:
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


def test_expressions_are_named_as_spark_names_them(lake: Lake) -> None:
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
def test_null_sorts_as_in_spark(lake: Lake, order: str, first: Any, last: Any) -> None:
    text = (
        f"SELECT comment FROM information_schema.columns WHERE table_name = 'emp' ORDER BY {order}"
    )
    found = [row[0] for row in rows(lake, text)]
    assert (found[0], found[-1]) == (first, last)


def test_ctes_subqueries_and_sets(lake: Lake) -> None:
    text = """
        WITH tables AS (SELECT table_name AS n FROM information_schema.tables),
             twice AS (SELECT n, count(*) AS k FROM tables GROUP BY n)
        SELECT n FROM twice WHERE k = (SELECT max(k) FROM twice)
        UNION ALL SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'hr%'
        EXCEPT SELECT 'hr' ORDER BY n"""
    assert rows(lake, text) == [("emp",), ("hr.old",)]


def test_two_catalogs_in_one_query(lake: Lake) -> None:
    text = """
        SELECT catalog_name, schema_name FROM attic.information_schema.schemata
        UNION ALL SELECT * FROM lake.information_schema.schemata ORDER BY 1, 2 LIMIT 2"""
    assert rows(lake, text) == [("attic", "default"), ("lake", "hr")]


def test_session_functions_are_the_sessions(lake: Lake) -> None:
    text = """
        SELECT count(*) AS n FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_catalog = current_catalog()"""
    assert rows(lake, text) == [(3,)]
    assert dict(lake.lake.calls) == {"list hr": 1}


def test_unqualified_names_in_information_schema(lake: Lake) -> None:
    lake.run("USE information_schema")
    assert rows(lake, "SELECT tables.table_name FROM tables WHERE table_schema = 'sales'") == [
        ("orders",)
    ]


def test_columns_of_one_name_are_kept_apart(lake: Lake) -> None:
    columns, found = ask(
        lake,
        "SELECT * FROM information_schema.schemata a CROSS JOIN information_schema.schemata b"
        " WHERE a.schema_name = 'hr' AND b.schema_name = 'sales'",
    )
    assert [name for name, _ in columns] == ["catalog_name", "schema_name"] * 2
    assert found == [("lake", "hr", "lake", "sales")]


@pytest.mark.parametrize(
    "select",
    [
        "regexp_replace(table_name, 'a', 'b')",
        "row_number() OVER (ORDER BY table_name)",
        "coalesce(table_name, 1)",
        "CAST(table_name AS INT)",
        "ifnull(table_name, 'x')",
        "substring(table_name, 0, 2)",
        "1.5",
        "current_user()",
        "upper(current_user())",
        "NULL AS n",
        "table_name LIKE table_schema",
        "1 / 2",
        "upper('é')",
        "current_date()",
    ],
)
def test_what_is_not_proven_is_left_to_spark(lake: Lake, select: str) -> None:
    with pytest.raises(NotLocal):
        ask(lake, f"SELECT {select} FROM information_schema.tables")


@pytest.mark.parametrize(
    "rest",
    [
        "UNION SELECT ordinal_position FROM information_schema.columns",
        "TABLESAMPLE (10 PERCENT)",
        "WHERE table_name = 'it''s'",
        "WHERE table_name > 1",
        "JOIN (VALUES (1)) AS v(a) ON true",
        "JOIN emp ON true",
    ],
)
def test_what_is_not_proven_behind_from_is_left_to_spark(lake: Lake, rest: str) -> None:
    with pytest.raises(NotLocal):
        ask(lake, f"SELECT table_name FROM information_schema.tables {rest}")


def test_an_unknown_column_is_the_users_mistake(lake: Lake) -> None:
    with pytest.raises(UserError) as caught:
        ask(lake, "SELECT tabel_name FROM information_schema.tables")
    assert caught.value.code is ErrorCode.COLUMN_NOT_FOUND
    assert "table_name" in caught.value.hint


def test_a_cancel_after_the_end_does_no_harm(lake: Lake) -> None:
    cancellation = Cancellation()
    query = metadata_query(
        lake.guarded("SELECT * FROM information_schema.schemata"), lake.new_run()
    )
    result = run_metadata_query(
        query,
        lambda relation, wanted: listing(Listing(lake.lake, wanted), "lake", relation.table),
        cancellation,
    )
    cancellation.cancel()
    assert result.read_all().num_rows == 3


def test_a_cancelled_query_says_so(lake: Lake) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    query = metadata_query(
        lake.guarded("SELECT * FROM information_schema.schemata"), lake.new_run()
    )
    with pytest.raises(UserError) as caught:
        run_metadata_query(
            query,
            lambda relation, wanted: listing(Listing(lake.lake, wanted), "lake", relation.table),
            cancellation,
        )
    assert caught.value.code is ErrorCode.CANCELLED
