"""Trino's own clients against a server with a real Spark, and the tables they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from sqe.engines.spark.java import Java
from tests.embedded.pipe.lake import Lake
from tests.flight_clients.cache import fetch
from tests.flight_clients.jdbc import Jdbc
from tests.trino_clients.cli import JAR, Cli
from tests.trino_clients.jdbc import CLASS, DRIVERS

SCHEMA = "shop"
# One schema of each module that writes, and one that nobody changes.
TABLES = {
    "region": "r_regionkey bigint, r_name string, r_comment string",
    "nation": "n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string",
}
ROWS = {
    "region": "(0, 'AFRICA', 'a'), (1, 'AMERICA', 'b'), (2, 'ASIA', NULL)",
    "nation": "(0, 'ALGERIA', 0, 'x'), (1, 'ARGENTINA', 1, 'y'), (2, 'BRAZIL', 1, NULL)",
}


@dataclass(frozen=True)
class Address:
    url: str

    @property
    def host(self) -> str:
        return str(urlsplit(self.url).hostname)

    @property
    def port(self) -> int:
        return int(urlsplit(self.url).port or 0)


@pytest.fixture(scope="session")
def trino(shared_lake: Lake, trino_address: str) -> Address:
    """Where it listens; ``lake.shop`` has two tables and a view."""
    shared_lake.run(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    for name, columns in TABLES.items():
        shared_lake.run(f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{name} ({columns}) USING iceberg")
        shared_lake.run(f"INSERT INTO {SCHEMA}.{name} VALUES {ROWS[name]}")
    return Address(trino_address)


@pytest.fixture(scope="session", params=DRIVERS)
def trino_jdbc(java: Java, request: pytest.FixtureRequest) -> Iterator[Jdbc]:
    opened = Jdbc(java, DRIVERS[request.param], CLASS)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def cli(java: Java, trino: Address) -> Cli:
    (jar,) = fetch("trino", java, JAR)
    return Cli(java, jar, trino.url)
