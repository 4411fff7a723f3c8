"""A place in an object store that statements may name, and the keys that a user gets for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqe.catalog.s3_place import S3Credentials
from sqe.catalog.storage.session_policy import Scope
from sqe.catalog.storage.sts import TokenService
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.http.client import Http
from sqe.model.identity import Identity
from sqe.model.object_paths import ObjectPath

_MARGIN_S = 60.0


@dataclass(frozen=True)
class Location:
    """``sts`` is where tokens are exchanged for keys. ``unload``: COPY TO may write there, not only
    COPY INTO read."""

    name: str
    prefix: ObjectPath
    audience: str
    unload: bool
    sts: TokenService

    @property
    def http(self) -> Http:
        """Calls the store."""
        return self.sts.http

    def failure(self, why: str) -> UpstreamError:
        return self.sts.failure(why)


class UserKeys:
    """One user's keys for one scope, for as long as a statement needs them."""

    def __init__(
        self,
        location: Location,
        scope: Scope,
        identity: Identity,
        session_name: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._location = location
        self._scope = scope
        self._identity = identity
        self._session_name = session_name
        self._clock = clock
        self._keys: S3Credentials | None = None

    def __repr__(self) -> str:
        return f"UserKeys({self._scope.name})"

    def current(self) -> S3Credentials:
        """With the user's token of this moment. ACCESS_DENIED for whoever has none."""
        keys = self._keys
        if keys is None or (keys.expires_at or 0.0) - self._clock() < _MARGIN_S:
            passport = self._identity.passport
            if passport is None:
                raise _no_token(self._scope.name)
            token = passport.token(self._location.audience)
            keys = self._location.sts.exchange_token(token, self._scope, self._session_name)
            self._keys = keys
        return keys


def _no_token(name: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{name} is opened with a token of yours, and your login has none.",
        hint="Log in with a token of the identity provider, not with an API key or a password"
        " that only SQE knows.",
    )
