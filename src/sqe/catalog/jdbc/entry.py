"""``type = "jdbc"``: the tables of Iceberg's JDBC catalog in a database of somebody else's."""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, MadeCatalog
from sqe.catalog.embedded.catalog import EmbeddedCatalog
from sqe.catalog.embedded.store import Store
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.model.observer import Observer
from sqe.settings import JdbcCatalogSettings, Settings
from sqe.settings.addresses import SQLITE

_log = logging.getLogger(__name__)


def _make(
    name: str, catalog: JdbcCatalogSettings, settings: Settings, observer: Observer
) -> MadeCatalog:
    from sqe.catalog.embedded.disks import Folder
    from sqe.catalog.jdbc.warehouse import SharedWarehouse

    require_outside(name, catalog.warehouse, settings.home)
    _log.warning(
        "catalog %s: all users act through one account of %s; SQE's policies alone decide",
        name,
        catalog.address,
    )
    return EmbeddedCatalog(
        _open_store(name, catalog, settings),
        SharedWarehouse(Folder(catalog.warehouse)),
        name,
        rows_of=catalog.catalog_name,
        observer=observer,
    )


def _open_store(name: str, catalog: JdbcCatalogSettings, settings: Settings) -> Store:
    url, upgrades = catalog.url.get_secret_value(), catalog.schema_version == "V1"
    if urlsplit(url).scheme == SQLITE:
        from sqe.catalog.embedded.sqlite_store import SqliteStore

        file = Path(unquote(urlsplit(url).path[1:]))
        require_outside(name, file, settings.home)
        return SqliteStore(file, upgrades=upgrades)
    from sqe.catalog.jdbc.postgresql import PostgreSQLStore

    return PostgreSQLStore(name, Secret(url), upgrades=upgrades)


def require_outside(name: str, path: Path, home: Path) -> None:
    """The rules for SQE's own tables must not be got round by another catalog of their files."""
    ours, theirs = home.resolve(), path.resolve()
    if theirs.is_relative_to(ours) or ours.is_relative_to(theirs):
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            f"catalogs.{name}: {path} and SQE's home {home} are one inside the other.",
            hint="Choose a place that is for this catalog alone.",
        )


def _describe(catalog: JdbcCatalogSettings) -> CatalogFacts:
    return CatalogFacts(catalog.type, catalog.address, "shared: one account for all users")


JDBC = CatalogType(JdbcCatalogSettings, _make, _describe)
