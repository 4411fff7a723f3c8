"""One catalog of the test server: SQE's embedded catalog, and what Polaris keeps beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TypeVar

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Namespace
from sqe.testing.vending import S3Storage

_T = TypeVar("_T")

_TABLES_MADE = """SELECT table_name FROM iceberg_tables
    WHERE catalog_name = ? AND table_namespace = ? ORDER BY rowid"""
_NAMESPACES_MADE = """SELECT namespace, MIN(rowid) FROM iceberg_namespace_properties
    WHERE catalog_name = ? GROUP BY namespace ORDER BY 2"""


class StoredCatalog(EmbeddedCatalog):
    """Its lists are in the order in which things were made, as Polaris's are."""

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        namespaces = super().list_namespaces(parent)
        if len(namespaces) < 2:  # most: clients ask what is in each
            return namespaces
        with self._store.read() as db:
            made = [text for text, _ in db.execute(_NAMESPACES_MADE, (self.name,))]
        return _in_order_of(made, namespaces, ".".join)

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._as_made(namespace, super().list_tables(namespace))

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._as_made(namespace, super().list_views(namespace))

    def _as_made(self, namespace: Namespace, names: list[str]) -> list[str]:
        with self._store.read() as db:
            rows = db.execute(_TABLES_MADE, (self.name, ".".join(namespace)))
            return _in_order_of([name for (name,) in rows], names, str)


def _in_order_of(made: list[str], things: list[_T], text: Callable[[_T], str]) -> list[_T]:
    places = {name: place for place, name in enumerate(made)}
    return sorted(things, key=lambda thing: places.get(text(thing), len(made)))


class Lake:
    """``storage`` None: the files are on this machine's disk, and need no credentials."""

    def __init__(
        self,
        catalog: StoredCatalog,
        base: str,
        storage: S3Storage | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        self.name = catalog.name
        self.catalog = catalog
        self.base = base.rstrip("/")
        self.storage = storage
        self.properties = {"default-base-location": self.base, **(properties or {})}
        self._lock = threading.Lock()
        self._restrictions: dict[tuple[Ident, str], Json] = {}
        self._keys: set[tuple[Ident, str]] = set()

    def namespace_location(self, namespace: Namespace) -> str:
        return "/".join((self.base, *namespace)) + "/"

    def restrict(self, ident: Ident, principal: str, restrictions: Json | None) -> None:
        """What loads of the table by this principal carry as read-restrictions."""
        with self._lock:
            if restrictions is None:
                self._restrictions.pop((ident, principal), None)
            else:
                self._restrictions[ident, principal] = restrictions

    def restrictions(self, ident: Ident, principal: str) -> Json | None:
        with self._lock:
            return self._restrictions.get((ident, principal))

    def was_done(self, ident: Ident, key: str) -> bool:
        """Whether a change of this table with this idempotency key has happened."""
        with self._lock:
            return (ident, key) in self._keys

    def note_key(self, ident: Ident, key: str) -> None:
        with self._lock:
            self._keys.add((ident, key))
