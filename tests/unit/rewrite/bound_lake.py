"""Statements over a small catalog, bound and decided, without any engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundStatement, BoundTable, BoundTarget, BoundView
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.model.decision import Allow, Decision
from sqe.model.identity import Identity, Secret
from sqe.model.names import RelationName, SchemaName
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import needs_of
from sqe.rewrite.unfit import Unfit
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore
from sqe.sql.parse import parse
from sqe.sql.statement import Reference, Statement
from sqe.sql.text import TextLimits
from tests.unit.catalog.tables import add, point

HERE = SchemaName("lake", ("s",))
# What a checked write does with a row that its user may not see.
RAISE = (
    "raise_error('SQE:TRINO:PERMISSION_DENIED:A row that the statement writes is not one that you"
    " may see. Nothing was written.')"
)


def struct(**columns: str) -> dict[str, Any]:
    """A schema of Iceberg's: names and types."""
    fields = [
        {"id": number, "name": name, "type": kind, "required": False}
        for number, (name, kind) in enumerate(columns.items(), 1)
    ]
    return {"type": "struct", "fields": fields}


EMP = struct(id="int", dept="string", pay="decimal(10, 2)", home="string")


def spelled(name: RelationName) -> tuple[str, ...]:
    """A handle."""
    return ("sqe", "h", name.name)


@dataclass(frozen=True)
class BoundLake:
    """Its own authority over the catalog for policies' expressions."""

    catalog: EmbeddedCatalog
    binder: Binder
    session: Session
    keys: HashKeys = field(default_factory=HashKeys)

    @property
    def time_zone(self) -> str:
        return "UTC"

    def reader(self, as_user: str) -> Identity:
        return Identity(as_user) if as_user else self.session.identity

    def find(self, statement: Statement, reference: Reference, schema: SchemaName) -> BoundTarget:
        return self.binder.find(statement, reference, self.session, schema)

    def translate(
        self, sql: str, dialect: str, kind: str, target: BoundTable | BoundView, identity: Identity
    ) -> str:
        raise Unfit(f"the dialect {dialect} is not known")

    def subkeys(self, name: str) -> tuple[Secret, Secret] | None:
        return self.keys.subkeys(name)

    def bound(self, sql: str) -> BoundStatement:
        return self.binder.bind(parse(sql), self.session)

    def guarded(
        self, sql: str, decisions: Mapping[str, Decision] | None = None
    ) -> GuardedStatement:
        bound = self.bound(sql)
        answers = {
            need.key: (decisions or {}).get(str(need.key[0]), Allow("test"))
            for need in needs_of(bound)
        }
        return guard(bound, answers, self)


def give_history(catalog: EmbeddedCatalog, ident: Ident) -> None:
    """A snapshot 1 of long ago, the branches ``main``, ``b`` and ``x``, a tag ``first``."""
    branches = [point(name, 1) for name in ("main", "b", "x")]
    location = catalog.load_table(ident).metadata["location"]
    manifests = {"manifest-list": f"{location}/metadata/snap-1.avro"}
    updates = [add(1, **manifests), *branches, point("first", 1, "tag")]
    catalog.commit_table(ident, {"requirements": [], "updates": updates})


@contextmanager
def bound_lake(
    folder: Path, identity: Identity, keys: HashKeys | None = None, **tables: dict[str, Any]
) -> Iterator[BoundLake]:
    """Tables of the schema ``lake.s``, by their names and schemas."""
    catalog = EmbeddedCatalog(folder / "c.db", folder / "w", name="lake")
    catalog.create_namespace(("s",), {})
    for name, schema in tables.items():
        catalog.create_table(("s",), {"name": name, "schema": schema})
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits())
    yield BoundLake(catalog, binder, SessionStore(HERE).open(identity), keys or HashKeys())
    catalog.close()
