"""The catalogs of the settings: SQE's own in its home, and those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.settings import RestCatalogSettings, Settings

if TYPE_CHECKING:
    from sqe.catalog.remote import RestCatalogs

CATALOG_FILE = "lake.db"
WAREHOUSE = "warehouse"


class SettingsCatalogs:
    """``catalogs`` opens them by name. ``close`` when nobody uses any of them."""

    def __init__(self, settings: Settings) -> None:
        self._embedded: dict[str, EmbeddedCatalog] = {}
        self._remote: dict[str, RestCatalogs] = {}
        home = settings.home
        for name, catalog in settings.catalogs.items():
            if isinstance(catalog, RestCatalogSettings):
                self._remote[name] = _remote(name, catalog, settings)
            else:
                own = EmbeddedCatalog(home / CATALOG_FILE, home / WAREHOUSE, name=name)
                self._embedded[name] = own
        default = self._embedded.get(settings.default_catalog)
        if default is not None:  # in another's catalog nothing is made that no user asked for
            _ensure_schema(default, (settings.default_schema,))
        self.catalogs = ConfiguredCatalogs(self._embedded, self._remote)

    def close(self) -> None:
        for own in self._embedded.values():
            own.close()
        for other in self._remote.values():
            other.close()


def _remote(name: str, settings: RestCatalogSettings, everything: Settings) -> RestCatalogs:
    from sqe.catalog.remote import RestCatalogs, RestOptions  # HTTP is not needed without them

    authorities = settings.authorities
    if authorities is not None:
        authorities = everything.in_home(authorities)
        if not authorities.is_file():
            raise UserError(
                ErrorCode.INVALID_SETTINGS, f"catalogs.{name}.authorities: no file {authorities}."
            )
    return RestCatalogs(
        RestOptions(
            name=name,
            uri=settings.uri,
            warehouse=settings.warehouse,
            headers={
                header: Secret(value.get_secret_value())
                for header, value in settings.headers.items()
            },
            delegation="" if settings.delegation == "none" else settings.delegation,
            audience=settings.audience,
            shows_token=settings.auth == "user",
            timeout_s=settings.timeout_s,
            cache_s=settings.cache_s,
            authorities=authorities,
        )
    )


def _ensure_schema(catalog: EmbeddedCatalog, path: tuple[str, ...]) -> None:
    try:
        catalog.load_namespace(path)
    except UserError:
        catalog.create_namespace(path, {})
