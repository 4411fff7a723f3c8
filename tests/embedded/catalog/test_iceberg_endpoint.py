"""Engines that SQE does not run, on its catalogs: Spark with Iceberg's REST client, and DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql.connect.session import SparkSession

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.server.build import Server
from tests.embedded.pipe.lake import Lake
from tests.unit.protocols.iceberg_rest.serving import (
    ROWS,
    RULES,
    SCHEMA,
    SCHEMAS,
    TOKENS,
    client_of,
    run_sql,
    serving,
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    with serving(tmp_path_factory.mktemp("home")) as (server, url):
        run_sql(server, "root", *SCHEMAS)
        root = client_of(url, "root")
        for name in ("sales.orders", "sales.part", "hidden.plans"):
            root.create_table(name, SCHEMA).append(ROWS)
        run_sql(server, "root", *RULES)
        yield server, url


@pytest.mark.spark
def test_spark_without_sqe_reads_and_writes(shared_lake: Lake, served: tuple[Server, str]) -> None:
    server, url = served
    assert shared_lake.server.spark is not None
    address = EmbeddedAddress(shared_lake.server.spark).reach().url.reveal()
    spark = SparkSession.builder.remote(address).create()
    # A view keeps the name that its catalog has there, so it is the one that SQE has for it.
    for user, name in (("ann", "lake"), ("bob", "bob")):
        catalog = f"spark.sql.catalog.{name}"
        spark.conf.set(catalog, "org.apache.iceberg.spark.SparkCatalog")
        spark.conf.set(f"{catalog}.type", "rest")
        spark.conf.set(f"{catalog}.uri", url)
        spark.conf.set(f"{catalog}.warehouse", "lake")
        spark.conf.set(f"{catalog}.token", TOKENS[user].reveal())
        spark.conf.set(f"{catalog}.token-refresh-enabled", "false")

    def rows(text: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in spark.sql(text).collect()]

    rows("CREATE TABLE lake.sales.copy AS SELECT * FROM lake.sales.orders")
    rows("INSERT INTO lake.sales.copy VALUES (4, 'd')")
    rows("DELETE FROM lake.sales.copy WHERE id = 1")
    rows("ALTER TABLE lake.sales.copy ADD COLUMN more INT")
    rows("CREATE VIEW lake.sales.few AS SELECT id FROM lake.sales.copy WHERE id > 2")
    assert rows("SELECT id FROM lake.sales.few ORDER BY id") == [(3,), (4,)]
    assert [row["id"] for row in run_sql(server, "ann", "SELECT id FROM sales.copy ORDER BY id")]
    assert rows("SELECT count(*) FROM bob.sales.orders") == [(3,)]
    for text, why in (
        ("SELECT * FROM bob.sales.part", "You see only a part"),
        ("INSERT INTO bob.sales.orders VALUES (9, 'x')", "may not update"),
        ("SELECT * FROM bob.hidden.plans", "TABLE_OR_VIEW_NOT_FOUND"),
    ):
        with pytest.raises(Exception, match=why):
            rows(text)
    rows("DROP VIEW lake.sales.few")
    rows("DROP TABLE lake.sales.copy PURGE")
    assert rows("SHOW TABLES IN lake.sales LIKE 'copy'") == []
    spark.stop()


def extension(name: str) -> str:
    spec = find_spec(f"duckdb_extension_{name}")
    assert spec is not None and spec.origin is not None
    [file] = Path(spec.origin).parent.rglob("*.duckdb_extension")
    return str(file)


def test_duckdb_reads_and_writes(served: tuple[Server, str]) -> None:
    server, url = served
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as duck:
        for name in ("httpfs", "avro", "iceberg"):
            duck.execute(f"LOAD '{extension(name)}'")
        for user in ("ann", "bob"):
            duck.execute(
                f"ATTACH 'lake' AS {user} (TYPE iceberg, ENDPOINT '{url}',"
                f" TOKEN '{TOKENS[user].reveal()}', ACCESS_DELEGATION_MODE 'none')"
            )
        duck.execute("INSERT INTO ann.sales.orders VALUES (9, 'duck')")
        duck.execute("DELETE FROM ann.sales.orders WHERE id = 9")
        assert duck.execute("SELECT count(*) FROM bob.sales.orders").fetchall() == [(3,)]
        for text, why in (
            ("SELECT * FROM bob.sales.part", "You see only a part"),
            ("SELECT * FROM bob.hidden.plans", "does not exist"),
            ("INSERT INTO bob.sales.orders VALUES (1, 'x')", "may not update"),
        ):
            with pytest.raises(duckdb.Error, match=why):
                duck.execute(text).fetchall()
    assert len(run_sql(server, "ann", "SELECT * FROM sales.orders")) == 3
