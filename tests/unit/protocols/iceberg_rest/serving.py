"""A server with Iceberg's REST endpoint, and people with different rights."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import ScryptCost
from sqe.model.query import QueryRequest
from sqe.server.build import Server, build
from sqe.settings import Settings

PASSWORD = "correct horse"
TOKENS = {user: new_token() for user in ("root", "ann", "bob", "eve")}
SCHEMA = Schema(NestedField(1, "id", LongType()), NestedField(2, "note", StringType()))
ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "note": ["a", "b", None]})
NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails
SCHEMAS = ("CREATE SCHEMA sales", "CREATE SCHEMA hidden")
RULES = (
    "GRANT ALL ON SCHEMA sales TO USER ann",
    "GRANT SELECT ON TABLE sales.orders TO USER bob",
    "GRANT SELECT ON TABLE sales.part TO USER bob ROWS WHERE (id = 1)",
    "GRANT INSERT ON TABLE sales.orders TO USER eve",
)


def users() -> dict[str, Any]:
    password = hash_password(Secret(PASSWORD), ScryptCost(p=1)).write()
    return {
        user: {"password": password, "tokens": [f"sha256:{hash_token(token).hex()}"]}
        for user, token in TOKENS.items()
    }


@contextmanager
def serving(home: Path, **iceberg: Any) -> Iterator[tuple[Server, str]]:
    """And its address. The user root may do everything."""
    given = {
        "home": home,
        "spark": {"remote": NOWHERE},
        "iceberg": {"enabled": True, "port": 0, "local_files": True, **iceberg},
        "auth": {"users": users()},
        "policy": {"sql": True, "administrators": ["root"]},
    }
    with closing(build(Settings.model_validate(given))) as server:
        yield server, server.listen_iceberg()


def run_sql(server: Server, user: str, *statements: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    session = server.gateway.open_session(Identity(user))
    for text in statements:
        with server.gateway.fetch(
            server.gateway.submit(QueryRequest(session.id, text, parameters=()))
        ) as result:
            rows = [row for batch in result for row in batch.to_pylist()]
    session.close()
    return rows


def client_of(url: str, user: str, **properties: str) -> RestCatalog:
    token = TOKENS[user].reveal()
    return RestCatalog(user, uri=url, warehouse="lake", **{"token": token, **properties})


class Raw:
    """Requests as nobody's client would send them."""

    def __init__(self, url: str, user: str = "", token: str = "") -> None:
        self._place = urlsplit(url)
        token = token or (TOKENS[user].reveal() if user else "")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self._place.hostname or "", self._place.port)
        content = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
        with closing(connection):
            sent = {**self.headers, **(headers or {})}
            connection.request(method, f"{self._place.path}/v1/{path}", content, sent)
            answer = connection.getresponse()
            text = answer.read()
        return answer.status, json.loads(text) if text else None
