"""Catalogs that were attached with SQL."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from sqe.store.database import Database

_ALL = "SELECT name, kind, properties FROM attached_catalogs ORDER BY name"
_ONE = "SELECT name FROM attached_catalogs WHERE name = :name"
_VERSION = "SELECT count(*), max(changed_at) FROM attached_catalogs"
_ADD = (
    "INSERT INTO attached_catalogs (name, kind, properties, user_name, changed_at)"
    " VALUES (:name, :kind, :properties, :user_name, :now)"
)
_DROP = "DELETE FROM attached_catalogs WHERE name = :name"


@dataclass(frozen=True, slots=True)
class CatalogDefinition:
    """``kind`` stands behind USING. Secrets in ``properties`` are references."""

    name: str
    kind: str
    properties: Mapping[str, str]


class KeptCatalogs:
    """Thread-safe. Servers may share it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def version(self) -> Hashable:
        """Another value after each change."""
        from sqlalchemy import text

        if not self._database.exists:
            return None
        with self._database.begin() as connection:
            count, latest = connection.execute(text(_VERSION)).one()
        return count, latest

    def read(self) -> list[CatalogDefinition]:
        from sqlalchemy import text

        if not self._database.exists:
            return []
        with self._database.begin() as connection:
            rows = connection.execute(text(_ALL)).all()
        return [CatalogDefinition(name, kind, json.loads(kept)) for name, kind, kept in rows]

    def keep(self, definition: CatalogDefinition, user: str, *, new: bool) -> bool:
        """Adds it, or takes the place of the one that is there; False: that is not so."""
        from sqlalchemy import text

        row = {
            "name": definition.name,
            "kind": definition.kind,
            "properties": json.dumps(dict(definition.properties)),
            "user_name": user,
            "now": time.time(),
        }
        with self._database.begin() as connection:
            there = connection.execute(text(_ONE), {"name": definition.name}).first() is not None
            if there is new:
                return False
            connection.execute(text(_DROP), {"name": definition.name})
            connection.execute(text(_ADD), row)
        return True

    def forget(self, name: str) -> bool:
        """False: there was none."""
        from sqlalchemy import text

        with self._database.begin() as connection:
            return connection.execute(text(_DROP), {"name": name}).rowcount == 1
