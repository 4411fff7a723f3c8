"""A server without Spark over the tables that the statements read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

from benchmarks import ssb
from benchmarks.tpc_extension import extended
from sqe.catalog.rest.routes import catalog_app
from sqe.errors import SqeError
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.local_share.outcome import RAN, Outcome
from tests.local_share.suites import TRINO, Suite
from tests.trino import tpch
from tests.trino.generated import tables

NO_SPARK = "sc://127.0.0.1:9"  # nothing answers there
_SCALE = 0.01
_USER = Identity("share")


class Lake:
    def __init__(self, server: Server) -> None:
        self._server = server

    def outcomes(self, suite: Suite) -> list[Outcome]:
        """Of the local engine alone: what it does not take is an error."""
        gateway = self._server.gateway
        session = gateway.open_session(_USER, SchemaName(suite.catalog, (suite.schema,)))
        session.set_property("sqe.engine", "local")
        client = None
        if suite.dialect == TRINO:
            client = ClientState(suite.catalog, suite.schema)
        outcomes = []
        for _, text in suite.statements:
            request = QueryRequest(session.id, text, client=client)
            try:
                with gateway.fetch(gateway.submit(request)) as result:
                    result.read_all()
                outcomes.append(RAN)
            except SqeError as error:
                outcomes.append(Outcome(error.code, error.message))
        return outcomes


@contextmanager
def open_lake(home: Path) -> Iterator[Lake]:
    given = {
        "home": home,
        "spark": {"remote": NO_SPARK},
        "catalogs": {name: {"type": "embedded"} for name in ("lake", "tpch")},
        "log": {"audit": False},
    }
    server = build(Settings.model_validate(given))
    try:
        fill(server)
        yield Lake(server)
    finally:
        server.close()


def fill(server: Server) -> None:
    """Once per home: a second call does nothing."""
    if ("generated",) in server.catalogs.open("lake", _USER).list_namespaces():
        return
    with extended("tpch") as connection:
        connection.execute(f"CALL dbgen(sf = {_SCALE})")
        _load(server, "lake", "tpch", _all_tables(connection))
        _load(server, "lake", "ssb", dict(ssb.tables_of(connection)))
        _load(server, "tpch", "tiny", _tiny(connection))
    with extended("tpcds") as connection:
        connection.execute(f"CALL dsdgen(sf = {_SCALE})")
        _load(server, "lake", "tpcds", _all_tables(connection))
    with duckdb.connect() as connection:
        connection.execute("ATTACH ':memory:' AS lake")
        for text in tables.statements():
            connection.execute(_in_duckdbs_words(text))
        connection.execute("USE lake.generated")
        _load(server, "lake", "generated", _all_tables(connection))


def _in_duckdbs_words(text: str) -> str:
    words = {"array(integer)": "integer[]", "nan()": "'nan'::double", "infinity()": "'inf'::double"}
    for trino, duckdbs in words.items():
        text = text.replace(trino, duckdbs)
    return text


def _all_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, pa.Table]:
    names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
    return {name: connection.execute(f'FROM "{name}"').to_arrow_table() for name in names}


def _tiny(connection: duckdb.DuckDBPyConnection) -> dict[str, pa.Table]:
    """With the types that the recorded answers have."""
    made = {}
    for name, columns in tpch.TABLES.items():
        listed = ", ".join(
            f"CAST({column} AS {kind}) AS {column}" for column, kind in columns.items()
        )
        made[name] = connection.execute(f"SELECT {listed} FROM {name}").to_arrow_table()
    return made


def _load(server: Server, catalog: str, schema: str, tables: Mapping[str, pa.Table]) -> None:
    """Through the catalog's REST interface, by PyIceberg: Spark would take minutes for it."""
    opened = server.catalogs.open(catalog, _USER)
    http = HttpThread(catalog_app(lambda _: opened))
    http.start()
    try:
        lake = RestCatalog(catalog, uri=http.url)
        lake.create_namespace_if_not_exists(schema)
        for name, rows in tables.items():
            if not lake.table_exists(f"{schema}.{name}"):
                table = lake.create_table(f"{schema}.{name}", schema=rows.schema)
                if len(rows):
                    table.append(rows)
    finally:
        http.stop()
