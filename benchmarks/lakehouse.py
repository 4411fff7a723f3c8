"""SQE and plain Spark on the same tables and the same Spark server, to be compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.iceberg_tables import open_catalog
from benchmarks.tpch_tables import SCHEMA, tpch_home
from sqe.catalog.rest.routes import catalog_app
from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.engines.spark.connection import Connection, new_operation_id
from sqe.gateway.gateway import Gateway
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.query import Progress, QueryRecord, QueryRequest
from sqe.server.build import Server, build
from sqe.sessions.session import Session
from sqe.settings.settings import Settings, SparkSettings


@dataclass(frozen=True)
class ThroughSqe:
    """A query as every front end sends it."""

    gateway: Gateway
    session: Session

    def run(self, text: str) -> list[pa.RecordBatch]:
        with self.gateway.fetch(self.submit(text)) as result:
            return list(result)

    def submit(self, text: str) -> str:
        return self.gateway.submit(QueryRequest(self.session.id, text))

    def last_record(self) -> QueryRecord:
        return self.gateway.records()[-1]


@dataclass(frozen=True)
class Direct:
    """The same text sent to Spark Connect in one call: no handles, no broker, no plan check."""

    connection: Connection

    def run(self, text: str) -> list[pa.RecordBatch]:
        items = self.connection.execute(
            self.connection.plan(text), new_operation_id(), _ignore_progress
        )
        return [item for item in items if isinstance(item, pa.RecordBatch)]


@dataclass(frozen=True)
class Lakehouse:
    home: Path
    spark_url: Secret
    sqe: ThroughSqe
    direct: Direct


def lakehouse(bench: Bench) -> Lakehouse:
    """Both sides over one new Spark server. Share it: ``bench.once(lakehouse)``."""
    home = bench.once(tpch_home)
    # Without class data sharing the server writes no archive when it stops, which takes a while.
    spark = SparkSettings(jars=bench.jars, class_data_sharing=False)
    server = bench.enter(closing(build(Settings(home=home, spark=spark))))
    url = spark_url(server)
    session = server.gateway.open_session(Identity("bench"), SchemaName("lake", (SCHEMA,)))
    session.set_property("sqe.engine", "spark")
    direct = direct_spark(bench, home, url, SCHEMA)
    return Lakehouse(home, url, ThroughSqe(server.gateway, session), direct)


def spark_url(server: Server) -> Secret:
    if server.spark is None:
        raise AssertionError("the benchmark's Spark is embedded")
    return EmbeddedAddress(server.spark).reach().url


def direct_spark(bench: Bench, home: Path, url: Secret, schema: str) -> Direct:
    """Ended with the run."""
    return Direct(_plain_session(bench, home, url, schema))


def _plain_session(bench: Bench, home: Path, url: Secret, schema: str) -> Connection:
    """A Spark session with the catalog as anybody would set it up: Iceberg's own defaults."""
    catalog = bench.enter(closing(open_catalog(home)))
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    connection = Connection(Secret(f"{url.reveal()};user_id=direct"), "direct")
    bench.enter(_ended(http, connection))
    prefix = "spark.sql.catalog.lake"
    connection.set_conf(
        {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "rest",
            f"{prefix}.uri": http.url,
            f"{prefix}.default-namespace": schema,
            "spark.sql.defaultCatalog": "lake",
            "spark.sql.session.timeZone": "UTC",  # as SQE's session has it
        }
    )
    return connection


@contextmanager
def _ended(http: HttpThread, connection: Connection) -> Iterator[None]:
    try:
        yield
    finally:
        connection.close(server_alive=True)
        http.stop()


def _ignore_progress(progress: Progress) -> None:
    """Both sides are told; neither shows it."""
