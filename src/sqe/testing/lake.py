"""One catalog of the test server: SQE's embedded catalog, and what Polaris keeps beside it."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Namespace
from sqe.testing.vending import S3Storage


class Lake:
    """``storage`` None: the files are on this machine's disk, and need no credentials."""

    def __init__(
        self,
        catalog: EmbeddedCatalog,
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

    def done(self, ident: Ident, key: str) -> None:
        with self._lock:
            self._keys.add((ident, key))
