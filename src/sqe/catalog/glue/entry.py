"""``type = "glue"``: AWS Glue's Data Catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, Listeners
from sqe.catalog.embedded.catalog import EmbeddedCatalog
from sqe.catalog.storage.shared_warehouse import SharedWarehouse
from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.model.observer import Observer
from sqe.settings import GlueCatalogSettings, Settings

if TYPE_CHECKING:
    from sqe.catalog.storage.bucket_warehouse import BucketWarehouse
    from sqe.http.client import Http


@dataclass(frozen=True)
class GlueCatalog:
    """Glue and the store are both asked with keys of the user."""

    name: str
    settings: GlueCatalogSettings
    warehouse: BucketWarehouse
    http: Http
    observer: Observer

    def open(self, identity: Identity) -> EmbeddedCatalog:
        from sqe.catalog.glue.client import GlueClient, GlueStore
        from sqe.catalog.glue.rows import GlueRows
        from sqe.catalog.storage.session_policy import scope_of

        keys = self.warehouse.keys_of(identity)
        scope = scope_of("glue", {"Action": "glue:*", "Resource": "*"})
        settings = self.settings
        client = GlueClient(
            self.name,
            settings.address,
            settings.region,
            settings.catalog_id,
            self.http,
            lambda: keys.for_calls(scope),
        )
        disk = self.warehouse.disk(keys)
        rows = GlueRows(disk.root, disk.holds, skip_archive=settings.skip_archive)
        return EmbeddedCatalog(
            GlueStore(client), SharedWarehouse(disk), self.name, rows=rows, observer=self.observer
        )

    def close(self) -> None:
        self.warehouse.close()
        self.http.close()


def _make(
    name: str, catalog: GlueCatalogSettings, settings: Settings, listeners: Listeners
) -> GlueCatalog:
    from sqe.catalog.storage.bucket_warehouse import bucket_warehouse
    from sqe.http.client import Http, HttpOptions

    warehouse = bucket_warehouse(
        name, catalog.warehouse, catalog.storage, settings, listeners.recorder
    )
    http = Http(HttpOptions(f"Glue, for catalog {name},", ErrorCode.CATALOG_UNAVAILABLE))
    return GlueCatalog(name, catalog, warehouse, http, listeners.observer)


def _describe(catalog: GlueCatalogSettings) -> CatalogFacts:
    by_token = catalog.storage.auth == "user"
    identity = "the user's token, exchanged for keys" if by_token else "mapped credentials"
    return CatalogFacts(catalog.type, catalog.address, identity, takes_token=by_token)


GLUE = CatalogType(GlueCatalogSettings, _make, _describe)
