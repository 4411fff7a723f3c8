"""A catalog that gives keys to tables' files, and signs requests, as a test says."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Signed
from sqe.model.identity import Identity
from tests.unit.engines.local.runtime.object_store import ObjectStore

FAR_S = 36_000


@dataclass
class Vending:
    """Stands for the catalogs and for the only one of them. ``give`` answers for credentials,
    ``sign`` for signatures; either may raise."""

    give: Callable[[], tuple[Json, ...]] = tuple
    signed: Callable[[Json], Signed] | None = None
    asked: list[str] = field(default_factory=list)  # as whom credentials were asked for
    requests: list[Json] = field(default_factory=list)
    user: str = ""

    def names(self, identity: Identity | None = None) -> list[str]:
        return ["lake"]

    def open(self, name: str, identity: Identity) -> Catalog:
        self.user = identity.user
        return cast(Catalog, self)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        self.asked.append(self.user)
        return self.give()

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        assert self.signed is not None
        self.requests.append(request)
        return self.signed(request)


def credential(store: ObjectStore, name: str, key: str, ends_in: float = FAR_S) -> Json:
    config = store.config(key)
    config["s3.session-token-expires-at-ms"] = str(int((time.time() + ends_in) * 1000))
    return {"prefix": f"s3://lake/w/{name}", "config": config}


def vended(table: Any, store: ObjectStore, *credentials: Json) -> Loaded:
    """The catalog's answer for a table, with these credentials."""
    metadata = (store.folder / table.metadata_location.removeprefix("s3://")).read_bytes()
    return Loaded(metadata, table.metadata_location, {}, credentials)


def made(catalog: SqlCatalog, name: str, schema: Any, *parts: Any) -> Any:
    """A table in the store; each part is a file."""
    table = catalog.create_table(f"db.{name}", schema, location=f"s3://lake/w/{name}")
    for part in parts:
        table.append(part)
    return table
