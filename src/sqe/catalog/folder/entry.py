"""``type = "files"``: a folder of tables without a catalog."""

from __future__ import annotations

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, Listeners
from sqe.catalog.folder.catalog import FolderCatalogs
from sqe.catalog.storage.warehouses import describe_identity, warehouses_of
from sqe.errors import ErrorCode, UserError
from sqe.settings import FilesCatalogSettings, Settings


def _make(
    name: str, catalog: FilesCatalogSettings, settings: Settings, listeners: Listeners
) -> FolderCatalogs:
    warehouses = warehouses_of(name, catalog, settings, listeners.recorder)
    if catalog.folder is not None and not catalog.folder.is_dir():
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            f"catalogs.{name}.warehouse: no folder {catalog.warehouse}.",
        )
    return FolderCatalogs(name, warehouses, listeners.observer)


def _describe(catalog: FilesCatalogSettings) -> CatalogFacts:
    account = "shared: SQE's own account" if catalog.folder is not None else "shared"
    return CatalogFacts(catalog.type, catalog.warehouse, describe_identity(catalog, account))


FILES = CatalogType(FilesCatalogSettings, _make, _describe)
