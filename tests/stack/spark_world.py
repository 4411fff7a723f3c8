"""A lakehouse whose keys and tokens end soon, seen from all sides: for tests of Spark's jobs."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dev.stack.minio import BUCKET, USERS
from dev.stack.people import CATALOG, SHORT, SQE, Client
from dev.stack.places import Places
from sqe.client import Connection, connect
from sqe.engines.spark.server import SparkServer
from sqe.model.identity import Secret
from sqe.settings.identity import OidcSettings
from sqe.testing import PolarisLikeCatalog, S3Keys, S3Storage, oidc_tokens
from tests.small_spark import small_spark
from tests.stack.front import Front
from tests.stack.issuer_admin import IssuerAdmin
from tests.stack.serving import PASSWORDS, Serving, serving

KEYS_S = 20.0  # the storage refuses keys that are older
CLAIMED_S = 16.0  # and the catalog says so, roughly
TOKEN_S = 12  # how long an access token lives
_CATALOG_KEY = "testcatalog"
_REFUSED = b"<Error><Code>InvalidAccessKeyId</Code><Message>No such key.</Message></Error>"


@dataclass
class Aging:
    """Refuses vended keys that are too old, as MinIO would if it gave any for less than 15 min."""

    first: dict[str, float] = field(default_factory=dict)
    refused: int = 0

    def refuse(self, who: str, path: str) -> tuple[int, bytes] | None:
        if who in ("", _CATALOG_KEY):
            return None
        now = time.monotonic()
        if now - self.first.setdefault(who, now) < KEYS_S:
            return None
        self.refused += 1
        return 403, _REFUSED


@dataclass
class World:
    sqe: Serving
    catalog: PolarisLikeCatalog
    storage: Front  # all that the storage is asked
    asked: Front  # all that the catalog is asked
    aging: Aging
    client: Client  # SQE's at the issuer
    slow_s: float = 0.0  # how long the storage takes for a piece of a data file

    @property
    def spark(self) -> SparkServer:
        assert self.sqe.server.spark is not None
        return self.sqe.server.spark

    @contextmanager
    def login(self, user: str) -> Iterator[Connection]:
        """With their password, so that SQE can renew the login."""
        with connect(self.sqe.flight, user=user, password=PASSWORDS[user]) as connection:
            yield connection

    def rows(self, connection: Connection, sql: str) -> list[tuple[Any, ...]]:
        """By Spark."""
        connection.execute("SET SESSION sqe.engine = 'spark'")
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else []


@contextmanager
def world(places: Places, folder: Path, jars: Path) -> Iterator[World]:
    """Its users are the stack's; carol may do everything, and bob reads ``ns1``."""
    issuer = IssuerAdmin(places)
    client = issuer.copy_client(SHORT, TOKEN_S)
    aging = Aging()
    storage = Front(places.minio, aging.refuse)
    try:
        with storage.running(), _catalog(places, folder, storage.url) as catalog:
            asked = Front(catalog.url.removesuffix("/api/catalog"))
            with asked.running():
                settings = _settings(places, asked.url, client.name, client.secret, jars)
                with serving(places, folder / "home", settings) as sqe:
                    made = World(sqe, catalog, storage, asked, aging, client)
                    storage.delay = lambda method, path: (
                        made.slow_s if method == "GET" and "/data/" in path else 0.0
                    )
                    yield made
    finally:
        issuer.remove_client(client.name)


@contextmanager
def _catalog(places: Places, folder: Path, storage: str) -> Iterator[PolarisLikeCatalog]:
    oidc = OidcSettings(issuer=places.issuer, audience=(CATALOG.name,), roles_claim="polaris.roles")
    keys = S3Keys(_CATALOG_KEY, Secret(USERS[_CATALOG_KEY]))
    with PolarisLikeCatalog(folder / "polaris", oidc_tokens(oidc)) as catalog:
        admin = catalog.admin
        root = f"s3://{BUCKET}/spark-{uuid.uuid4().hex[:8]}"
        admin.add_catalog("lake", ["ns1", "ns2"], storage=S3Storage(root, keys, storage))
        for user, role in (("carol", "admin"), ("bob", "engineer")):
            admin.add_principal(user, [role])
        admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
        admin.grant("engineer", ["NAMESPACE_LIST"], catalog="lake")
        admin.grant("engineer", ["TABLE_LIST", "TABLE_READ_DATA"], catalog="lake", namespace="ns1")
        admin.set(claimed_seconds=CLAIMED_S)
        yield catalog


def _settings(places: Places, catalog: str, client: str, secret: str, jars: Path) -> dict[str, Any]:
    keycloak = {
        "issuer": places.issuer,
        "audience": [SQE.name],  # which the copy's tokens are for, as well
        "client_id": client,
        "client_secret": secret,
        "password_grant": True,
    }
    lake = {"type": "rest", "uri": f"{catalog}/api/catalog", "warehouse": "lake"}
    # One task after the other: a job takes its time.
    spark = small_spark(jars, master="local[1]")
    return {
        "default_schema": "ns1",
        "auth": {"oidc": {"keycloak": keycloak}},
        "catalogs": {"lake": lake},
        "spark": spark,
    }
