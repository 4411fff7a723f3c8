"""A lakehouse without Spark: tables written by PyIceberg, a session that insists on local."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.table import Table

from sqe.catalog.rest.routes import catalog_app
from sqe.errors import SqeError
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Parameter, QueryRequest
from sqe.server.build import Server, build
from sqe.sessions.session import Session
from sqe.settings import Settings
from sqe.settings.settings import LogSettings

ANN = Identity("ann")
_FILES = re.compile(r"is lake\.db\.(\w+): (\d+) files")


@dataclass
class Lakehouse:
    server: Server
    session: Session
    http: HttpThread

    @property
    def catalog(self) -> RestCatalog:
        return RestCatalog("lake", uri=self.http.url)

    def create(self, name: str, *files: pa.Table) -> Table:
        """A table with one data file for each Arrow table."""
        table: Table = self.catalog.create_table(f"db.{name}", files[0].schema)
        for data in files:
            table.append(data)
        return table

    def ask(self, sql: str, *values: Parameter) -> pa.Table:
        gateway = self.server.gateway
        request = QueryRequest(self.session.id, sql, parameters=values or None)
        with gateway.fetch(gateway.submit(request)) as result:
            return result.read_all()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Without an ORDER BY in any order: sorted here, NULL first."""
        table = self.ask(sql)
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        if "ORDER BY" in sql.rpartition(")")[2]:
            return rows
        return sorted(rows, key=lambda row: [(value is not None, str(value)) for value in row])

    def refusal(self, sql: str, *values: Parameter) -> str:
        """Why the query is not taken; fails if it is."""
        request = QueryRequest(self.session.id, sql, parameters=values or None)
        try:
            self.server.gateway.describe(request)
        except SqeError as error:
            return error.message
        raise AssertionError(f"taken: {sql}")

    def files(self, sql: str, *values: Parameter) -> dict[str, int]:
        """How many files of each table would be read."""
        plan = str(self.ask(f"EXPLAIN {sql}", *values).column(0)[0])
        return {table: int(count) for table, count in _FILES.findall(plan)}

    def close(self) -> None:
        self.http.stop()
        self.server.close()


def open_lakehouse(home: Path) -> Lakehouse:
    server = build(Settings(home=home, log=LogSettings(audit=False)))
    catalog = server.catalogs.open("lake", ANN)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    session = server.gateway.open_session(ANN, SchemaName("lake", ("db",)))
    session.set_property("sqe.engine", "local")
    session.set_property("sqe.time_zone", "UTC")
    made = Lakehouse(server, session, http)
    made.catalog.create_namespace("db")
    return made
