"""``type = "rest"``: a catalog behind the Iceberg REST protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.catalog.catalog_type import CatalogFacts, CatalogType, Listeners
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.settings import RestCatalogSettings, Settings

if TYPE_CHECKING:
    from sqe.catalog.remote.catalog import RestCatalogs


def _make(
    name: str, catalog: RestCatalogSettings, settings: Settings, listeners: Listeners
) -> RestCatalogs:
    from sqe.catalog.remote.catalog import RestCatalogs  # HTTP is not needed without it
    from sqe.catalog.remote.options import RestOptions

    authorities = catalog.authorities
    if authorities is not None:
        authorities = settings.in_home(authorities)
        if not authorities.is_file():
            raise UserError(
                ErrorCode.INVALID_SETTINGS, f"catalogs.{name}.authorities: no file {authorities}."
            )
    return RestCatalogs(
        RestOptions(
            name=name,
            uri=catalog.uri,
            warehouse=catalog.warehouse,
            headers={
                header: Secret(value.get_secret_value())
                for header, value in catalog.headers.items()
            },
            delegation="" if catalog.delegation == "none" else catalog.delegation,
            audience=catalog.audience,
            unique_locations=catalog.unique_locations,
            shows_token=catalog.auth == "user",
            timeout_s=catalog.timeout_s,
            cache_s=catalog.cache_s,
            authorities=authorities,
        ),
        listeners.observer,
    )


def _describe(catalog: RestCatalogSettings) -> CatalogFacts:
    kind = catalog.service or catalog.type
    if catalog.auth == "none":
        return CatalogFacts(kind, catalog.uri)
    exchanged = f", exchanged for one with the audience {catalog.audience}"
    identity = "the user's token" + (exchanged if catalog.audience else "")
    return CatalogFacts(kind, catalog.uri, identity, takes_token=True)


REST = CatalogType(RestCatalogSettings, _make, _describe)
