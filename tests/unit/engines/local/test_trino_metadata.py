"""Queries over Trino's own relations, answered by the local engine: what is listed and loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.engines.local.lazy import LazyLocalEngine
from sqe.engines.local.options import LocalOptions
from sqe.engines.metadata import MetadataSource
from sqe.errors import ErrorCode, SqeError
from sqe.model.query import QueryRecord, QueryState
from sqe.trino.metadata import Runtime, ServerNode
from sqe.trino.metadata.provider import TrinoMetadata
from tests.unit.coordinator.lake import Lake

Ask = Callable[[str], list[tuple[Any, ...]]]
RECORDS = (
    QueryRecord("q1", "ada", "SELECT 1", QueryState.RUNNING, 1_700_000_000.25, source="cli"),
    QueryRecord(
        "q0", "ada", "SELECT", QueryState.CANCELLED, 1_600_000_000.0, error_code="CANCELLED"
    ),
    QueryRecord("q2", "bob", "SELECT 'secret'", QueryState.RUNNING, 1_700_000_000.0),
)


@pytest.fixture
def ask(lake: Lake, tmp_path: Path) -> Iterator[Ask]:
    runtime = Runtime(
        lambda identity, conditions: [one for one in RECORDS if one.user == identity.user],
        lambda identity, conditions: (),
        lambda: ServerNode("n1", "http://x", "476"),
        lambda code: ("USER_ERROR", code.name),
    )
    metadata = MetadataSource(
        lake.catalogs, providers={"trino": TrinoMetadata(lake.catalogs, runtime)}
    )
    options = LocalOptions(folder=tmp_path / "spill", pool=1)
    engine = LazyLocalEngine(options, metadata.rows, lake.catalogs)

    def rows(text: str) -> list[tuple[Any, ...]]:
        """``$`` stands for the reserved catalog, as the translator names it."""
        guarded, run = lake.guarded(text.replace("$.", "`$trino`.")), lake.new_run()
        lake.lake.calls.clear()
        described = engine.prepare(guarded, run.session).describe(run)
        assert not lake.lake.calls
        with engine.prepare(guarded, run.session).run(run) as result:
            table = result.read_all()
        assert table.schema.equals(described.schema)
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    yield rows
    engine.close()


def test_a_catalogs_tables_have_trinos_own_among_them(ask: Ask) -> None:
    found = ask(
        "SELECT table_schema, count(*) AS n FROM $.lake.information_schema.tables AS t"
        " GROUP BY table_schema ORDER BY table_schema NULLS LAST"
    )
    assert found == [
        ("hr", 3),
        ("hr.old", 1),
        ("information_schema", 8),
        ("sales", 1),
        ("system", 1),
    ]


def test_columns_are_typed_as_trino_prints_them(ask: Ask) -> None:
    found = ask(
        "SELECT c.column_name, c.ordinal_position, c.is_nullable, c.data_type, c.comment"
        " FROM $.lake.information_schema.columns AS c"
        " WHERE c.table_schema = 'hr' AND c.table_name = 'emp' ORDER BY c.ordinal_position"
    )
    assert found == [
        ("id", 1, "NO", "bigint", "the key"),
        ("name", 2, "YES", "varchar", None),
        ("hired", 3, "YES", "timestamp(6) with time zone", None),
        ("home", 4, "YES", "row(zip code integer)", None),
    ]


def test_jdbc_asks_for_one_schema(lake: Lake, ask: Ask) -> None:
    found = ask(
        r"""SELECT t.c1, t.c2, t.c3 FROM (
          SELECT TABLE_CAT AS c0, TABLE_SCHEM AS c1, TABLE_NAME AS c2, TABLE_TYPE AS c3
          FROM $.system.jdbc.tables) AS t
        WHERE t.c0 = 'lake' AND t.c1 LIKE 'hr' ESCAPE '\\' AND t.c3 IN ('TABLE', 'VIEW')
        ORDER BY t.c3 NULLS LAST, t.c2 NULLS LAST"""
    )
    assert found == [("hr", "dept", "TABLE"), ("hr", "emp", "TABLE"), ("hr", "names", "VIEW")]
    assert dict(lake.lake.calls) == {"list hr": 1}


def test_jdbc_columns_load_the_tables_that_fit_and_no_others(lake: Lake, ask: Ask) -> None:
    found = ask(
        r"""SELECT column_name, data_type, type_name, column_size, decimal_digits, nullable
        FROM $.system.jdbc.columns AS c WHERE c.table_cat = 'lake'
        AND c.table_schem LIKE 'hr' ESCAPE '\\' AND c.table_name LIKE 'em_' ESCAPE '\\'
        AND c.column_name LIKE '%' ESCAPE '\\'
        ORDER BY table_cat, table_schem, table_name, ordinal_position"""
    )
    assert found == [
        ("id", -5, "bigint", 19, None, 0),
        ("name", 12, "varchar", 2147483647, None, 1),
        ("hired", 2014, "timestamp(6) with time zone", 80, 6, 1),
        ("home", 2000, "row(zip code integer)", None, None, 1),
    ]
    assert dict(lake.lake.calls) == {"list hr": 1, "load hr.emp": 1}


def test_an_escaped_name_is_one_name(lake: Lake, ask: Ask) -> None:
    ask(
        r"SELECT table_name FROM $.lake.information_schema.columns AS c"
        r" WHERE table_schema LIKE 'sa\\_les%' ESCAPE '\\'"
    )
    assert not lake.lake.calls


def test_a_catalog_that_is_not_asked_for_is_not_opened(lake: Lake, ask: Ask) -> None:
    found = ask("SELECT table_schem FROM $.system.jdbc.schemas AS s WHERE table_catalog = 'attic'")
    assert sorted(found) == [("default",), ("information_schema",), ("system",)]
    assert not lake.lake.calls and not lake.attic.calls


def test_no_name_is_null(lake: Lake, ask: Ask) -> None:
    assert not ask("SELECT column_name FROM $.system.jdbc.columns AS c WHERE table_cat IS NULL")
    assert not lake.lake.calls and not lake.attic.calls


def test_dbt_lists_relations_with_a_join(lake: Lake, ask: Ask) -> None:
    found = ask(
        """SELECT t.table_name AS name, CASE WHEN mv.name IS NOT NULL THEN 'materialized_view'
             WHEN t.table_type = 'BASE TABLE' THEN 'table' ELSE t.table_type END AS kind
        FROM $.lake.information_schema.tables AS t LEFT JOIN (
          SELECT * FROM $.system.metadata.materialized_views AS m
          WHERE catalog_name = 'lake' AND schema_name = 'sales') AS mv
          ON mv.catalog_name = t.table_catalog AND mv.schema_name = t.table_schema
          AND mv.name = t.table_name
        WHERE t.table_schema = 'sales' AND (mv.name IS NULL OR mv.schema_name = 'sales')"""
    )
    assert found == [("orders", "table")]
    assert dict(lake.lake.calls) == {"list sales": 2, "load sales.orders": 1}


def test_comments_of_tables_and_views(ask: Ask) -> None:
    found = ask(
        "SELECT table_name, comment FROM $.system.metadata.table_comments AS c"
        " WHERE catalog_name = 'lake' AND schema_name = 'hr' ORDER BY table_name"
    )
    assert found == [("dept", None), ("emp", "who's here"), ("names", "only names")]


def test_a_user_sees_their_own_queries(ask: Ask) -> None:
    text = "SELECT query_id, q.`user`, state, source, query FROM $.system.runtime.queries AS q"
    assert ask(f"{text} ORDER BY query_id DESC") == [
        ("q1", "ada", "RUNNING", "cli", "SELECT 1"),
        ("q0", "ada", "FAILED", None, "SELECT"),
    ]
    text = "SELECT error_type, error_code FROM $.system.runtime.queries AS q WHERE query_id = 'q0'"
    assert ask(text) == [("USER_ERROR", "CANCELLED")]
    assert ask("SELECT node_version, state FROM $.system.runtime.nodes AS n") == [("476", "active")]


@pytest.mark.parametrize(
    ("relation", "count"),
    [
        ("system.jdbc.catalogs", 3),
        ("system.jdbc.table_types", 2),
        ("system.jdbc.types", 39),
        ("system.jdbc.procedures", 0),
        ("system.metadata.catalogs", 3),
        ("system.metadata.table_properties", 24),
        ("lake.system.iceberg_tables", 4),
        ("lake.information_schema.views", 1),
        ("lake.information_schema.table_privileges", 0),
        ("system.information_schema.schemata", 5),
    ],
)
def test_every_other_relation_has_its_rows(ask: Ask, relation: str, count: int) -> None:
    assert ask(f"SELECT count(*) AS n FROM $.{relation} AS r") == [(count,)]


@pytest.mark.parametrize(
    ("relation", "code"),
    [
        ("nowhere.information_schema.tables", ErrorCode.CATALOG_NOT_FOUND),
        ("lake.jdbc.tables", ErrorCode.TABLE_NOT_FOUND),
        ("lake.information_schema.roles", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_what_is_not_there_is_refused(ask: Ask, relation: str, code: ErrorCode) -> None:
    with pytest.raises(SqeError) as caught:
        ask(f"SELECT count(*) AS n FROM $.{relation} AS r")
    assert caught.value.code is code
