"""Engines that SQE does not run, on its catalogs: DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

from sqe.server.build import Server
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
