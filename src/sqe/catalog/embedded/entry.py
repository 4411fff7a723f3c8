"""``type = "embedded"``: SQLite and a warehouse folder in SQE's home."""

from __future__ import annotations

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, Listeners
from sqe.catalog.embedded.catalog import EmbeddedCatalog
from sqe.settings import EmbeddedCatalogSettings, Settings

CATALOG_FILE = "lake.db"
WAREHOUSE = "warehouse"


def _make(
    name: str, catalog: EmbeddedCatalogSettings, settings: Settings, listeners: Listeners
) -> EmbeddedCatalog:
    home = settings.home
    return EmbeddedCatalog(
        home / CATALOG_FILE, home / WAREHOUSE, name=name, observer=listeners.observer
    )


def _describe(catalog: EmbeddedCatalogSettings) -> CatalogFacts:
    return CatalogFacts(catalog.type)


EMBEDDED = CatalogType(EmbeddedCatalogSettings, _make, _describe, own=True)
