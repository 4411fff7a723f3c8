"""The local engine through the gateway, and plain DuckDB over the same Parquet files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
from pyiceberg.table import StaticTable

from benchmarks import tpcds, tpch_tables
from benchmarks.bench import Bench
from benchmarks.iceberg_tables import open_catalog
from benchmarks.lakehouse import ThroughSqe
from sqe.catalog.protocol import Ident
from sqe.engines.local.options import LocalOptions
from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import EngineKind
from sqe.server.build import build
from sqe.settings import Settings, SparkSettings

NO_SPARK = "sc://127.0.0.1:9"  # nothing answers there: what needs Spark fails


@dataclass(frozen=True)
class Local:
    """Through the gateway, in a session that takes the local engine or an error."""

    sqe: ThroughSqe

    def run(self, text: str) -> list[pa.RecordBatch]:
        batches = self.sqe.run(text)
        route = self.sqe.last_record().route
        if route is None or route.engine is not EngineKind.LOCAL:
            raise AssertionError(f"not on the local engine: {route}")
        return batches

    def refusal(self, text: str) -> str:
        """Why it does not run here, or nothing."""
        try:
            self.run(text)
        except SqeError as error:
            return str(error)
        return ""


@dataclass(frozen=True)
class Plain:
    """DuckDB as anybody would use it on the same files: views, one connection, kept open."""

    connection: duckdb.DuckDBPyConnection

    def run(self, text: str) -> list[pa.RecordBatch]:
        return list(self.connection.execute(text).to_arrow_reader())


@dataclass(frozen=True)
class LocalLake:
    home: Path
    local: Local
    plain: Plain


def local_tpch(bench: Bench) -> LocalLake:
    """Share it: ``bench.once(local_tpch)``."""
    return _open(bench, tpch_tables.tpch_home, tpch_tables.SCHEMA)


def local_tpcds(bench: Bench) -> LocalLake:
    """Share it: ``bench.once(local_tpcds)``."""
    return _open(bench, tpcds.tpcds_home, tpcds.SCHEMA)


def _open(bench: Bench, home_of: Callable[[Bench], Path], schema: str) -> LocalLake:
    home = bench.once(home_of)
    spark = SparkSettings.model_validate({"remote": NO_SPARK})
    server = bench.enter(closing(build(Settings(home=home, spark=spark))))
    session = server.gateway.open_session(Identity("bench"), SchemaName("lake", (schema,)))
    session.set_property("sqe.engine", "local")
    plain = bench.enter(closing(plain_duckdb(home, schema)))
    return LocalLake(home, Local(ThroughSqe(server.gateway, session)), Plain(plain))


def plain_duckdb(home: Path, schema: str) -> duckdb.DuckDBPyConnection:
    """With as many threads as a local query that runs alone, and at least as much memory."""
    allowed = LocalOptions(folder=home)
    connection = duckdb.connect()
    connection.execute(f"SET threads = {allowed.threads}")
    connection.execute(f"SET memory_limit = '{allowed.memory_per_query}B'")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    with closing(open_catalog(home)) as catalog:
        for name in catalog.list_tables((schema,)):
            files = _files(catalog.load_table(Ident((schema,), name)).metadata_location)
            listed = ", ".join(f"'{file}'" for file in files)
            connection.execute(f'CREATE VIEW "{name}" AS FROM read_parquet([{listed}])')
    return connection


def _files(metadata_location: str | None) -> list[str]:
    table = StaticTable.from_metadata(str(metadata_location))
    return [task.file.file_path.removeprefix("file://") for task in table.scan().plan_files()]
