"""Keys to a table's files as its catalog gives them, renewed before they end; never SQE's own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqe.catalog.protocol import Json, Loaded
from sqe.catalog.s3_place import S3Place, place_of, s3_url
from sqe.engines.local.plan import NotLocal
from sqe.errors import SqeError
from sqe.model.identity import Secret

_MARGIN_S = 60.0  # keys that end sooner are renewed before they are used
_PATIENCE_S = 2.0  # between two questions to the catalog that changed nothing
Ask = Callable[[], tuple[Json, ...]]  # the catalog for new storage credentials


@dataclass(frozen=True)
class S3Keys(S3Place):
    """Credentials for the objects under a prefix. ``expires_at``: in seconds since 1970."""

    key_id: Secret
    key: Secret
    token: Secret | None = None
    expires_at: float | None = None


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
        ends = [one.expires_at for one in self._keys if one.expires_at is not None]
        return min(ends) - self._clock() if ends else float("inf")

    def current(self) -> tuple[S3Keys, ...]:
        """Renewed, if they are about to end. If that fails, the error is the catalog's, once they
        have ended."""
        if self.ends_in < _MARGIN_S:
            try:
                self.renew(self._keys)
            except SqeError:
                if self.ends_in <= 0:
                    raise
        return self._keys

    def renew(self, used: tuple[S3Keys, ...]) -> bool:
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


def keys_for(keys: Iterable[S3Keys], path: str) -> S3Keys:
    """The longest prefix wins, as it does in DuckDB."""
    fitting = [one for one in keys if path.startswith(one.prefix)]
    if not fitting:
        raise NotLocal("the catalog gave no storage credentials for a file")
    return max(fitting, key=lambda one: len(one.prefix))


def keys_of(loaded: Loaded) -> tuple[S3Keys, ...]:
    """What the catalog sent with a table in S3; empty if it sent none."""
    location = s3_url(str(loaded.metadata.get("location", ""))) or ""
    keys = [
        found
        for credential in loaded.storage_credentials
        if (found := _keys(str(credential.get("prefix", "")), loaded, credential.get("config")))
    ]
    if not keys and (found := _keys(location, loaded, None)):
        keys.append(found)
    return tuple(_for_table(keys, location))


def _for_table(keys: list[S3Keys], location: str) -> Iterator[S3Keys]:
    """Keys for a whole bucket are narrowed to the table's folder as well, so that each table of a
    query is read with its own, whatever else was sent with the others."""
    folder = location.rstrip("/") + "/"
    wider = [one for one in keys if folder.startswith(one.prefix) and one.prefix != folder]
    if wider:
        yield replace(max(wider, key=lambda one: len(one.prefix)), prefix=folder)
    yield from keys


def _keys(prefix: str, loaded: Loaded, config: Mapping[str, str] | None) -> S3Keys | None:
    url = s3_url(prefix) if prefix not in ("s3", "s3a", "s3n") else "s3://"
    values = {**loaded.config, **(config or {})}
    key_id, key = values.get("s3.access-key-id"), values.get("s3.secret-access-key")
    if url is None or not key_id or not key:
        return None
    place = place_of(url, values)
    token = values.get("s3.session-token")
    ends = values.get("s3.session-token-expires-at-ms", "")
    return S3Keys(
        prefix=place.prefix,
        region=place.region,
        endpoint=place.endpoint,
        path_style=place.path_style,
        key_id=Secret(key_id),
        key=Secret(key),
        token=Secret(token) if token else None,
        expires_at=int(ends) / 1000 if ends.isdecimal() else None,
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
        "ENDPOINT": text(keys.host),
        "USE_SSL": "true" if keys.tls else "false",
        "URL_STYLE": "'path'" if keys.path_style else "'vhost'",
        "SCOPE": text(keys.prefix),
    }
    if keys.token:
        parts["SESSION_TOKEN"] = text(keys.token.reveal())
    given = ", ".join(f"{word} {value}" for word, value in parts.items())
    return f"CREATE TEMPORARY SECRET {name} ({given});\n"


def text(value: str) -> str:
    """A DuckDB string literal."""
    return "'" + value.replace("'", "''") + "'"
