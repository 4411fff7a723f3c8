"""The small issuer with people at it: they log in in a browser, or type a code."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.unit.auth.oidc.issuer import LocalIssuer, SigningKey, User

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass
class Talking(LocalIssuer):
    """``id_changes`` of what an ID token says; a change of None leaves the claim out. ``answers``
    are what a device is told, one after the other, before its person has logged in."""

    id_changes: dict[str, Any] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    renews: bool = True
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def code_for(self, address: str) -> str:
        """Alice logs in at the address that the browser was sent to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return code

    def asked(self, path: str, form: dict[str, str], client: tuple[str, str]) -> tuple[int, Any]:
        if path != "device":
            return super().asked(path, form, client)
        self._codes["device"] = form
        return 200, {
            "device_code": "device",
            "user_code": "ABCD-EFGH",
            "verification_uri": f"{self.url}/type",
            "interval": 2,
            "expires_in": 60,
        }

    def _granted(self, form: dict[str, str], client: tuple[str, str]) -> tuple[int, Any]:
        if form["grant_type"] == "authorization_code":
            asked = self._codes.pop(form["code"], None)
            if asked is None or form["redirect_uri"] != asked["redirect_uri"]:
                return 400, {"error": "invalid_grant"}
            return self._to_alice(asked, form, client)
        if form["grant_type"] == DEVICE:
            if self.answers:
                return 400, {"error": self.answers.pop(0)}
            return self._to_alice(self._codes["device"], form, client)
        return super()._granted(form, client)

    def _to_alice(
        self, asked: dict[str, str], form: dict[str, str], client: tuple[str, str]
    ) -> tuple[int, Any]:
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if proof != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        status, answer = self._tokens("alice", secrets.token_hex(8))
        if not self.renews:
            del answer["refresh_token"]
        claims = {
            "iss": self.url,
            "aud": client[0],
            "exp": time.time() + 60,
            "nonce": asked.get("nonce"),
            **self.id_changes,
        }
        said = {name: value for name, value in claims.items() if value is not None}
        return status, {**answer, "id_token": self.signed(said)}

    def _about(self) -> dict[str, Any]:
        return {
            "authorization_endpoint": f"{self.url}/auth",
            "device_authorization_endpoint": f"{self.url}/device",
            **super()._about(),
        }


@contextmanager
def talking(key: SigningKey) -> Iterator[Talking]:
    issuer = Talking(keys=[key], users={"alice": User("alice-pw", ["analysts"], ["analyst"])})
    issuer.start()
    try:
        yield issuer
    finally:
        issuer.stop()
