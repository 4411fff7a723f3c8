"""A small lakehouse in the embedded catalog, and a user who asks it things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sqe.binding.binder import Binder
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.coordinator.engine import CoordinatorEngine
from sqe.engines.protocol import Run
from sqe.errors import UserError
from sqe.model.decision import Allow, Decision
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column
from sqe.results.stream import ResultStream
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import needs_of
from sqe.sessions.session import Session, TemporaryView
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits
from sqe.trino.reserved import RESERVED, TrinoRelations

EMP: Json = {
    "type": "struct",
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True, "doc": "the key"},
        {"id": 2, "name": "name", "type": "string", "required": False},
        {"id": 3, "name": "hired", "type": "timestamptz", "required": False},
        {
            "id": 4,
            "name": "home",
            "required": False,
            "type": {
                "type": "struct",
                "fields": [{"id": 5, "name": "zip code", "type": "int", "required": True}],
            },
        },
    ],
}
PARTITIONS: Json = {
    "spec-id": 0,
    "fields": [
        {"source-id": 1, "field-id": 1000, "transform": "bucket[16]", "name": "id_bucket"},
        {"source-id": 3, "field-id": 1001, "transform": "day", "name": "hired_day"},
    ],
}
SIMPLE: Json = {
    "type": "struct",
    "fields": [{"id": 1, "name": "a", "type": "int", "required": False}],
}


class CountingCatalog(EmbeddedCatalog):
    """Counts what is asked of it. ``broken`` tables are damaged."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder / f"{name}.db", folder / name, name=name)
        self.calls: Counter[str] = Counter()
        self.broken: dict[str, Exception] = {}

    def list_tables(self, namespace: Namespace) -> list[str]:
        self.calls["list " + ".".join(namespace)] += 1
        return super().list_tables(namespace)

    def load_table(self, ident: Ident) -> Loaded:
        self.calls[f"load {ident}"] += 1
        if str(ident) in self.broken:
            raise self.broken[str(ident)]
        return super().load_table(ident)

    def load_view(self, ident: Ident) -> Loaded:
        self.calls[f"load view {ident}"] += 1
        return super().load_view(ident)


class Catalogs:
    def __init__(self, catalogs: Mapping[str, CountingCatalog]) -> None:
        self._catalogs = catalogs

    def names(self, identity: Identity | None = None) -> list[str]:
        return sorted(self._catalogs)

    def open(self, name: str, identity: Identity) -> CountingCatalog:
        assert identity.user == "ada"
        return self._catalogs[name]


class Lake:
    """Catalogs ``lake`` (schemas hr, hr.old, sales) and ``attic`` (schema default)."""

    def __init__(self, folder: Path) -> None:
        self.lake = CountingCatalog(folder, "lake")
        self.attic = CountingCatalog(folder, "attic")
        self.catalogs = Catalogs({"lake": self.lake, "attic": self.attic})
        self.session = Session(
            Identity("ada"), SchemaName("lake", ("hr",)), on_close=lambda session_id: None
        )
        self.decisions: dict[str, Decision] = {}
        self._engine = CoordinatorEngine(self.catalogs)
        self._fill()

    def _fill(self) -> None:
        for namespace in (("hr",), ("hr", "old"), ("sales",)):
            self.lake.create_namespace(namespace, {})
        self.attic.create_namespace(("default",), {"comment": "things", "k": "v"})
        properties = {"comment": "who's here", "k": "v", "owner": "ada"}
        self.lake.create_table(
            ("hr",),
            {"name": "emp", "schema": EMP, "partition-spec": PARTITIONS, "properties": properties},
        )
        for namespace, name in ((("hr",), "dept"), (("hr", "old"), "emp"), (("sales",), "orders")):
            self.lake.create_table(namespace, {"name": name, "schema": SIMPLE})
        self.lake.create_view(("hr",), view_request("names", "SELECT name AS a FROM emp"))

    def close(self) -> None:
        self.lake.close()
        self.attic.close()

    def keep_view(self, name: str) -> None:
        view = TemporaryView(name, "SELECT 1 AS x", (Column("x", "int"),), self.session.schema)
        self.session.keep_view(view, replace=False)

    def guarded(self, text: str) -> GuardedStatement:
        bound = Binder(self.catalogs, TextLimits(), reserved={RESERVED: TrinoRelations()}).bind(
            parse(text), self.session
        )
        allow = Allow("a test")
        return guard(
            bound,
            {one.key: self.decisions.get(str(one.key[0]), allow) for one in needs_of(bound)},
        )

    def run(self, text: str) -> ResultStream:
        return self._engine.prepare(self.guarded(text), self.session).run(self.new_run())

    def new_run(self) -> Run:
        return Run("q1", self.session)

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        """The rows; the columns are those that describing promised."""
        described = self._engine.prepare(self.guarded(text), self.session).describe(self.new_run())
        result = self.run(text)
        assert result.columns == described.columns
        table = result.read_all()
        assert table.schema.equals(described.schema)
        return [tuple(row.values()) for row in table.to_pylist()]

    def column(self, text: str) -> list[Any]:
        return [row[0] for row in self.rows(text)]

    def names(self, text: str) -> list[str]:
        return [column.name for column in self.run(text).columns]

    def refusal(self, text: str) -> UserError:
        with pytest.raises(UserError) as caught:
            self.run(text)
        return caught.value


def view_request(name: str, text: str) -> Json:
    return {
        "name": name,
        "schema": {"schema-id": 0, **SIMPLE},
        "view-version": {
            "version-id": 1,
            "schema-id": 0,
            "timestamp-ms": 1_700_000_000_000,
            "summary": {},
            "default-catalog": "lake",
            "default-namespace": ["hr"],
            "representations": [{"type": "sql", "sql": text, "dialect": "spark"}],
        },
        "properties": {"comment": "only names"},
    }
