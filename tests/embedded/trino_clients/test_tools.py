"""What dashboards and tools send besides their queries, statement by statement.

Superset, Metabase, DBeaver and Tableau talk through Trino's own drivers; these are the statements
in their sources, with the columns and rows they look at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import trino as trino_client
from trino.exceptions import TrinoUserError

from tests.embedded.trino_clients.conftest import SCHEMA, Address

pytestmark = pytest.mark.spark


@dataclass(frozen=True)
class Answer:
    columns: list[tuple[str, str]]
    rows: list[tuple[Any, ...]]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]


Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def connection(trino: Address) -> Iterator[trino_client.dbapi.Connection]:
    with trino_client.dbapi.Connection(
        host=trino.host, port=trino.port, user="ann", catalog="lake", schema=SCHEMA
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def ask(connection: trino_client.dbapi.Connection) -> Ask:
    def asked(text: str, parameters: Any = None) -> Answer:
        cursor = connection.cursor()
        cursor.execute(text, parameters)
        rows = [tuple(row) for row in cursor.fetchall()]
        return Answer([(one[0], one[1]) for one in cursor.description or ()], rows)

    return asked


@pytest.fixture(scope="module")
def view(ask: Ask) -> Iterator[str]:
    ask("CREATE VIEW tools_view AS SELECT n_name FROM nation")
    yield "tools_view"
    ask("DROP VIEW tools_view")


def test_metabase_connects_if_its_catalog_is_there(ask: Ask) -> None:
    answer = ask("SHOW CATALOGS LIKE 'lake'")
    assert (answer.names, answer.rows) == (["Catalog"], [("lake",)])


def test_metabase_lists_schemas_tables_and_columns(ask: Ask) -> None:
    assert {(SCHEMA,), ("information_schema",)} <= set(ask('SHOW SCHEMAS FROM "lake"').rows)
    tables = ask(f'SHOW TABLES FROM "lake"."{SCHEMA}"')
    assert {("nation",), ("region",)} <= set(tables.rows)
    assert ask(f"SHOW TABLES FROM \"{SCHEMA}\" LIKE 'nation'").rows == [("nation",)]
    described = ask(f'DESCRIBE "lake"."{SCHEMA}"."region"')
    assert described.columns == [
        ("Column", "varchar"),
        ("Type", "varchar"),
        ("Extra", "varchar"),
        ("Comment", "varchar"),
    ]
    assert described.rows == [
        ("r_regionkey", "bigint", "", ""),
        ("r_name", "varchar", "", ""),
        ("r_comment", "varchar", "", ""),
    ]


def test_metabase_asks_for_the_time_zone(ask: Ask) -> None:
    answer = ask('SELECT current_timezone() as "time-zone"')
    assert answer.names == ["time-zone"]


def test_superset_falls_back_to_show_columns(ask: Ask) -> None:
    answer = ask("SHOW COLUMNS FROM nation")
    assert [row[:2] for row in answer.rows] == [
        ("n_nationkey", "bigint"),
        ("n_name", "varchar"),
        ("n_regionkey", "bigint"),
        ("n_comment", "varchar"),
    ]


def test_superset_knows_iceberg_by_its_partitions_table(ask: Ask) -> None:
    names = ask(f'SELECT * FROM {SCHEMA}."nation$partitions" LIMIT 1').names
    assert names == ["record_count", "file_count", "total_size", "data"]


def test_superset_completes_names_of_functions(ask: Ask) -> None:
    answer = ask("SHOW FUNCTIONS")
    assert answer.names[0] == "Function"
    assert {"count", "sum"} <= {row[0] for row in answer.rows}


def test_superset_estimates_the_cost(ask: Ask) -> None:
    answer = ask("EXPLAIN (TYPE IO, FORMAT JSON) SELECT * FROM nation")
    plan = json.loads(answer.rows[0][0])
    (table,) = plan["inputTableColumnInfos"]
    assert table["table"]["schemaTable"] == {"schema": SCHEMA, "table": "nation"}
    assert "estimate" in plan


def test_superset_shows_views_and_tables_as_statements(ask: Ask, view: str) -> None:
    ((shown,),) = ask(f"SHOW CREATE VIEW {SCHEMA}.{view}").rows
    assert shown.startswith(f"CREATE VIEW lake.{SCHEMA}.{view} SECURITY INVOKER AS\nSELECT")
    ((shown,),) = ask("SHOW CREATE TABLE nation").rows
    assert shown.startswith(f"CREATE TABLE lake.{SCHEMA}.nation (\n   n_nationkey bigint,\n")


def test_superset_kills_a_query_by_its_id(ask: Ask) -> None:
    """One that does not exist; a running one is cancelled in test_jdbc."""
    text = "CALL system.runtime.kill_query(query_id => '{}', message => 'Query cancelled')"
    with pytest.raises(TrinoUserError, match="Target query not found") as failed:
        ask(text.format("20200101_000000_00000_aaaaa"))
    assert failed.value.error_name == "NOT_FOUND"


def test_superset_reads_the_progress_of_a_cursor(
    connection: trino_client.dbapi.Connection,
) -> None:
    cursor = connection.cursor()
    cursor.execute("SELECT count(*) FROM nation")
    assert cursor.fetchall() == [[3]]
    assert cursor.info_uri
    assert cursor.stats["state"] == "FINISHED"
    assert {"progressPercentage", "completedSplits", "totalSplits"} <= cursor.stats.keys()


def test_dbeaver_asks_with_prepared_statements(ask: Ask) -> None:
    found = ask(
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_schema = ? AND table_name = ?",
        (SCHEMA, "nation"),
    )
    assert found.rows == [("nation",)]


def test_tableau_probes_a_query_without_rows(ask: Ask) -> None:
    answer = ask("SELECT * FROM (SELECT n_name, count(*) c FROM nation GROUP BY 1) t WHERE 1 = 0")
    assert (answer.columns, answer.rows) == ([("n_name", "varchar"), ("c", "bigint")], [])


def test_a_statement_is_checked_without_running(ask: Ask) -> None:
    assert ask("EXPLAIN (TYPE VALIDATE) SELECT * FROM nation").rows == [(True,)]
    with pytest.raises(TrinoUserError) as failed:
        ask("EXPLAIN (TYPE VALIDATE) SELECT nosuch FROM nation")
    assert failed.value.error_name == "COLUMN_NOT_FOUND"


def test_catalogues_of_metadata_read_the_system_tables(ask: Ask) -> None:
    catalogs = ask("SELECT * FROM system.metadata.catalogs")
    assert catalogs.names == ["catalog_name", "connector_id", "connector_name"]
    assert ("lake", "lake", "iceberg") in catalogs.rows
    comments = ask(
        "SELECT comment FROM system.metadata.table_comments"
        f" WHERE catalog_name = 'lake' AND schema_name = '{SCHEMA}' AND table_name = 'nation'"
    )
    assert comments.rows == [(None,)]
    nodes = ask("SELECT coordinator, state FROM system.runtime.nodes")
    assert nodes.rows == [(True, "active")]
