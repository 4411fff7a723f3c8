"""SHOW and DESCRIBE as queries: what Trino 476 answers, and how it refuses."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from sqe.model.query import ClientState
from sqe.model.trino_types import parse_type
from sqe.trino.dialect.context import Context, Known, KnownColumn, KnownFunction
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.metadata import metadata_relation
from sqe.trino.dialect.parser import parse
from sqe.trino.dialect.show import rewrite_show
from sqe.trino.dialect.statements.session_nodes import Show

TABLE: Mapping[str, Any] = {
    "format-version": 2,
    "location": "s3://b/t",
    "current-schema-id": 0,
    "schemas": [
        {
            "schema-id": 0,
            "fields": [
                {"id": 1, "name": "a", "type": "int", "required": True},
                {"id": 2, "name": "select", "type": "string", "doc": "it's"},
                {"id": 3, "name": "D", "type": "date", "doc": ""},
                {"id": 4, "name": "x y", "type": "decimal(10, 2)"},
            ],
        }
    ],
    "default-spec-id": 0,
    "partition-specs": [
        {
            "spec-id": 0,
            "fields": [
                {"source-id": 1, "field-id": 1000, "transform": "bucket[4]", "name": "a_bucket"},
                {"source-id": 3, "field-id": 1001, "transform": "month", "name": "d_month"},
                {"source-id": 4, "field-id": 1002, "transform": "identity", "name": "x y"},
            ],
        }
    ],
    "default-sort-order-id": 1,
    "sort-orders": [
        {
            "order-id": 1,
            "fields": [
                {
                    "source-id": 1,
                    "transform": "identity",
                    "direction": "desc",
                    "null-order": "nulls-last",
                }
            ],
        }
    ],
    "properties": {
        "comment": "about",
        "write.format.default": "orc",
        "write.orc.bloom.filter.columns": "a",
        "write.parquet.bloom-filter-enabled.column.b": "true",
        "commit.retry.num-retries": "7",
    },
}
COLUMNS = (
    KnownColumn("a", parse_type("integer"), nullable=False),
    KnownColumn("select", parse_type("varchar"), comment="it's"),
    KnownColumn("D", parse_type("date")),
    KnownColumn("x y", parse_type('row("X y" integer, z decimal(10,2))')),
)
VIEW: Mapping[str, Any] = {
    "current-version-id": 2,
    "versions": [
        {"version-id": 1, "representations": []},
        {
            "version-id": 2,
            "representations": [
                {"dialect": "spark", "sql": "SELECT 1L"},
                {"dialect": "trino", "sql": "SELECT 1 a\n"},
            ],
        },
    ],
    "properties": {"comment": "c'v"},
}


PLUS_ONE = "FUNCTION iceberg.s.plus_one(x bigint) RETURNS bigint RETURN x + 1"


class Lookup:
    """Catalog iceberg with the schema s: table t, view v, and w, a view of Spark's."""

    def catalogs(self) -> Sequence[str]:
        return ["iceberg", "system"]

    def schema_exists(self, catalog: str, schema: str) -> bool:
        return schema in ("s", "information_schema")

    def schema_properties(self, catalog: str, schema: str) -> Mapping[str, str]:
        return {"location": "s3://b", "owner": "ann"} if schema == "s" else {}

    def target(self, catalog: str, schema: str, name: str) -> Known | None:
        return self.relation(catalog, schema, name)

    def relation(self, catalog: str, schema: str, name: str) -> Known | None:
        found = metadata_relation((catalog, schema, name), ClientState())
        if found is not None:
            columns = tuple(KnownColumn(o.name, o.type, hidden=o.hidden) for o in found.columns)
            return Known(found.text, columns, "METADATA")
        stored = {
            "t": Known("t", COLUMNS, "TABLE", TABLE),
            "v": Known("v", COLUMNS[:1], "VIEW", VIEW),
            "lent": Known("lent", COLUMNS[:1], "VIEW", VIEW, definer="ann"),
            "w": Known("w", COLUMNS[:1], "VIEW", {}),
            "m": Known("m", COLUMNS[:1], "MATERIALIZED VIEW", TABLE),
        }
        return stored.get(name) if schema == "s" else None

    def function(self, catalog: str, schema: str, name: str) -> KnownFunction | None:
        return self.functions(catalog, schema).get(name)

    def functions(self, catalog: str, schema: str) -> Mapping[str, KnownFunction]:
        if schema != "s":
            return {}
        return {
            "plus_one": KnownFunction("f", ("x",), ("bigint",), "bigint", PLUS_ONE, "adds one"),
            "of_spark": KnownFunction("g", ("x", "y"), ("string", "map<int,int>"), "double"),
        }


def shown(text: str, client: ClientState | None = None) -> str:
    node = parse(text)
    assert isinstance(node, Show)
    client = client or ClientState("iceberg", "s", properties={"query_max_run_time": "5m"})
    return rewrite_show(node, Context(text, client, "ann", Lookup(), datetime.datetime.now()))


def refusal(text: str, client: ClientState | None = None) -> tuple[str, str, int | None]:
    with pytest.raises(Refused) as caught:
        shown(text, client)
    return caught.value.name, caught.value.message, caught.value.at


def created(text: str) -> str:
    """The text that a SHOW CREATE gives, out of its query."""
    literal, _, _ = shown(text).removeprefix("SELECT '").rpartition("' AS ")
    return literal.replace("''", "'")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (
            "SHOW CATALOGS LIKE 'i%'",
            "SELECT catalog AS \"Catalog\" FROM (VALUES ('iceberg'), ('system')) AS t (catalog)"
            " WHERE catalog LIKE 'i%' ORDER BY catalog",
        ),
        (
            "SHOW SCHEMAS FROM ICEBERG",
            'SELECT schema_name AS "Schema" FROM "iceberg".information_schema.schemata'
            " ORDER BY schema_name",
        ),
        (
            "SHOW TABLES FROM s LIKE 'it''s$_%' ESCAPE '$'",
            'SELECT table_name AS "Table" FROM "iceberg".information_schema.tables'
            " WHERE table_schema = 's' AND table_name LIKE 'it''s$_%' ESCAPE '$'"
            " ORDER BY table_name",
        ),
        ("SHOW ROLES", 'SELECT CAST(NULL AS varchar) AS "Role" WHERE false'),
        ("SHOW ROLE GRANTS", 'SELECT CAST(NULL AS varchar) AS "Role Grants" WHERE false'),
    ],
)
def test_listings_are_queries_of_trinos_relations(text: str, query: str) -> None:
    assert shown(text) == query


def test_describe_gives_what_is_known_of_a_table() -> None:
    rows = "(0, 'a', 'integer', ''), (1, 'select', 'varchar', 'it''s'), (2, 'd', 'date', '')"
    assert rows in shown("DESCRIBE t")
    assert "table_comment" not in shown("DESCRIBE information_schema.tables")


def test_a_table_is_printed_as_trino_prints_it() -> None:
    assert created("SHOW CREATE TABLE t") == (
        "CREATE TABLE iceberg.s.t (\n"
        "   a integer NOT NULL,\n"
        "   \"select\" varchar COMMENT 'it''s',\n"
        "   d date COMMENT '',\n"
        '   "x y" ROW("X y" integer, z decimal(10, 2))\n'
        ")\n"
        "COMMENT 'about'\n"
        "WITH (\n"
        "   format = 'ORC',\n"
        "   format_version = 2,\n"
        "   location = 's3://b/t',\n"
        "   max_commit_retry = 7,\n"
        "   orc_bloom_filter_columns = ARRAY['a'],\n"
        "   orc_bloom_filter_fpp = 5E-2,\n"
        "   parquet_bloom_filter_columns = ARRAY['b'],\n"
        "   partitioning = ARRAY['bucket(a, 4)','month(d)','\"x y\"'],\n"
        "   sorted_by = ARRAY['a DESC NULLS LAST']\n"
        ")"
    )


def test_trinos_own_relations_have_no_properties() -> None:
    assert created("SHOW CREATE TABLE information_schema.schemata") == (
        "CREATE TABLE iceberg.information_schema.schemata (\n"
        "   catalog_name varchar,\n   schema_name varchar\n)"
    )


def test_views_and_schemas_are_printed_as_trino_prints_them() -> None:
    assert created('SHOW CREATE VIEW S."v"') == (
        "CREATE VIEW iceberg.S.\"v\" COMMENT 'c''v' SECURITY INVOKER AS\nSELECT 1 a"
    )
    assert created("SHOW CREATE VIEW lent") == (
        "CREATE VIEW iceberg.s.lent COMMENT 'c''v' SECURITY DEFINER AS\nSELECT 1 a"
    )
    assert created("SHOW CREATE SCHEMA s") == (
        "CREATE SCHEMA iceberg.s\nAUTHORIZATION USER ann\nWITH (\n   location = 's3://b'\n)"
    )


def test_session_properties_have_the_clients_values() -> None:
    text = shown("SHOW SESSION LIKE 'query_max%'")
    assert "('query_max_run_time', '5m', '100.00d', 'varchar'," in text
    assert "'iceberg.compression_codec'" in text
    assert "'time_zone_id'" not in text  # which Trino does not list
    assert text.endswith("""WHERE "name" LIKE 'query_max%'""")


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("SHOW TABLES FROM nosuch.s", "CATALOG_NOT_FOUND", "Catalog 'nosuch' not found"),
        ("SHOW TABLES FROM nosuch", "SCHEMA_NOT_FOUND", "Schema 'nosuch' does not exist"),
        ("DESCRIBE nosuch", "TABLE_NOT_FOUND", "Table 'iceberg.s.nosuch' does not exist"),
        (
            "SHOW CREATE TABLE v",
            "NOT_SUPPORTED",
            "Relation 'iceberg.s.v' is a view, not a table",
        ),
        ("SHOW CREATE VIEW t", "NOT_SUPPORTED", "Relation 'iceberg.s.t' is a table, not a view"),
        (
            "SHOW CREATE TABLE m",
            "NOT_SUPPORTED",
            "Relation 'iceberg.s.m' is a materialized view, not a table",
        ),
        ("SHOW CREATE VIEW x", "TABLE_NOT_FOUND", "View 'iceberg.s.x' does not exist"),
        ("SHOW CREATE SCHEMA x", "SCHEMA_NOT_FOUND", "Schema 'iceberg.x' does not exist"),
        (
            "SHOW GRANTS ON TABLE x",
            "TABLE_NOT_FOUND",
            "Table 'Optional[iceberg.s.x]' does not exist",
        ),
    ],
)
def test_what_is_not_there_is_refused_as_trino_refuses(text: str, name: str, message: str) -> None:
    assert refusal(text) == (name, message, 0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("SHOW SCHEMAS FROM nosuch", "CATALOG_NOT_FOUND"),
        ("SHOW ROLES FROM iceberg", "NOT_SUPPORTED"),
        ("SHOW CREATE VIEW w", "ICEBERG_UNSUPPORTED_VIEW_DIALECT"),
    ],
)
def test_some_refusals_have_no_place(text: str, name: str) -> None:
    assert refusal(text)[0] == name
    assert refusal(text)[2] is None


@pytest.mark.parametrize(
    ("text", "catalog", "name"),
    [
        ("SHOW SCHEMAS", "", "MISSING_CATALOG_NAME"),
        ("SHOW TABLES", "iceberg", "MISSING_SCHEMA_NAME"),
        ("DESCRIBE t", "iceberg", "MISSING_SCHEMA_NAME"),
        ("SHOW GRANTS", "", "MISSING_CATALOG_NAME"),
    ],
)
def test_what_the_client_does_not_say_is_missed(text: str, catalog: str, name: str) -> None:
    assert refusal(text, ClientState(catalog))[0] == name
