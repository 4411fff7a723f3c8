"""A server whose rules are made with SQL, and people who ask it things; no Spark."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.views import DEFINER, SECURITY, digest_of
from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import build
from sqe.settings import Settings
from tests.unit.coordinator.lake import view_request

NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails
ROOT = "root"
EMP = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": False},
        {"id": 2, "name": "name", "type": "string", "required": False},
        {"id": 3, "name": "region", "type": "string", "required": False},
        {"id": 4, "name": "active", "type": "boolean", "required": False},
    ],
}


class Ruled:
    """Tables ``hr.emp`` and ``hr.dept``, and a view of emp, ``hr.names``. ``root`` is the
    administrator."""

    def __init__(self, home: Path, *, sql: bool = True, file: Path | None = None) -> None:
        policy: dict[str, Any] = {
            "sql": sql,
            "administrators": [ROOT],
            "hash_keys": {"default": "k" * 32},
            "file": {"path": file} if file is not None else None,
        }
        self.server = build(
            Settings.model_validate({"home": home, "spark": {"remote": NOWHERE}, "policy": policy})
        )
        catalog = self.server.catalogs.open("lake", Identity(ROOT))
        catalog.create_namespace(("hr",), {})
        for name in ("emp", "dept"):
            catalog.create_table(("hr",), {"name": name, "schema": EMP})
        catalog.create_view(("hr",), view_request("names", "SELECT id AS a FROM emp"))

    def lend(self, name: str, text: str, owner: str) -> None:
        """A view ``hr.name`` with its owner's rights; to make one with SQL takes Spark."""
        catalog = self.server.catalogs.open("lake", Identity(ROOT))
        request = view_request(name, text)
        request["properties"][SECURITY] = DEFINER
        uuid = catalog.create_view(("hr",), request).metadata["view-uuid"]
        schema = SchemaName("lake", ("hr",))
        digest = digest_of(text, schema, uuid)
        self.server.owners.set(RelationName(schema, name), uuid, owner, digest)

    def rows(
        self,
        sql: str,
        user: str = ROOT,
        groups: Iterable[str] = (),
        client: ClientState | None = None,
    ) -> list[tuple[Any, ...]]:
        identity = Identity(user, frozenset(groups))
        return self.rows_as(identity, sql, client)

    def rows_as(
        self, identity: Identity, sql: str, client: ClientState | None = None
    ) -> list[tuple[Any, ...]]:
        gateway = self.server.gateway
        session = gateway.open_session(identity)
        try:
            query = gateway.submit(QueryRequest(session.id, sql, client=client))
            with gateway.fetch(query) as result:
                table = result.read_all()
            self.names = table.schema.names
            return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        finally:
            session.close()

    def all(self, *statements: str) -> None:
        for sql in statements:
            self.rows(sql)

    def fails(self, sql: str, user: str = ROOT, client: ClientState | None = None) -> SqeError:
        with pytest.raises(SqeError) as caught:
            self.rows(sql, user, client=client)
        return caught.value

    def close(self) -> None:
        self.server.close()
