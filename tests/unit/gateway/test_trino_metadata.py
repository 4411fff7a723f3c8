"""What Trino's clients ask about catalogs, from their text to the rows, without any Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from sqe.model.identity import Identity
from sqe.server.build import build
from sqe.settings import Settings
from tests.trino.asking import Answer, Client

NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails
FIELDS = [
    {"id": 1, "name": "id", "type": "long", "required": True, "doc": "the key"},
    {"id": 2, "name": "Amount", "type": "decimal(10, 2)", "required": False},
]
SCHEMA = {"type": "struct", "schema-id": 0, "fields": FIELDS}
VIEW = {
    "name": "totals",
    "schema": {**SCHEMA, "fields": FIELDS[:1]},
    "view-version": {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1_700_000_000_000,
        "summary": {},
        "default-catalog": "lake",
        "default-namespace": ["sales"],
        "representations": [
            {"type": "sql", "sql": "SELECT id FROM orders", "dialect": "spark"},
            {"type": "sql", "sql": "SELECT id\nFROM\n  orders\n", "dialect": "trino"},
        ],
    },
    "properties": {"comment": "sums"},
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    given = {
        "home": tmp_path_factory.mktemp("home"),
        "spark": {"remote": NOWHERE},
        "trino": {"port": 0, "impersonation": ["anonymous -> ann"]},
    }
    settings = Settings.model_validate(given)
    with closing(build(settings)) as server:
        catalog = server.catalogs.open("lake", Identity("ann"))
        catalog.create_namespace(("sales",), {})
        properties = {"comment": "what was sold"}
        for name in ("orders", "returns"):
            catalog.create_table(
                ("sales",), {"name": name, "schema": SCHEMA, "properties": properties}
            )
        catalog.create_view(("sales",), VIEW)
        with closing(Client(server.listen_trino(), "lake", "sales", "ann")) as client:
            yield client


def ask(client: Client, text: str) -> Answer:
    answer = client.ask(text)
    assert not answer.error, f"{answer.error}: {answer.message}"
    return answer


def names(answer: Answer) -> list[str]:
    return [column["name"] for column in answer.columns]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SHOW CATALOGS LIKE 'lake'", [["lake"]]),
        ("SHOW SCHEMAS", [["default"], ["information_schema"], ["sales"], ["system"]]),
        ('SHOW TABLES FROM "lake"."sales"', [["orders"], ["returns"], ["totals"]]),
        ("SHOW TABLES FROM sales LIKE 'or_ers'", [["orders"]]),
        (
            'DESCRIBE "lake"."sales"."orders"',
            [["id", "bigint", "", "the key"], ["amount", "decimal(10,2)", "", ""]],
        ),
        ("SHOW COLUMNS FROM totals", [["id", "bigint", "", "the key"]]),
        ("SELECT TABLE_CAT FROM system.jdbc.catalogs ORDER BY TABLE_CAT", [["lake"], ["system"]]),
        (
            "SELECT TABLE_SCHEM, TABLE_CATALOG FROM system.jdbc.schemas"
            r" WHERE TABLE_CATALOG = 'lake' AND TABLE_SCHEM LIKE 'sa%' ESCAPE '\'"
            " ORDER BY TABLE_CATALOG, TABLE_SCHEM",
            [["sales", "lake"]],
        ),
        ("SELECT TABLE_TYPE FROM system.jdbc.table_types ORDER BY 1", [["TABLE"], ["VIEW"]]),
        (
            "SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, REMARKS FROM system.jdbc.tables"
            r" WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE 'sales' ESCAPE '\'"
            r" AND TABLE_NAME LIKE '%' ESCAPE '\' AND TABLE_TYPE IN ('VIEW')"
            " ORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME",
            [["lake", "sales", "totals", "VIEW", None]],
        ),
        ("SELECT TABLE_NAME FROM system.jdbc.tables WHERE TABLE_CAT IS NULL", []),
        ("SELECT TABLE_NAME FROM system.jdbc.tables WHERE false", []),
        (
            "SELECT COLUMN_NAME, DATA_TYPE, TYPE_NAME, COLUMN_SIZE, DECIMAL_DIGITS, NUM_PREC_RADIX,"
            " NULLABLE, REMARKS, IS_NULLABLE FROM system.jdbc.columns WHERE TABLE_CAT = 'lake'"
            r" AND TABLE_SCHEM LIKE 'sales' ESCAPE '\' AND TABLE_NAME LIKE 'or_ers' ESCAPE '\'"
            r" ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION",
            [
                ["id", -5, "bigint", 19, None, 10, 0, "the key", "NO"],
                ["amount", 3, "decimal(10,2)", 10, 2, 10, 1, None, "YES"],
            ],
        ),
        (
            "SELECT PROCEDURE_CAT, PROCEDURE_NAME FROM system.jdbc.procedures"
            " ORDER BY PROCEDURE_CAT LIMIT 0",
            [],
        ),
        (
            'SELECT "schema_name" FROM "information_schema"."schemata"'
            " WHERE \"schema_name\" = 'sales'",
            [["sales"]],
        ),
        (
            'SELECT "table_name" FROM "information_schema"."tables"'
            " WHERE \"table_schema\" = 'sales' AND \"table_type\" = 'BASE TABLE' ORDER BY 1",
            [["orders"], ["returns"]],
        ),
        (
            'SELECT "view_definition" FROM "information_schema"."views"'
            " WHERE \"table_schema\" = 'sales' AND \"table_name\" = 'totals'",
            [["SELECT id\nFROM\n  orders\n"]],
        ),
        (
            'SELECT "comment" FROM "system"."metadata"."table_comments"'
            " WHERE \"catalog_name\" = 'lake' AND \"schema_name\" = 'sales'"
            " AND \"table_name\" = 'orders'",
            [["what was sold"]],
        ),
        (
            "select count(*) from lake.INFORMATION_SCHEMA.schemata"
            " where catalog_name = 'lake' and schema_name = 'sales'",
            [[1]],
        ),
        (
            "SELECT * FROM system.metadata.catalogs WHERE catalog_name = 'lake'",
            [["lake", "lake", "iceberg"]],
        ),
    ],
)
def test_what_clients_send_is_answered(client: Client, text: str, rows: list[list[Any]]) -> None:
    assert ask(client, text).data == rows


def test_hidden_columns_are_there_when_they_are_named(client: Client) -> None:
    where = "WHERE table_schema = 'sales' AND table_name = 'orders' AND column_name = 'id'"
    everything = ask(client, f"SELECT * FROM information_schema.columns {where}")
    assert names(everything)[-1] == "data_type"
    assert ask(client, f"SELECT comment FROM information_schema.columns {where}").data == [
        ["the key"]
    ]


def test_the_names_are_those_of_the_text(client: Client) -> None:
    answer = ask(client, "SELECT TABLE_CAT, table_schem AS s FROM system.jdbc.tables WHERE false")
    assert names(answer) == ["TABLE_CAT", "s"]
    assert [column["type"] for column in answer.columns] == ["varchar", "varchar"]


def test_dbt_lists_relations(client: Client) -> None:
    text = """select t.table_catalog as database, t.table_name as name, t.table_schema as schema,
          case when mv.name is not null then 'materialized_view'
               when t.table_type = 'BASE TABLE' then 'table'
               when t.table_type = 'VIEW' then 'view' else t.table_type end as table_type
        from "lake".INFORMATION_SCHEMA.tables t
        left join (select * from system.metadata.materialized_views
                   where catalog_name = 'lake' and schema_name = 'sales') mv
          on mv.catalog_name = t.table_catalog and mv.schema_name = t.table_schema
         and mv.name = t.table_name
        where t.table_schema = 'sales' and (mv.catalog_name is null or mv.catalog_name = 'lake')
        order by 2"""
    assert ask(client, text).data == [
        ["lake", "orders", "sales", "table"],
        ["lake", "returns", "sales", "table"],
        ["lake", "totals", "sales", "view"],
    ]


def test_dbt_reads_the_catalog_with_ctes_and_using(client: Client) -> None:
    text = """with tables as (
          select table_catalog as "table_database", table_schema as "table_schema",
                 table_name as "table_name", table_type as "table_type", null as "table_owner"
          from "lake".INFORMATION_SCHEMA.tables
          where table_schema != 'information_schema' and ((table_schema = 'sales'
                and table_name = 'orders') or (table_schema = 'sales' and table_name = 'x'))),
        columns as (
          select table_catalog as "table_database", table_schema as "table_schema",
                 table_name as "table_name", column_name as "column_name",
                 ordinal_position as "column_index", data_type as "column_type",
                 comment as "column_comment"
          from "lake".INFORMATION_SCHEMA.columns where table_schema = 'sales'),
        table_comment as (
          select catalog_name as "table_database", schema_name as "table_schema",
                 table_name as "table_name", comment as "table_comment"
          from system.metadata.table_comments
          where catalog_name = 'lake' and schema_name = 'sales')
        select table_database, table_schema, table_name, table_type, table_owner, column_name,
               column_index, column_type, column_comment, table_comment
        from tables join columns using ("table_database", "table_schema", "table_name")
        join table_comment using ("table_database", "table_schema", "table_name")
        order by "column_index" """
    head = ["lake", "sales", "orders", "BASE TABLE", None]
    assert ask(client, text).data == [
        [*head, "id", 1, "bigint", "the key", "what was sold"],
        [*head, "amount", 2, "decimal(10,2)", None, "what was sold"],
    ]


def test_a_user_sees_their_own_query(client: Client) -> None:
    text = """SELECT query, state, "user" FROM system.runtime.queries
        WHERE query LIKE 'SELECT query, state%'"""
    assert ask(client, text).data == [[text, "RUNNING", "ann"]]


def test_parameters_are_pushed_as_well(client: Client) -> None:
    text = """EXECUTE IMMEDIATE 'SELECT "column_name", UPPER("is_nullable") AS "is_nullable"
        FROM "information_schema"."columns" WHERE "table_schema" = ? AND "table_name" = ?
        ORDER BY "ordinal_position" ASC' USING 'sales', 'orders'"""
    assert ask(client, text).data == [["id", "NO"], ["amount", "YES"]]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("SELECT * FROM nowhere.information_schema.tables", "CATALOG_NOT_FOUND"),
        ("SELECT * FROM information_schema.nosuch", "TABLE_NOT_FOUND"),
        ("SELECT nosuch FROM information_schema.tables", "COLUMN_NOT_FOUND"),
        ("SELECT * FROM information_schema.enabled_roles", "NOT_SUPPORTED"),
        ('SELECT * FROM "orders$manifests"', "NOT_SUPPORTED"),
        ('SELECT * FROM "orders$nosuch"', "TABLE_NOT_FOUND"),
    ],
)
def test_refusals_have_trinos_names(client: Client, text: str, error: str) -> None:
    assert client.ask(text).error == error


def test_described_columns_have_the_table_they_come_from(client: Client) -> None:
    ask(client, "PREPARE p FROM SELECT id, amount AS a, ? + 1, TIMESTAMP '2020-01-01' FROM orders")
    answer = ask(client, "DESCRIBE OUTPUT p")
    assert answer.data == [
        ["id", "lake", "sales", "orders", "bigint", 8, False],
        ["a", "lake", "sales", "orders", "decimal(10,2)", 8, True],
        ["_col2", "", "", "", "integer", 4, False],
        ["_col3", "", "", "", "timestamp(0)", 8, False],
    ]
