"""``type = "jdbc"``: the tables of Iceberg's JDBC catalog in a database of somebody else's."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, Listeners
from sqe.catalog.embedded.catalog import EmbeddedCatalog
from sqe.catalog.embedded.rows import Rows
from sqe.catalog.embedded.store import SqlStore
from sqe.catalog.storage.shared_warehouse import SharedWarehouse
from sqe.catalog.storage.warehouses import (
    Warehouses,
    describe_identity,
    require_outside,
    warehouses_of,
)
from sqe.model.identity import Identity, Secret
from sqe.model.observer import Observer
from sqe.settings import JdbcCatalogSettings, Settings
from sqe.settings.addresses import SQLITE

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JdbcCatalog:
    """Its database is asked through one account, its files are reached as each user."""

    name: str
    store: SqlStore
    warehouses: Warehouses
    rows_of: str
    observer: Observer

    def open(self, identity: Identity) -> EmbeddedCatalog:
        warehouse = SharedWarehouse(self.warehouses.open(identity))
        rows = Rows(self.rows_of or self.name, self.store)
        return EmbeddedCatalog(self.store, warehouse, self.name, rows=rows, observer=self.observer)

    def close(self) -> None:
        self.store.close()
        self.warehouses.close()


def _make(
    name: str, catalog: JdbcCatalogSettings, settings: Settings, listeners: Listeners
) -> JdbcCatalog:
    _log.warning(
        "catalog %s: all users act through one account of %s; SQE's policies alone decide",
        name,
        catalog.address,
    )
    warehouses = warehouses_of(name, catalog, settings, listeners.recorder)
    store = _open_store(name, catalog, settings)
    return JdbcCatalog(name, store, warehouses, catalog.catalog_name, listeners.observer)


def _open_store(name: str, catalog: JdbcCatalogSettings, settings: Settings) -> SqlStore:
    url, upgrades = catalog.url.get_secret_value(), catalog.schema_version == "V1"
    if urlsplit(url).scheme == SQLITE:
        from sqe.catalog.embedded.sqlite_store import SqliteStore

        file = Path(unquote(urlsplit(url).path[1:]))
        require_outside(name, file, settings.home)
        return SqliteStore(file, upgrades=upgrades)
    from sqe.catalog.jdbc.postgresql import PostgreSQLStore

    return PostgreSQLStore(name, Secret(url), upgrades=upgrades)


def _describe(catalog: JdbcCatalogSettings) -> CatalogFacts:
    identity = describe_identity(catalog, "shared: one account for all users")
    return CatalogFacts(catalog.type, catalog.address, identity)


JDBC = CatalogType(JdbcCatalogSettings, _make, _describe)
