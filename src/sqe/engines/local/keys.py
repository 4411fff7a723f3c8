"""Keys to a table's files as its catalog gives them, renewed before they end; never SQE's own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from sqe.catalog.protocol import Json, Loaded
from sqe.catalog.s3_place import S3Credentials, keys_of_config, s3_url
from sqe.engines.local.plan import NotLocal
from sqe.errors import SqeError
from sqe.model.names import quote_text

_MARGIN_S = 60.0  # keys that end sooner are renewed before they are used
_PATIENCE_S = 2.0  # between two questions to the catalog that changed nothing
Ask = Callable[[], tuple[Json, ...]]  # the catalog for new storage credentials


class TableKeys:
    """The keys to one table's files for one query. Thread-safe."""

    def __init__(
        self, loaded: Loaded, ask: Ask | None, clock: Callable[[], float] = time.time
    ) -> None:
        """``ask`` is asked as the user, with the token that is the current one then."""
        self._loaded = loaded
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._keys = keys_of(loaded)
        self._asked_at = float("-inf")
        self._failure: SqeError | None = None  # of the last time it was asked

    def __repr__(self) -> str:
        return f"TableKeys({[keys.prefix for keys in self._keys]})"

    @property
    def ends_in(self) -> float:
        """Seconds until the first of them ends."""
        ends = [key.expires_at for key in self._keys if key.expires_at is not None]
        return min(ends) - self._clock() if ends else float("inf")

    def current(self) -> tuple[S3Credentials, ...]:
        """Renewed, if they are about to end. If that fails, the error is the catalog's, once they
        have ended."""
        if self.ends_in < _MARGIN_S:
            try:
                self.renew(self._keys)
            except SqeError:
                if self.ends_in <= 0:
                    raise
        return self._keys

    def renew(self, used: tuple[S3Credentials, ...]) -> bool:
        """True if there are other keys now than ``used``."""
        with self._lock:
            if self._keys != used:
                return True
            if self._clock() - self._asked_at >= _PATIENCE_S:
                self._asked_at = self._clock()
                self._failure = self._renew()
            if self._failure is not None:
                raise self._failure
            return self._keys != used

    def _renew(self) -> SqeError | None:
        """What the catalog says if it refuses."""
        try:
            fresh = self._ask() if self._ask is not None else ()
        except SqeError as error:
            return error
        self._keys = keys_of(replace(self._loaded, storage_credentials=fresh)) or self._keys
        return None


def keys_for(keys: Iterable[S3Credentials], path: str) -> S3Credentials:
    """The longest prefix wins, as it does in DuckDB."""
    fitting = [key for key in keys if path.startswith(key.prefix)]
    if not fitting:
        raise NotLocal("the catalog gave no storage credentials for a file")
    return max(fitting, key=lambda one: len(one.prefix))


def keys_of(loaded: Loaded) -> tuple[S3Credentials, ...]:
    """What the catalog sent with a table in S3; empty if it sent none."""
    location = s3_url(str(loaded.metadata.get("location", ""))) or ""
    keys = [
        keys_there
        for credential in loaded.storage_credentials
        if (
            keys_there := _keys(str(credential.get("prefix", "")), loaded, credential.get("config"))
        )
    ]
    if not keys and (keys_there := _keys(location, loaded, None)):
        keys.append(keys_there)
    return tuple(_for_table(keys, location))


def _for_table(keys: list[S3Credentials], location: str) -> Iterator[S3Credentials]:
    """Keys for a whole bucket are narrowed to the table's folder as well, so that each table of a
    query is read with its own, whatever else was sent with the others."""
    folder = location.rstrip("/") + "/"
    wider = [key for key in keys if folder.startswith(key.prefix) and key.prefix != folder]
    if wider:
        yield replace(max(wider, key=lambda one: len(one.prefix)), prefix=folder)
    yield from keys


def _keys(prefix: str, loaded: Loaded, config: Mapping[str, str] | None) -> S3Credentials | None:
    url = s3_url(prefix) if prefix not in ("s3", "s3a", "s3n") else "s3://"
    values = {**loaded.config, **(config or {})}
    return keys_of_config(url, values) if url is not None else None


def secrets_sql(keys: Iterable[S3Credentials]) -> str:
    """DuckDB's statements for the keys; the longest prefix that fits a file is used for it."""
    return "".join(_secret_sql(f"keys_{place}", key) for place, key in enumerate(keys))


def _secret_sql(name: str, keys: S3Credentials) -> str:
    parts = {
        "TYPE": "s3",
        "PROVIDER": "config",
        "KEY_ID": quote_text(keys.key_id.reveal()),
        "SECRET": quote_text(keys.key.reveal()),
        "REGION": quote_text(keys.region),
        "ENDPOINT": quote_text(keys.host),
        "USE_SSL": "true" if keys.tls else "false",
        "URL_STYLE": "'path'" if keys.path_style else "'vhost'",
        "SCOPE": quote_text(keys.prefix),
    }
    if keys.token:
        parts["SESSION_TOKEN"] = quote_text(keys.token.reveal())
    options = ", ".join(f"{word} {value}" for word, value in parts.items())
    return f"CREATE TEMPORARY SECRET {name} ({options});\n"
