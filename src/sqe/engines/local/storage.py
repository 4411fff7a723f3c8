"""Where a table's files are and with which keys they are read: the table's own, never SQE's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from sqe.catalog.protocol import Loaded
from sqe.engines.local.plan import NotLocal
from sqe.model.identity import Secret

# DuckDB takes each path of a list for a pattern, and has no way to say otherwise.
_PATTERN_SIGNS = frozenset("*?[")
_S3 = ("s3://", "s3a://", "s3n://")
_SAID_BY_STORE = re.compile(r"(\bduring \w+ operation).*", re.DOTALL)


@dataclass(frozen=True)
class S3Keys:
    """Credentials for the objects under a prefix."""

    prefix: str
    key_id: Secret
    key: Secret
    token: Secret | None
    region: str
    endpoint: str  # empty: Amazon's own
    path_style: bool

    @property
    def tls(self) -> bool:
        return not self.endpoint.lower().startswith("http://")

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).netloc if "://" in self.endpoint else self.endpoint


def local_path(location: str) -> str | None:
    """The path of a file on this machine; None for one that is elsewhere."""
    if location.startswith("/"):
        return location
    if location.startswith("file:"):
        path = location.removeprefix("file:")
        if path.startswith("//"):
            path = path[2:]
            if not path.startswith("/"):  # file://host/…
                return None
        return path if path.startswith("/") else None
    return None


def _s3_url(location: str) -> str | None:
    for scheme in _S3:
        if location.startswith(scheme):
            return "s3://" + location.removeprefix(scheme)
    return None


@dataclass(frozen=True)
class Storage:
    """A table's files. ``remote``: in S3, read with ``keys``; otherwise on this machine."""

    remote: bool
    keys: tuple[S3Keys, ...] = ()
    timeout_s: float = 30.0
    _systems: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def path(self, location: str) -> str:
        """The location as DuckDB spells it. A table's files are all where the table is: what a
        manifest in a bucket says must not make SQE read its own disk."""
        path = _s3_url(location) if self.remote else local_path(location)
        if path is None:
            raise NotLocal("a file is not where its table is")
        if _PATTERN_SIGNS & set(path):
            raise NotLocal("a file's name has pattern signs in it")
        if self.remote:
            self._keys_for(path)
        return path

    def read(self, location: str) -> bytes:
        """A whole small file: a manifest."""
        path = self.path(location)
        if not self.remote:
            with open(path, "rb") as file:
                return file.read()
        with self._open(path) as file:
            return bytes(file.read())

    def read_range(self, location: str, offset: int, size: int) -> bytes:
        path = self.path(location)
        if not self.remote:
            with open(path, "rb") as file:
                file.seek(offset)
                return file.read(size)
        with self._open(path) as file:
            return bytes(file.read_at(size, offset))

    @contextmanager
    def _open(self, path: str) -> Iterator[Any]:
        try:
            with self._system(path).open_input_file(path.removeprefix("s3://")) as file:
                yield file
        except OSError as error:
            # Not chained: what the store says may quote the keys it was shown.
            raise OSError(_SAID_BY_STORE.sub(r"\1", str(error))) from None

    def _keys_for(self, path: str) -> S3Keys:
        fitting = [keys for keys in self.keys if path.startswith(keys.prefix)]
        if not fitting:
            raise NotLocal("the catalog gave no storage credentials for a file")
        return max(fitting, key=lambda keys: len(keys.prefix))

    def _system(self, path: str) -> Any:
        keys = self._keys_for(path)
        if keys.prefix not in self._systems:
            from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

            self._systems[keys.prefix] = S3FileSystem(
                access_key=keys.key_id.reveal(),
                secret_key=keys.key.reveal(),
                session_token=keys.token.reveal() if keys.token else None,
                region=keys.region,
                scheme="https" if keys.tls else "http",
                endpoint_override=keys.host or None,
                force_virtual_addressing=not keys.path_style,
                connect_timeout=self.timeout_s,
                request_timeout=self.timeout_s,
                retry_strategy=AwsStandardS3RetryStrategy(max_attempts=2),
            )
        return self._systems[keys.prefix]


def storage_of(loaded: Loaded, timeout_s: float = 30.0) -> Storage:
    """From what the catalog sent with the table."""
    location = str(loaded.metadata.get("location", ""))
    if local_path(location) is not None:
        return Storage(remote=False)
    prefix = _s3_url(location)
    if prefix is None:
        raise NotLocal(f"tables under {location.partition(':')[0]}: are not read locally")
    keys = [
        found
        for credential in loaded.storage_credentials
        if (found := _s3_keys(str(credential.get("prefix", "")), loaded, credential.get("config")))
    ]
    if not keys and (found := _s3_keys(prefix, loaded, None)):
        keys.append(found)
    if not keys:
        raise NotLocal("the catalog gave no storage credentials for the table")
    return Storage(True, tuple(_for_table(keys, prefix)), timeout_s)


def _for_table(keys: list[S3Keys], location: str) -> Iterator[S3Keys]:
    """Keys for a whole bucket are narrowed to the table's folder as well, so that each table of a
    query is read with its own, whatever else was sent with the others."""
    folder = location.rstrip("/") + "/"
    wider = [one for one in keys if folder.startswith(one.prefix) and one.prefix != folder]
    if wider:
        yield replace(max(wider, key=lambda one: len(one.prefix)), prefix=folder)
    yield from keys


def _s3_keys(prefix: str, loaded: Loaded, config: Mapping[str, str] | None) -> S3Keys | None:
    url = _s3_url(prefix) if prefix not in ("s3", "s3a", "s3n") else "s3://"
    values = {**loaded.config, **(config or {})}
    key_id, key = values.get("s3.access-key-id"), values.get("s3.secret-access-key")
    if url is None or not key_id or not key:
        return None
    token = values.get("s3.session-token")
    return S3Keys(
        prefix=url,
        key_id=Secret(key_id),
        key=Secret(key),
        token=Secret(token) if token else None,
        region=values.get("client.region") or values.get("s3.region") or "us-east-1",
        endpoint=values.get("s3.endpoint", ""),
        path_style=values.get("s3.path-style-access", "false").lower() == "true",
    )


def secrets_sql(keys: Iterable[S3Keys]) -> str:
    """DuckDB's statements for the keys; the longest prefix that fits a file is used for it."""
    return "".join(_secret_sql(f"keys_{place}", one) for place, one in enumerate(keys))


def _secret_sql(name: str, keys: S3Keys) -> str:
    parts = {
        "TYPE": "s3",
        "PROVIDER": "config",
        "KEY_ID": text(keys.key_id.reveal()),
        "SECRET": text(keys.key.reveal()),
        "REGION": text(keys.region),
        "USE_SSL": "true" if keys.tls else "false",
        "URL_STYLE": "'path'" if keys.path_style else "'vhost'",
        "SCOPE": text(keys.prefix),
    }
    if keys.token:
        parts["SESSION_TOKEN"] = text(keys.token.reveal())
    if keys.host:
        parts["ENDPOINT"] = text(keys.host)
    given = ", ".join(f"{word} {value}" for word, value in parts.items())
    return f"CREATE TEMPORARY SECRET {name} ({given});\n"


def text(value: str) -> str:
    """A DuckDB string literal."""
    return "'" + value.replace("'", "''") + "'"
