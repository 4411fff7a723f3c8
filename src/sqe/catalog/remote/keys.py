"""Storage keys in what a catalog answers: which they are, and how long they are good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqe.catalog.protocol import Json, Loaded

_STORAGES = ("s3.", "gcs.", "adls.")
_SECRETS = ("secret-access-key", "session-token", "oauth2.token", "sas-token", "account-key")
_EXPIRY = "expires-at"  # s3.session-token-expires-at-ms, gcs.oauth2.token-expires-at, adls.…


def good_until(loaded: Loaded, unknown: float) -> float | None:
    """In seconds since 1970. None: there are no keys. ``unknown``: for keys that do not say it."""
    configs = [loaded.config, *(_config(credential) for credential in loaded.storage_credentials)]
    ends = [end for config in configs for end in _ends(config)]
    if ends:
        return min(ends)
    return unknown if any(map(_has_keys, configs)) else None


def _config(credential: Json) -> Mapping[str, str]:
    config = credential.get("config")
    return config if isinstance(config, dict) else {}


def _has_keys(config: Mapping[str, str]) -> bool:
    return any(secret in key for key in config for secret in _SECRETS)


def _ends(config: Mapping[str, str]) -> Iterator[float]:
    for key, value in config.items():
        if _EXPIRY in key:
            try:
                yield int(value) / 1000
            except (TypeError, ValueError):
                yield 0.0


def credentials_of(loaded: Loaded) -> tuple[Json, ...]:
    """The keys of a loaded table as ``storage-credentials``; some catalogs have them only in the
    table's configuration."""
    if loaded.storage_credentials or not _has_keys(loaded.config):
        return loaded.storage_credentials
    keys = {key: value for key, value in loaded.config.items() if key.startswith(_STORAGES)}
    return ({"prefix": str(loaded.metadata.get("location", "")), "config": keys},)
