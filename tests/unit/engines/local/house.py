"""A lakehouse with rules in SQL, whose users ask the local engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

from sqe.catalog.rest.routes import catalog_app
from sqe.errors import ErrorCode, SqeError
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import Server, build
from sqe.sessions.session import Session
from sqe.settings import Settings

NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails
ROOT = "root"
EMP = {"id": [1, 2, 3, 4], "region": ["EU", "US", "EU", "US"], "salary": [10, 20, 30, 40]}
DENIED = "denied"


@dataclass
class House:
    server: Server
    lake: RestCatalog

    def session(self, user: str) -> Session:
        schema = SchemaName("lake", ("hr",))
        session = self.server.gateway.open_session(Identity(user), schema)
        session.set_property("sqe.engine", "local" if user != ROOT else "auto")
        return session

    def ask(
        self, session: Session, sql: str, client: ClientState | None = None
    ) -> list[tuple[Any, ...]] | str:
        gateway = self.server.gateway
        try:
            query_id = gateway.submit(QueryRequest(session.id, sql, client=client))
            with gateway.fetch(query_id) as result:
                table = result.read_all()
        except SqeError as error:
            assert error.code is ErrorCode.ACCESS_DENIED, error
            return DENIED
        return [tuple(row.values()) for row in table.to_pylist()]

    @property
    def reused(self) -> int:
        figures = self.server.state.local.figures
        assert figures is not None
        return figures.reused


@contextmanager
def open_house(home: Path, **settings: Any) -> Iterator[House]:
    asked = {
        "home": home,
        "spark": {"remote": NOWHERE},
        "policy": {"sql": True, "administrators": [ROOT]},
        **settings,
    }
    with closing(build(Settings.model_validate(asked))) as server:
        catalog = server.catalogs.open("lake", Identity(ROOT))
        http = HttpThread(catalog_app(lambda _: catalog))
        http.start()
        try:
            lake = RestCatalog("lake", uri=http.url)
            lake.create_namespace("hr")
            rows = pa.table(EMP)
            lake.create_table("hr.emp", rows.schema).append(rows)
            yield House(server, lake)
        finally:
            http.stop()
