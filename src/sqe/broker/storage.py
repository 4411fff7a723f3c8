"""What Spark is told of a table's storage: the keys that the catalog vended to the user for this
table, where to ask for newer ones (here), and nothing that would make it look for others.

Spark's own properties for a table are those of the session's catalog (the broker's address and
token) with a table's ``config`` on top, so that a catalog behind the broker could lead Spark, or
its token, elsewhere. Only what is named here passes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import AccessError, ErrorCode, UserError

KEY_ID = "s3.access-key-id"
KEY = "s3.secret-access-key"
TOKEN = "s3.session-token"  # noqa: S105  a name
EXPIRES = "s3.session-token-expires-at-ms"
REGION = "client.region"
ENDPOINT = "client.refresh-credentials-endpoint"
_REFRESHED = "client.refresh-credentials-enabled"
_SIGNING = "s3.remote-signing-enabled"
_KEYS = (KEY_ID, KEY, TOKEN, EXPIRES)
_ALLOWED = frozenset(
    (
        *_KEYS,
        REGION,
        "s3.acceleration-enabled",
        "s3.acl",
        "s3.checksum-enabled",
        "s3.chunked-encoding-enabled",
        "s3.cross-region-access-enabled",
        "s3.delete-enabled",
        "s3.delete.batch-size",
        "s3.dualstack-enabled",
        "s3.endpoint",
        "s3.multipart.part-size-bytes",
        "s3.multipart.threshold",
        "s3.path-style-access",
        "s3.sse.key",
        "s3.sse.md5",
        "s3.sse.type",
        "s3.use-arn-region-enabled",
        "s3.write.storage-class",
    )
)
_ALLOWED_UNDER = ("s3.access-points.", "s3.delete.tags.", "s3.write.tags.")
# Iceberg would take another for files elsewhere: what a manifest in a bucket says must not make
# Spark read the disk of its own machine.
_FILE_IO = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}
_DEFAULT_REGION = "us-east-1"
_ROOT = "v1"  # below the broker's address
_SHORTEST_MS = 900_000  # STS gives no keys for less; some catalogs do not say how long theirs live


def for_spark(loaded: Loaded, handle: Ident, name: object) -> Loaded:
    """A table as Spark is shown it; ``name`` is what its user calls it.

    ACCESS_DENIED without keys, NOT_SUPPORTED where Spark cannot be given access at all."""
    if not in_s3(loaded, name):
        return without_keys(loaded)
    return _with_keys(loaded, _list_vended(loaded, name), _path(_ROOT, handle, "credentials"))


def for_client(loaded: Loaded, ident: Ident, name: object, root: str) -> Loaded:
    """The same for an engine of somebody's own, which asks for newer keys, or has its requests
    signed, below ``root``."""
    if not in_s3(loaded, name):
        return without_keys(loaded)
    if not _signs(loaded):
        return _with_keys(loaded, _list_vended(loaded, name), _path(root, ident, "credentials"))
    config = {
        REGION: loaded.config.get("s3.region") or _DEFAULT_REGION,
        **{k: v for k, v in _filter_options(loaded.config).items() if k not in _KEYS},
        **_FILE_IO,
        _SIGNING: "true",
        "s3.signer": "S3V4RestSigner",
        "s3.signer.endpoint": _path(root, ident, "sign"),
    }
    return replace(loaded, config=config, storage_credentials=())


def keys_for_client(credentials: tuple[Json, ...], name: object) -> tuple[Json, ...]:
    """Newer keys, with nothing that would lead an engine elsewhere."""
    shown = tuple(filter(None, map(_s3_credential, credentials)))
    if not shown:
        raise _none(name)
    return shown


def _with_keys(loaded: Loaded, keys: list[Json], path: str) -> Loaded:
    location = str(loaded.metadata["location"])
    fitting = [key for key in keys if location.startswith(key["prefix"])] or keys
    mine = max(fitting, key=lambda one: len(one["prefix"]))
    several = len(keys) > 1
    config = {
        REGION: loaded.config.get("s3.region") or _DEFAULT_REGION,
        **_filter_options(loaded.config),
        **_FILE_IO,
        **_renewable(mine, path, several=several),
    }
    # One set of keys is all that Iceberg knows how to renew: with one, the table's are enough.
    shown = [
        {"prefix": key["prefix"], "config": _renewable(key, path, several=True)} for key in keys
    ]
    return replace(loaded, config=config, storage_credentials=tuple(shown) if several else ())


def without_keys(loaded: Loaded) -> Loaded:
    """For a table that needs none, and for the answer to a commit, where Iceberg wants none."""
    if not loaded.config and not loaded.storage_credentials:
        return loaded
    return replace(loaded, config={}, storage_credentials=())


def check(loaded: Loaded, name: object) -> None:
    """Whether Spark can be given access; raises as ``for_spark`` does."""
    if in_s3(loaded, name):
        _list_vended(loaded, name)


def in_s3(loaded: Loaded, name: object) -> bool:
    """Otherwise on this machine. NOT_SUPPORTED for other places."""
    if loaded.on_disk:
        return False
    if loaded.scheme in ("s3", "s3a", "s3n"):
        return True
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{name} is stored under {loaded.scheme}:, which SQE does not read.",
    )


class Renewals:
    """The newest keys of one table of one query.

    Thread-safe, and asks the catalog no more often than their life demands: every task of a Spark
    job asks for itself, and Iceberg asks for each request when keys live less than five minutes.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: tuple[Json, ...] = ()
        self._until = 0.0  # more than half of their life is left until then

    def renew(self, load: Callable[[], tuple[Json, ...]], name: object) -> tuple[Json, ...]:
        with self._lock:
            now = self._clock()
            if now >= self._until:
                vended = tuple(filter(None, map(_s3_credential, load())))
                if not vended:
                    raise _none(name)
                self._kept = tuple(
                    {"prefix": credential["prefix"], "config": _with_end(credential["config"], now)}
                    for credential in vended
                )
                end = (
                    min(int(credential["config"].get(EXPIRES, 0)) for credential in self._kept)
                    / 1000
                )
                self._until = now + (end - now) / 2
            return self._kept


def _list_vended(loaded: Loaded, name: object) -> list[Json]:
    keys = [
        credential for credential in map(_s3_credential, loaded.storage_credentials) if credential
    ]
    if not keys and KEY_ID in loaded.config and KEY in loaded.config:
        keys = [
            {"prefix": "s3", "config": {k: loaded.config[k] for k in _list_keys(loaded.config)}}
        ]
    if keys:
        return keys
    if _signs(loaded):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"The catalog has each request to the files of {name} signed, which is not safe in "
            "Spark: its signer keeps the login of whoever came first.",
            hint="Only queries that the local engine runs can read it, or have the catalog vend "
            "credentials.",
        )
    raise _none(name)


def _none(name: object) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"The catalog gave you no storage credentials for {name}.",
        hint="Ask its administrator to vend them; SQE uses no keys of its own.",
    )


def _s3_credential(credential: Json) -> Json | None:
    """One of ``storage-credentials`` with what may pass; None if it is no pair of S3 keys."""
    prefix, config = str(credential.get("prefix", "")), credential.get("config") or {}
    if not prefix.startswith("s3") or not config.get(KEY_ID) or not config.get(KEY):
        return None
    return {"prefix": prefix, "config": _filter_options(config)}


def _list_keys(config: Mapping[str, str]) -> list[str]:
    return [key for key in _KEYS if config.get(key)]


def _filter_options(config: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: str(value)
        for key, value in config.items()
        if key in _ALLOWED or key.startswith(_ALLOWED_UNDER)
    }


def _renewable(credential: Json, path: str, *, several: bool) -> dict[str, str]:
    """Keys, and where to ask for the next. Iceberg renews only those with a session token."""
    config = _with_end(credential["config"], time.time())
    if not config.get(TOKEN):
        return {**config, _REFRESHED: "false"}
    query = f"?prefix={quote(credential['prefix'], safe='')}" if several else ""
    return {**config, ENDPOINT: path + query}


def _with_end(config: dict[str, str], now: float) -> dict[str, str]:
    if config.get(TOKEN) and not config.get(EXPIRES):
        return {**config, EXPIRES: str(int(now * 1000) + _SHORTEST_MS)}
    return config


def _signs(loaded: Loaded) -> bool:
    """The catalog signs requests, and gives no keys."""
    return loaded.config.get(_SIGNING, "").lower() == "true" and not any(
        map(_s3_credential, loaded.storage_credentials)
    )


def _path(root: str, ident: Ident, what: str) -> str:
    """Below the catalog's address, as Iceberg joins them."""
    namespace = quote("\x1f".join(ident.namespace), safe="")
    return f"{root}/namespaces/{namespace}/tables/{quote(ident.name, safe='')}/{what}"
