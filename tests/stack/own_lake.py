"""A catalog and files of a test's own on the stack's Keycloak and MinIO, and an SQE over them.

SQE reaches the files through a proxy, so that a test can break the way to them and nothing else.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from minio import MinioAdmin
from pyiceberg.catalog.rest import RestCatalog

from dev.stack.minio import BUCKET, ROOT_PASSWORD, ROOT_USER
from dev.stack.people import ADMINISTRATOR
from dev.stack.places import Places
from sqe.model.identity import Secret
from sqe.settings.identity import OidcSettings
from sqe.testing import Admin, PolarisLikeCatalog, S3Keys, S3Storage, oidc_tokens
from tests.stack.proxy import Proxy
from tests.stack.serving import access_token

ROWS = 100_000  # in a file
_ROLES = {"alice": "analyst", "bob": "engineer", ADMINISTRATOR.name: ADMINISTRATOR.role}


@dataclass(frozen=True)
class ProxiedStorage(S3Storage):
    """Its users are sent through a proxy; the catalog itself is not."""

    through: str = ""

    def address(self) -> dict[str, str]:
        return {**super().address(), "s3.endpoint": self.through}


@dataclass(frozen=True)
class OwnLake:
    """alice may read namespace ``a``, bob ``b``, and carol everything."""

    catalog: PolarisLikeCatalog
    proxy: Proxy
    places: Places
    minio: MinioAdmin

    @property
    def admin(self) -> Admin:
        return self.catalog.admin

    def settings(self, **more: Any) -> dict[str, Any]:
        """As SQE's catalog ``own``."""
        own = {"type": "rest", "uri": self.catalog.url, "warehouse": "lake", **more}
        return {"own": own}

    def client(self, user: str = ADMINISTRATOR.name) -> RestCatalog:
        return RestCatalog(
            "own",
            uri=self.catalog.url,
            warehouse="lake",
            token=access_token(self.places, user),
            **{"header.X-Iceberg-Access-Delegation": "vended-credentials"},
        )

    def write(self, name: str, files: int = 1) -> None:
        """A column ``n`` with the numbers from 0 on, ``ROWS`` in each file."""
        small = {"write.target-file-size-bytes": str(8 * ROWS)}
        table = self.client().create_table(name, pa.schema({"n": pa.int64()}), properties=small)
        starts = range(0, files * ROWS, ROWS)
        parts = [pa.record_batch({"n": list(range(at, at + ROWS))}) for at in starts]
        table.append(pa.Table.from_batches(parts))
        assert len(list(table.scan().plan_files())) == files

    def only_sign(self) -> None:
        """No more keys. Addresses are the storage's own: the catalog signs for no others."""
        lake = self.admin.gate.lakes["lake"]
        assert isinstance(lake.storage, ProxiedStorage)
        lake.storage = replace(lake.storage, through=lake.storage.endpoint)
        self.admin.set(remote_signing=True)

    def vend_by_another(self) -> None:
        """The keys that were vended up to now are dead; the next ones are another user's."""
        lake = self.admin.gate.lakes["lake"]
        assert lake.storage is not None
        old = lake.storage.keys.access_key
        lake.storage = replace(lake.storage, keys=new_user(self.minio))
        self.minio.user_remove(old)


def new_user(minio: MinioAdmin) -> S3Keys:
    name, secret = f"own-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
    minio.user_add(name, secret)
    minio.attach_policy(["warehouse"], user=name)
    return S3Keys(name, Secret(secret))


@contextmanager
def own_lake(places: Places, minio: MinioAdmin, home: Path) -> Iterator[OwnLake]:
    issuer = OidcSettings(
        issuer=places.issuer, audience=("polaris",), roles_claim="polaris.roles", skew_s=0.0
    )
    catalog = PolarisLikeCatalog(home / "polaris", oidc_tokens(issuer))
    address = urlsplit(places.minio)
    with Proxy((str(address.hostname), int(address.port or 80))) as proxy:
        storage = ProxiedStorage(
            f"s3://{BUCKET}/own-{uuid.uuid4().hex[:8]}",
            new_user(minio),
            places.minio,
            root_keys=S3Keys(ROOT_USER, Secret(ROOT_PASSWORD)),
            through=proxy.url,
        )
        catalog.admin.add_catalog("lake", ["a", "b"], storage=storage)
        for name, role in _ROLES.items():
            catalog.admin.add_principal(name, [role])
        catalog.admin.grant("analyst", ["TABLE_READ_DATA"], catalog="lake", namespace="a")
        catalog.admin.grant("engineer", ["TABLE_READ_DATA"], catalog="lake", namespace="b")
        catalog.admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
        with catalog:
            lake = OwnLake(catalog, proxy, places, minio)
            yield lake
            made = catalog.admin.gate.lakes["lake"].storage
            if made is not None:
                minio.user_remove(made.keys.access_key)
