"""A login in a browser: authorization code with PKCE and a nonce (OpenID Connect Core, 3.1)."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from sqe.auth.flows.pkce import challenge
from sqe.auth.oidc.claims import texts
from sqe.auth.oidc.compact import parse_compact
from sqe.auth.oidc.discovery import issuer_error
from sqe.auth.oidc.provider import Granted, Provider
from sqe.auth.refusal import credential_error
from sqe.errors import AccessError

_log = logging.getLogger(__name__)
_SKEW_S = 60.0
_LONGEST_CODE = 4_096


class CodeFlow:
    """Nothing is kept of a login on its way: what must not be known to the browser is computed
    from its ``state``, which only this process can do. So nobody can fill our memory with logins
    that never end."""

    def __init__(self, provider: Provider, clock: Callable[[], float] = time.time) -> None:
        self._provider = provider
        self._clock = clock
        self._key = secrets.token_bytes(32)

    def authorize_uri(self, state: str, callback: str) -> str:
        """Where the browser goes. It comes back to ``callback`` with a code and ``state``."""
        address = self._provider.endpoints().authorization
        if not address:
            raise issuer_error(self._provider.issuer, "has no authorization endpoint")
        fields = {
            "response_type": "code",
            "client_id": self._provider.client.id,
            "redirect_uri": callback,
            "scope": _with_openid(self._provider.scope),
            "state": state,
            "nonce": self._secret("nonce", state),
            **challenge(self._secret("verifier", state)),
        }
        return f"{address}{'&' if '?' in address else '?'}{urlencode(fields)}"

    def redeem(self, code: str, state: str, callback: str) -> Granted:
        """What the code is worth. The caller has checked that ``state`` is its own. Raises
        AUTHENTICATION_FAILED, ISSUER_UNAVAILABLE."""
        if not 0 < len(code) <= _LONGEST_CODE:
            raise credential_error()
        granted = self._provider.grant(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": callback,
                "code_verifier": self._secret("verifier", state),
            }
        )
        self._check(granted, self._secret("nonce", state))
        return granted

    def _check(self, granted: Granted, nonce: str) -> None:
        """That the login is the one that was begun here. The ID token comes from the issuer itself
        over a connection that says so, which stands for its signature (3.1.3.7, 6)."""
        text = granted.id_token.reveal() if granted.id_token is not None else ""
        token = parse_compact(text)
        try:
            if token is None:
                raise ValueError("there is no ID token")
            self._check_claims(token.claims, nonce)
        except ValueError as error:
            raise self._refusal(str(error)) from None

    def _check_claims(self, claims: Mapping[str, Any], nonce: str) -> None:
        expires = claims.get("exp")
        if claims.get("iss") != self._provider.issuer:
            raise ValueError("it is of another issuer")
        if self._provider.client.id not in texts(claims.get("aud")):
            raise ValueError("it is meant for another client")
        if not isinstance(expires, int | float) or self._clock() > expires + _SKEW_S:
            raise ValueError("it has expired, or does not say when it does")
        claimed_nonce = claims.get("nonce")
        if not isinstance(claimed_nonce, str) or not hmac.compare_digest(
            claimed_nonce.encode(), nonce.encode()
        ):
            raise ValueError("its nonce is of another login")

    def _refusal(self, why: str) -> AccessError:
        _log.info("an ID token of %s is refused: %s", self._provider.issuer, why)
        return credential_error()

    def _secret(self, purpose: str, state: str) -> str:
        return hmac.new(self._key, f"{purpose}/{state}".encode(), hashlib.sha256).hexdigest()


def _with_openid(scope: str) -> str:
    """Without it there is no ID token, and no nonce in it."""
    return scope if "openid" in scope.split() else f"openid {scope}".strip()
