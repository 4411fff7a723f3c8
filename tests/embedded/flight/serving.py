"""A Flight SQL server under test, and the clients that ask it."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import grpc
import pyarrow as pa
import pyarrow.flight as pf
from google.protobuf.message import Message
from pyiceberg.catalog.rest import RestCatalog

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.embedded.entry import CATALOG_FILE, WAREHOUSE
from sqe.catalog.rest.routes import catalog_app
from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.http.serving import HttpThread
from sqe.protocols.flight_sql.wire import pack
from sqe.server.build import Server, build
from sqe.settings import Settings

ROWS = 200_000
UTC = datetime.UTC
VALUES: dict[str, tuple[pa.DataType, Any]] = {
    "b": (pa.bool_(), True),
    "i": (pa.int32(), -7),
    "l": (pa.int64(), 2**62),
    "f": (pa.float32(), 1.5),
    "d": (pa.float64(), 1e300),
    "n": (pa.decimal128(20, 4), Decimal("12345.6789")),
    "s": (pa.string(), "Grüße"),
    "day": (pa.date32(), datetime.date(2026, 2, 28)),
    "ts": (pa.timestamp("us", tz="UTC"), datetime.datetime(2026, 2, 28, 1, 2, 3, 4, UTC)),
    "ntz": (pa.timestamp("us"), datetime.datetime(2026, 2, 28, 1, 2, 3, 4)),
}


def make_lakehouse(home: Path) -> Path:
    """A home with the tables ``shop.numbers``, ``shop.types`` and ``shop.axb``."""
    catalog = EmbeddedCatalog(home / CATALOG_FILE, home / WAREHOUSE)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    try:
        lake = RestCatalog("lake", uri=http.url)
        lake.create_namespace("shop")
        for name, rows in _tables().items():
            lake.create_table(f"shop.{name}", schema=rows.schema).append(rows)
    finally:
        http.stop()
        catalog.close()
    return home


def _tables() -> dict[str, pa.Table]:
    types = {name: pa.array([value, None], kind) for name, (kind, value) in VALUES.items()}
    numbers = pa.array(range(ROWS), pa.int64())
    return {
        "numbers": pa.table({"n": numbers, "t": pa.array([f"row {i}" for i in range(ROWS)])}),
        "types": pa.table(types),
        "axb": pa.table({"x": pa.array([1], pa.int32())}),
        "a_b": pa.table({"y": pa.array([1], pa.int32())}),
    }


# Never ends by itself, and needs no table.
ENDLESS = (
    "WITH d AS (SELECT * FROM VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9) AS t(i)) "
    "SELECT a.i AS a, concat('some text ', 'that is not short') AS t FROM d a "
    + " ".join(f"CROSS JOIN d j{number}" for number in range(11))
)


@dataclass
class Serving:
    """A server of this process and where it listens."""

    server: Server
    address: str

    @classmethod
    @contextmanager
    def start(cls, home: Path, **given: Any) -> Iterator[Serving]:
        settings = {
            "home": home,
            "spark": {"remote": "sc://127.0.0.1:1"},  # nobody is there, and nobody is needed
            "flight": {"port": 0},
            **given,
        }
        server = build(Settings.model_validate(settings))
        try:
            yield cls(server, server.listen())
        finally:
            server.close()

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @contextmanager
    def connect(self, **options: Any) -> Iterator[adbc.Connection]:
        with adbc.connect(self.address, autocommit=True, db_kwargs=options) as connection:
            yield connection

    @contextmanager
    def client(self) -> Iterator[pf.FlightClient]:
        with pf.connect(self.address) as client:
            yield client

    @contextmanager
    def channel(self) -> Iterator[grpc.Channel]:
        with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
            yield channel

    def asked_by(self, connection: adbc.Connection) -> str:
        """Whom the server takes this client for."""
        text = f"SELECT '{secrets.token_hex(8)}'"
        ask(connection, text)
        (user,) = {record.user for record in self.server.gateway.records() if record.text == text}
        return user

    def running(self) -> list[str]:
        records = self.server.gateway.records()
        return [record.text for record in records if not record.state.ended]


def ask(connection: adbc.Connection, text: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return cursor.fetchall()


def command(message: Message) -> pf.FlightDescriptor:
    return pf.FlightDescriptor.for_command(pack(message))


def query(text: str) -> pf.FlightDescriptor:
    return command(sql.CommandStatementQuery(query=text))


def headers(**given: str) -> pf.FlightCallOptions:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()]
    return pf.FlightCallOptions(headers=named)


def act(client: pf.FlightClient, name: str, body: bytes, options: Any = None) -> list[bytes]:
    action = pf.Action(name, body)
    found = client.do_action(action, options) if options else client.do_action(action)
    return [result.body.to_pybytes() for result in found]


def as_message(info: pf.FlightInfo) -> messages.FlightInfo:
    return messages.FlightInfo.FromString(info.serialize())
