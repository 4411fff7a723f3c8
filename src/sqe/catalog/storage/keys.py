"""Whose keys open a warehouse in S3, for a catalog that hands out none.

Either the user's own token is exchanged for keys, or a written-down mapping says through which
account of the store they act. There is no account that everybody gets.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqe.catalog.protocol import Json
from sqe.catalog.s3_place import S3Credentials, S3Place, s3_url
from sqe.catalog.storage.session_policy import Scope, scope_of_folders
from sqe.catalog.storage.sts import TokenService
from sqe.errors import AccessError, ErrorCode
from sqe.model.access_event import UNRECORDED, AccessEvent, AccessKind, AccessRecorder
from sqe.model.identity import Identity, Secret
from sqe.model.object_paths import ObjectPath, object_path

_MARGIN_S = 60.0
_MOST_KEPT = 10_000
_PLACES = ("write.data.path", "write.metadata.path", "write.object-storage.path")


class KeysOfWarehouse(Protocol):
    """Keys to a warehouse, as one user. Thread-safe."""

    def current(self) -> S3Credentials:
        """For SQE itself, to metadata files."""
        ...

    @property
    def config(self) -> Mapping[str, str]:
        """The same, as Iceberg has it."""
        ...

    def config_of(self, metadata: Json) -> Mapping[str, str]:
        """For engines, to one table's files: as a catalog that hands out keys would send it."""
        ...


@dataclass(frozen=True, slots=True)
class FixedKeys:
    """Keys that SQE has of its own, and gives to nobody. Implements ``KeysOfWarehouse``."""

    keys: S3Credentials

    def current(self) -> S3Credentials:
        return self.keys

    @property
    def config(self) -> Mapping[str, str]:
        return config_of_keys(self.keys)

    def config_of(self, metadata: Json) -> Mapping[str, str]:
        return {}


@dataclass(frozen=True)
class MappedCredential:
    """An account of the store, and who acts through it."""

    name: str
    keys: S3Credentials = field(repr=False)
    role_arn: str = ""
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class KeySource:
    """What the settings say of a warehouse's keys. ``credentials`` empty: the user's token."""

    catalog: str
    sts: TokenService
    audience: str = ""
    narrow: bool = True
    credentials: tuple[MappedCredential, ...] = ()
    recorder: AccessRecorder = UNRECORDED

    def credential_of(self, identity: Identity) -> MappedCredential:
        """Who is named counts more than a group; of several groups' the first."""
        for one in self.credentials:
            if identity.user in one.users:
                return one
        for one in self.credentials:
            if identity.groups & one.groups:
                return one
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"No credential for the files of catalog {self.catalog} is mapped to you.",
            hint=f"The administrator maps users and groups in [catalogs.{self.catalog}.storage].",
        )


class UserKeys:
    """Implements ``KeysOfWarehouse`` for one user; ``kept`` has the keys of all."""

    def __init__(
        self,
        source: KeySource,
        root: ObjectPath,
        identity: Identity,
        kept: KeptKeys,
    ) -> None:
        self._source = source
        self._root = root
        self._identity = identity
        self._kept = kept
        self._noted: set[Scope] = set()

    def __repr__(self) -> str:
        return f"UserKeys({self._identity.user}, {self._root})"

    def current(self) -> S3Credentials:
        return self._keys((self._root,))

    @property
    def config(self) -> Mapping[str, str]:
        return config_of_keys(self.current())

    def config_of(self, metadata: Json) -> Mapping[str, str]:
        return LazyConfig(lambda: config_of_keys(self._keys(_folders_of(metadata))))

    def for_calls(self, scope: Scope) -> S3Credentials:
        """For SQE itself, to call another service of the same account: engines never get them."""
        source, identity = self._source, self._identity
        if source.credentials:
            mapped = source.credential_of(identity)
            if not mapped.role_arn:
                self._note(mapped.name, scope)
                return mapped.keys
        return self._keys_for(scope)

    def _keys(self, folders: tuple[ObjectPath, ...]) -> S3Credentials:
        return self._keys_for(scope_of_folders(folders))

    def _keys_for(self, scope: Scope) -> S3Credentials:
        source, identity = self._source, self._identity
        if source.credentials:
            mapped = source.credential_of(identity)
            self._note(mapped.name, scope)
            if not source.narrow:
                return mapped.keys
            return self._kept.get(
                (identity, mapped, scope),
                lambda: source.sts.narrow_keys(mapped.keys, mapped.role_arn, scope, self._session),
            )
        passport = identity.passport
        if passport is None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"The files of catalog {source.catalog} are opened with a token of yours, and your "
                "login has none.",
                hint="Log in with a token of the identity provider.",
            )
        token = passport.token(source.audience)
        return self._kept.get(
            (identity, passport.login, passport.generation, scope),
            lambda: source.sts.exchange_token(token, scope, self._session),
        )

    @property
    def _session(self) -> str:
        """The name of the user for the store's own log."""
        plain = "".join(
            c if c.isascii() and (c.isalnum() or c in "_=,.@-") else "_"
            for c in self._identity.user
        )
        return f"sqe-{plain}"[:64]

    def _note(self, credential: str, scope: Scope) -> None:
        """Once for what a statement asks for."""
        if scope in self._noted:
            return
        self._noted.add(scope)
        event = AccessEvent(
            AccessKind.CREDENTIAL_USED,
            time.time(),
            self._identity.user,
            method="mapped",
            credential=f"{self._source.catalog}.{credential}",
            place=scope.name,
        )
        self._source.recorder.note_access(event)


class KeptKeys:
    """Temporary keys until half of their life is over, each for whom they were made and for what.
    Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[object, tuple[S3Credentials, float]] = {}

    def get(self, key: object, make: Callable[[], S3Credentials]) -> S3Credentials:
        now = self._clock()
        with self._lock:
            keys, until = self._kept.get(key, (None, 0.0))
        if keys is not None and now < until:
            return keys
        made = make()
        ends = made.expires_at or now
        with self._lock:
            if len(self._kept) >= _MOST_KEPT:
                self._kept = {k: one for k, one in self._kept.items() if one[1] > now}
            if len(self._kept) < _MOST_KEPT:
                self._kept[key] = made, now + max((ends - now) / 2, 0.0)
        return made


class LazyConfig(Mapping[str, str]):
    """Keys are asked for when an engine looks for them, and not by who reads a table's schema."""

    def __init__(self, make: Callable[[], Mapping[str, str]]) -> None:
        self._make = make
        self._made: Mapping[str, str] | None = None

    def __repr__(self) -> str:
        return "LazyConfig(****)"

    @property
    def _config(self) -> Mapping[str, str]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, key: str) -> str:
        return self._config[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._config)

    def __len__(self) -> int:
        return len(self._config)


def config_of_keys(keys: S3Credentials) -> dict[str, str]:
    config = {
        "client.region": keys.region,
        "s3.region": keys.region,
        "s3.access-key-id": keys.key_id.reveal(),
        "s3.secret-access-key": keys.key.reveal(),
        "s3.path-style-access": str(keys.path_style).lower(),
    }
    if keys.endpoint:
        config["s3.endpoint"] = keys.endpoint
    if keys.token is not None:
        config["s3.session-token"] = keys.token.reveal()
    if keys.expires_at is not None:
        config["s3.session-token-expires-at-ms"] = str(int(keys.expires_at * 1000))
    return config


def keys_of_pair(place: S3Place, key_id: Secret, key: Secret) -> S3Credentials:
    return S3Credentials(**vars(place), key_id=key_id, key=key)


def _folders_of(metadata: Json) -> tuple[ObjectPath, ...]:
    """The table's folder, and others that it writes to."""
    properties = metadata.get("properties") or {}
    named = (metadata.get("location"), *(properties.get(key) for key in _PLACES))
    places = {_folder(str(one)) for one in named if one}
    inner = {one for one in places if any(one != o and one.is_below(o) for o in places)}
    return tuple(sorted(places - inner, key=str))


def _folder(location: str) -> ObjectPath:
    try:
        return object_path((s3_url(location) or location).rstrip("/")).folder
    except ValueError as error:
        raise AccessError(
            ErrorCode.ACCESS_DENIED, f"No keys are asked for to {location}: {error}."
        ) from None
