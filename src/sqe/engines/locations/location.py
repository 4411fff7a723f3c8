"""A place in an object store that statements may name, and the keys that a user gets for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from sqe.catalog.s3_client import error_code, parse_xml, tag_of
from sqe.catalog.s3_place import S3Credentials, S3Place
from sqe.engines.locations.session_policy import Scope
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.http.client import Answer, Http
from sqe.model.identity import Identity, Secret
from sqe.model.object_paths import ObjectPath

_LIFETIME_S = 900  # the shortest that STS gives; keys are renewed where a load takes longer
_MARGIN_S = 60.0


@dataclass(frozen=True)
class Location:
    """``http`` calls the store, ``sts`` is where tokens are exchanged for keys. ``unload``: COPY TO
    may write there, not only COPY INTO read."""

    name: str
    prefix: ObjectPath
    place: S3Place
    sts: str
    role_arn: str
    audience: str
    unload: bool
    http: Http = field(repr=False, compare=False)

    def assume_role(self, token: Secret, scope: Scope, session_name: str) -> S3Credentials:
        """Keys of the token's owner, for the scope alone."""
        fields = {
            "Action": "AssumeRoleWithWebIdentity",
            "Version": "2011-06-15",
            "RoleSessionName": session_name,
            "DurationSeconds": str(_LIFETIME_S),
            "Policy": scope.policy,
            "WebIdentityToken": token.reveal(),
        }
        if self.role_arn:
            fields["RoleArn"] = self.role_arn
        answer = self.http.form(f"{self.sts}/", fields, {"accept": "application/xml"})
        if answer.status != 200:
            raise self._refusal(answer)
        try:
            return self._keys(answer.body)
        except ValueError:
            raise self.failure("its token service sends an answer that is none") from None

    def failure(self, why: str) -> UpstreamError:
        return UpstreamError(
            ErrorCode.STORAGE_UNAVAILABLE,
            f"The object store of location {self.name} fails: {why}.",
            hint="Try again; if it stays so, tell the administrator.",
        )

    def _refusal(self, answer: Answer) -> AccessError | UpstreamError:
        """Only the code of what the service says: its words may quote the token."""
        code = error_code(answer.body)
        if answer.status >= 500 or answer.status == 429 or 300 <= answer.status < 400:
            code_text = f" ({code})" if code else ""
            return self.failure(f"its token service answers HTTP {answer.status}{code_text}")
        return AccessError(
            ErrorCode.ACCESS_DENIED,
            f"The object store of location {self.name} gives you no keys for your login"
            f" ({code or f'HTTP {answer.status}'}).",
            hint="Its administrator sets whose tokens it accepts, and what they open.",
        )

    def _keys(self, body: bytes) -> S3Credentials:
        texts = {tag_of(element): element.text or "" for element in parse_xml(body).iter()}
        parts = [texts.get(n, "") for n in ("AccessKeyId", "SecretAccessKey", "SessionToken")]
        if not all(parts):
            raise ValueError("a part of the keys is missing")
        return S3Credentials(
            **vars(self.place),
            key_id=Secret(parts[0]),
            key=Secret(parts[1]),
            token=Secret(parts[2]),
            expires_at=_moment(texts.get("Expiration", "")),
        )


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
            keys = self._location.assume_role(token, self._scope, self._session_name)
            self._keys = keys
        return keys


def _no_token(name: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{name} is opened with a token of yours, and your login has none.",
        hint="Log in with a token of the identity provider, not with an API key or a password"
        " that only SQE knows.",
    )


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return time.time() + _LIFETIME_S
