"""The engines of a comparison: each is asked for a text and gives its rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import urlsplit

import pyarrow as pa
import trino.dbapi

from benchmarks.bench import Bench
from benchmarks.lakehouse import direct_spark, spark_url
from benchmarks.local_lake import plain_duckdb
from benchmarks.process_tree import tree_of
from benchmarks.sqe_server import sqe_server
from benchmarks.suites.suite import Suite
from benchmarks.trino_server import VERSION, register_tables, trino_server
from sqe import __version__
from sqe.server.build import build
from sqe.settings.settings import Settings, SparkSettings

Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Side:
    """``pid``: the process whose tree does the work, and maybe more: DuckDB is in the harness."""

    name: str
    version: str
    dialect: str
    pid: int
    ask: Callable[[str], Rows]
    shares_process: bool = False


def _sqe(bench: Bench, suite: Suite) -> Side:
    server = bench.enter(sqe_server(suite.home(bench)))
    ask = trinos_client(bench, server.address, suite.schema)
    return Side("sqe", __version__, "trino", server.pid, ask)


def _trino(bench: Bench, suite: Suite) -> Side:
    server = bench.enter(trino_server(bench))
    register_tables(trinos_client(bench, server.address, ""), suite.home(bench), suite.schema)
    ask = trinos_client(bench, server.address, suite.schema)
    return Side("trino", VERSION, "trino", server.pid, ask)


def trinos_client(bench: Bench, address: str, schema: str) -> Callable[[str], Rows]:
    url = urlsplit(address)
    connection = bench.enter(
        closing(
            trino.dbapi.Connection(
                host=str(url.hostname),
                port=url.port,
                user="bench",
                catalog="lake",
                schema=schema or None,
            )
        )
    )

    def ask(text: str) -> Rows:
        cursor = connection.cursor()
        cursor.execute(text)
        return [tuple(row) for row in cursor.fetchall()]

    return ask


def _duckdb(bench: Bench, suite: Suite) -> Side:
    plain = bench.enter(closing(plain_duckdb(suite.home(bench), suite.schema)))

    def ask(text: str) -> Rows:
        return plain.execute(text).fetchall()

    return Side("duckdb", version("duckdb"), "duckdb", os.getpid(), ask, shares_process=True)


def _spark(bench: Bench, suite: Suite) -> Side:
    """Spark Connect as SQE starts it, asked directly: Iceberg's own catalog and defaults."""
    home = suite.home(bench)
    settings = Settings(
        home=bench.folder(), spark=SparkSettings(jars=bench.jars, class_data_sharing=False)
    )
    server = bench.enter(closing(build(settings)))
    before = set(_children())
    direct = direct_spark(bench, home, spark_url(server), suite.schema)
    pid = next(iter(set(_children()) - before), os.getpid())

    def ask(text: str) -> Rows:
        return rows_of_batches(direct.run(text))

    return Side("spark", version("pyspark"), "spark", pid, ask)


def _children() -> list[int]:
    return tree_of(os.getpid())[1:]


def rows_of_batches(batches: Sequence[pa.RecordBatch]) -> Rows:
    return [
        row
        for batch in batches
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]


SIDES: Mapping[str, Callable[[Bench, Suite], Side]] = {
    "sqe": _sqe,
    "trino": _trino,
    "spark": _spark,
    "duckdb": _duckdb,
}
