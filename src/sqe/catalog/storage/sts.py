"""Where tokens, and the keys of an account, are exchanged for temporary keys."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode

from sqe.catalog.s3_client import error_code, parse_xml, tag_of
from sqe.catalog.s3_place import S3Credentials, S3Place
from sqe.catalog.sigv4 import SigV4
from sqe.catalog.storage.session_policy import Scope
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.http.client import Answer, Http
from sqe.model.identity import Secret

_LIFETIME_S = 900  # the shortest that STS gives; keys are renewed where something takes longer
_ANY_ROLE = "arn:aws:iam::000000000000:role/any"  # stores without roles want to hear of one, too
_FORM = {"accept": "application/xml", "content-type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class TokenService:
    """``what``: whose it is, for messages."""

    what: str
    url: str
    role_arn: str
    place: S3Place  # of the objects that its keys open
    http: Http = field(repr=False, compare=False)

    def exchange_token(self, token: Secret, scope: Scope, session_name: str) -> S3Credentials:
        """Keys of the token's owner, for the scope alone."""
        fields = {"Action": "AssumeRoleWithWebIdentity", "WebIdentityToken": token.reveal()}
        if self.role_arn:
            fields["RoleArn"] = self.role_arn
        body = _body(fields, scope, session_name)
        return self._read(self.http.call("POST", f"{self.url}/", _FORM, body))

    def narrow_keys(
        self, keys: S3Credentials, role_arn: str, scope: Scope, session_name: str
    ) -> S3Credentials:
        """Keys of the same account, or of a role that it may take, for the scope alone."""
        body = _body(
            {"Action": "AssumeRole", "RoleArn": role_arn or _ANY_ROLE}, scope, session_name
        )
        signer = SigV4(keys.key_id.reveal(), keys.key, self.place.region, "sts")
        digest = hashlib.sha256(body).hexdigest()
        url = f"{self.url}/"
        return self._read(
            self.http.call("POST", url, signer.headers("POST", url, _FORM, digest), body)
        )

    def failure(self, why: str) -> UpstreamError:
        return UpstreamError(
            ErrorCode.STORAGE_UNAVAILABLE,
            f"The {self.what} fails: {why}.",
            hint="Try again; if it stays so, tell the administrator.",
        )

    def _read(self, answer: Answer) -> S3Credentials:
        if answer.status != 200:
            raise self._refusal(answer)
        try:
            return self._keys(answer.body)
        except ValueError:
            raise self.failure("its token service sends an answer that is none") from None

    def _refusal(self, answer: Answer) -> AccessError | UpstreamError:
        """Only the code of what the service says: its words may quote the token."""
        code = error_code(answer.body)
        if answer.status >= 500 or answer.status == 429 or 300 <= answer.status < 400:
            code_text = f" ({code})" if code else ""
            return self.failure(f"its token service answers HTTP {answer.status}{code_text}")
        why = code or f"HTTP {answer.status}"
        return AccessError(
            ErrorCode.ACCESS_DENIED,
            f"The {self.what} gives you no keys for your login ({why}).",
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


def _body(fields: Mapping[str, str], scope: Scope, session_name: str) -> bytes:
    common = {
        "Version": "2011-06-15",
        "RoleSessionName": session_name,
        "DurationSeconds": str(_LIFETIME_S),
        "Policy": scope.policy,
    }
    return urlencode({**common, **fields}).encode()


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return time.time() + _LIFETIME_S


def amazon_sts(region: str) -> str:
    china = ".cn" if region.startswith("cn-") else ""
    return f"https://sts.{region}.amazonaws.com{china}"
