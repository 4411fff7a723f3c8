"""``type = "files"``: a folder of tables without a catalog."""

from __future__ import annotations

from sqe.catalog.catalog_type import CatalogFacts, CatalogType
from sqe.catalog.folder.catalog import FolderCatalog
from sqe.catalog.jdbc.entry import require_outside
from sqe.errors import ErrorCode, UserError
from sqe.model.observer import Observer
from sqe.settings import FilesCatalogSettings, Settings


def _make(
    name: str, catalog: FilesCatalogSettings, settings: Settings, observer: Observer
) -> FolderCatalog:
    require_outside(name, catalog.warehouse, settings.home)
    if not catalog.warehouse.is_dir():
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            f"catalogs.{name}.warehouse: no folder {catalog.warehouse}.",
        )
    return FolderCatalog(name, catalog.warehouse, observer)


def _describe(catalog: FilesCatalogSettings) -> CatalogFacts:
    return CatalogFacts(catalog.type, str(catalog.warehouse), "shared: SQE's own account")


FILES = CatalogType(FilesCatalogSettings, _make, _describe)
