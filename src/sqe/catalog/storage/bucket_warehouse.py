"""A warehouse in S3, as each user, by its settings."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sqe.catalog.embedded.disks import Disk
from sqe.catalog.s3_place import S3Place
from sqe.catalog.storage.bucket import Bucket
from sqe.catalog.storage.keys import (
    KeptKeys,
    KeySource,
    MappedCredential,
    UserKeys,
    keys_of_pair,
)
from sqe.catalog.storage.sts import TokenService, amazon_sts
from sqe.errors import ErrorCode, UserError
from sqe.http.client import Http, HttpOptions
from sqe.model.access_event import AccessRecorder
from sqe.model.identity import Identity, Secret
from sqe.model.object_paths import object_path
from sqe.settings import Settings
from sqe.settings.object_stores import ObjectStoreSettings, StorageSettings

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BucketWarehouse:
    root: str
    source: KeySource
    kept: KeptKeys

    def open(self, identity: Identity) -> Disk:
        return self.disk(self.keys_of(identity))

    def keys_of(self, identity: Identity) -> UserKeys:
        return UserKeys(self.source, object_path(self.root), identity, self.kept)

    def disk(self, keys: UserKeys) -> Disk:
        return Bucket(self.root, keys, self.source.sts.http)

    def close(self) -> None:
        self.source.sts.http.close()


def bucket_warehouse(
    name: str, root: str, storage: StorageSettings, settings: Settings, recorder: AccessRecorder
) -> BucketWarehouse:
    """``name``: of the catalog. INVALID_SETTINGS."""
    if storage.auth == "mapped":
        named = ", ".join(storage.credentials)
        _log.warning("catalog %s: users act through mapped credentials: %s", name, named)
    what = f"object store of catalog {name}"
    sts = token_service(f"catalogs.{name}.storage", what, storage, root, settings)
    mapped = _credentials_of(storage, sts.place)
    source = KeySource(name, sts, storage.audience, storage.narrow, mapped, recorder)
    return BucketWarehouse(root, source, KeptKeys())


def _credentials_of(storage: StorageSettings, place: S3Place) -> tuple[MappedCredential, ...]:
    return tuple(
        MappedCredential(
            name,
            keys_of_pair(
                place, Secret(one.key_id.get_secret_value()), Secret(one.key.get_secret_value())
            ),
            one.role_arn,
            frozenset(one.users),
            frozenset(one.groups),
        )
        for name, one in storage.credentials.items()
    )


def token_service(
    section: str, what: str, store: ObjectStoreSettings, prefix: str, settings: Settings
) -> TokenService:
    """``section``: of the settings, for messages. INVALID_SETTINGS."""
    authorities = store.authorities
    if authorities is not None:
        authorities = settings.in_home(authorities)
        if not authorities.is_file():
            raise UserError(
                ErrorCode.INVALID_SETTINGS, f"{section}.authorities: no file {authorities}."
            )
    options = HttpOptions(
        f"The {what}",
        ErrorCode.STORAGE_UNAVAILABLE,
        total_s=store.timeout_s,
        authorities=authorities,
    )
    return TokenService(
        what,
        store.sts_endpoint or store.endpoint or amazon_sts(store.region),
        store.role_arn,
        S3Place(prefix, store.region, store.endpoint, store.path_style),
        Http(options),
    )
