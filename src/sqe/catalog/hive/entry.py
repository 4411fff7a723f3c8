"""``type = "hive"``: a Hive metastore."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, Listeners
from sqe.catalog.embedded.catalog import EmbeddedCatalog
from sqe.catalog.hive.rows import HiveRows
from sqe.catalog.hive.store import HiveOptions, HiveStore
from sqe.catalog.storage.shared_warehouse import SharedWarehouse
from sqe.catalog.storage.warehouses import Warehouses, describe_identity, warehouses_of
from sqe.model.identity import Identity
from sqe.model.observer import Observer
from sqe.settings import HiveCatalogSettings, Settings

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HiveCatalog:
    """The metastore is asked through one account, its tables' files are reached as each user."""

    name: str
    store: HiveStore
    warehouses: Warehouses
    observer: Observer

    def open(self, identity: Identity) -> EmbeddedCatalog:
        disk = self.warehouses.open(identity)
        rows = HiveRows(self.store, disk.root, disk.holds)
        return EmbeddedCatalog(
            self.store, SharedWarehouse(disk), self.name, rows=rows, observer=self.observer
        )

    def close(self) -> None:
        self.store.close()
        self.warehouses.close()


def _make(
    name: str, catalog: HiveCatalogSettings, settings: Settings, listeners: Listeners
) -> HiveCatalog:
    _log.warning(
        "catalog %s: all users act as %s at %s; SQE's policies alone decide",
        name,
        catalog.user,
        catalog.uri,
    )
    options = HiveOptions(
        name,
        tuple(catalog.addresses),
        catalog.user,
        catalog.locks,
        catalog.lock_wait_s,
        catalog.timeout_s,
    )
    warehouses = warehouses_of(name, catalog, settings, listeners.recorder)
    return HiveCatalog(name, HiveStore(options), warehouses, listeners.observer)


def _describe(catalog: HiveCatalogSettings) -> CatalogFacts:
    identity = describe_identity(catalog, f"shared: all users as {catalog.user}")
    return CatalogFacts(catalog.type, catalog.uri, identity)


HIVE = CatalogType(HiveCatalogSettings, _make, _describe)
