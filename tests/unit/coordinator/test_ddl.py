"""CREATE SCHEMA, DROP SCHEMA, DROP TABLE, DROP VIEW."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.unit.coordinator.lake import Lake


def test_create_a_schema(lake: Lake) -> None:
    result = lake.run("CREATE SCHEMA lab COMMENT 'try' WITH DBPROPERTIES ('k' = 'v')")
    assert result.columns == ()
    properties = lake.lake.load_namespace(("lab",))
    assert (properties["comment"], properties["k"]) == ("try", "v")


def test_create_a_schema_in_another_catalog_and_inside_another(lake: Lake) -> None:
    lake.run("CREATE SCHEMA attic.box")
    lake.run("CREATE SCHEMA hr.young")
    assert ("box",) in lake.attic.list_namespaces()
    assert ("hr", "young") in lake.lake.list_namespaces(("hr",))


@pytest.mark.parametrize("name", ["hr", "HR"])
def test_a_schema_that_exists(lake: Lake, name: str) -> None:
    assert lake.refusal(f"CREATE SCHEMA {name}").code is ErrorCode.SCHEMA_ALREADY_EXISTS
    lake.run(f"CREATE SCHEMA IF NOT EXISTS {name}")
    assert lake.column("SHOW SCHEMAS") == ["hr", "sales"]


def test_a_full_schema_is_dropped_only_with_cascade(lake: Lake) -> None:
    error = lake.refusal("DROP SCHEMA hr")
    assert error.code is ErrorCode.SCHEMA_NOT_EMPTY
    assert "CASCADE" in error.hint
    lake.run("DROP SCHEMA hr CASCADE")
    assert lake.column("SHOW SCHEMAS") == ["sales"]


def test_a_schema_that_is_not_there(lake: Lake) -> None:
    lake.run("DROP SCHEMA IF EXISTS nope")
    lake.run("DROP SCHEMA IF EXISTS nope CASCADE")
    error = lake.refusal("DROP SCHEMA sale")
    assert error.code is ErrorCode.SCHEMA_NOT_FOUND
    assert error.hint == "Did you mean sales?"


@pytest.mark.parametrize("verb", ["CREATE", "DROP"])
def test_information_schema_is_not_the_users(lake: Lake, verb: str) -> None:
    assert lake.refusal(f"{verb} SCHEMA information_schema").code is ErrorCode.INVALID_ARGUMENT


def test_drop_a_table(lake: Lake) -> None:
    lake.run("DROP TABLE sales.orders PURGE")
    assert lake.lake.list_tables(("sales",)) == []
    lake.run("DROP TABLE IF EXISTS sales.orders")
    assert lake.refusal("DROP TABLE sales.orders").code is ErrorCode.TABLE_NOT_FOUND


def test_drop_a_view(lake: Lake) -> None:
    lake.run("DROP VIEW names")
    assert lake.lake.list_views(("hr",)) == []
    lake.run("DROP VIEW IF EXISTS names")


def test_a_temporary_view_wins(lake: Lake) -> None:
    lake.keep_view("names")
    lake.run("DROP VIEW names")
    assert lake.session.temporary_views() == []
    assert lake.lake.list_views(("hr",)) == ["names"]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("DROP TABLE names", "lake.hr.names is a view.", "Use DROP VIEW."),
        ("DROP VIEW emp", "lake.hr.emp is a table.", "Use DROP TABLE."),
        ("DROP TABLE mine", "mine is a temporary view.", "Use DROP VIEW."),
        ("DROP TABLE emp.snapshots", "cannot", ""),
    ],
)
def test_dropping_a_thing_of_another_kind_says_what_it_is(
    lake: Lake, text: str, message: str, hint: str
) -> None:
    lake.keep_view("mine")
    error = lake.refusal(text)
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert message in error.message or not hint
    assert error.hint == hint
    assert lake.lake.list_tables(("hr",)) == ["dept", "emp"]
