"""The test catalog as a file describes it, for a process of its own."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from sqe.model.identity import Secret
from sqe.settings.identity import OidcSettings
from sqe.testing.catalog import PolarisLikeCatalog
from sqe.testing.options import Options
from sqe.testing.tokens import oidc_tokens
from sqe.testing.vending import S3Keys, S3Storage


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class S3File(_Strict):
    endpoint: str
    bucket: str
    prefix: str
    access_key: str
    secret_key: SecretStr
    region: str = "us-east-1"
    admin_access_key: str = ""
    admin_secret_key: SecretStr = SecretStr("")

    def storage(self) -> S3Storage:
        root = None
        if self.admin_access_key:
            secret = Secret(self.admin_secret_key.get_secret_value())
            root = S3Keys(self.admin_access_key, secret)
        keys = S3Keys(self.access_key, Secret(self.secret_key.get_secret_value()))
        location = f"s3://{self.bucket}/{self.prefix}"
        return S3Storage(location, keys, self.endpoint, self.region, root)


class CatalogFile(_Strict):
    namespaces: list[str | list[str]] = Field(default_factory=list)
    properties: dict[str, str] = Field(default_factory=dict)
    s3: S3File | None = None


class GrantFile(_Strict):
    role: str
    catalog: str
    privileges: list[str]
    namespace: str | list[str] = ""
    table: str = ""
    view: str = ""


class ServedFile(_Strict):
    home: Path
    port: int
    admin_port: int
    oidc: OidcSettings
    principals: dict[str, list[str]] = Field(default_factory=dict)
    catalogs: dict[str, CatalogFile] = Field(default_factory=dict)
    grants: list[GrantFile] = Field(default_factory=list)
    options: dict[str, bool | float | str] = Field(default_factory=dict)


def serve(file: Path) -> PolarisLikeCatalog:
    """Started, with everything that the file asks for."""
    asked = ServedFile.model_validate(tomllib.loads(file.read_text()))
    catalog = PolarisLikeCatalog(
        asked.home,
        oidc_tokens(asked.oidc),
        Options(**asked.options),  # type: ignore[arg-type]  # unknown ones are a TypeError
        port=asked.port,
        admin_port=asked.admin_port,
    )
    admin = catalog.admin
    for name, catalog_settings in asked.catalogs.items():
        storage = catalog_settings.s3.storage() if catalog_settings.s3 is not None else None
        admin.add_catalog(name, catalog_settings.namespaces, catalog_settings.properties, storage)
    for principal, roles in asked.principals.items():
        admin.add_principal(principal, roles)
    for grant in asked.grants:
        admin.grant(**grant.model_dump())
    return catalog.start()
