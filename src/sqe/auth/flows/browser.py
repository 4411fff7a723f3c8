"""Logins through a browser that this server holds for its clients.

The client gets a token of SQE's own that stands for the login; the issuer's tokens stay here, where
they are renewed. In memory only: after a restart people log in again.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict

from sqe.auth.flows.code import CodeFlow
from sqe.auth.oidc.held import Held
from sqe.auth.oidc.issuer import Issuer
from sqe.auth.oidc.renewals import Renewals
from sqe.auth.protocol import Bearer, Credential
from sqe.auth.refusal import credential_error
from sqe.model.identity import Identity, Secret

_PREFIX = "sqe_login_"
_MOST = 10_000


class BrowserLogins:
    """Thread-safe. ``idle_s``: a login that nobody uses for so long is ended, here and there."""

    def __init__(self, issuer: Issuer, renewals: Renewals, idle_s: float) -> None:
        self._issuer = issuer
        self._renewals = renewals
        self._idle_s = idle_s
        self._flow = CodeFlow(issuer.provider)
        self._lock = threading.Lock()
        self._held: OrderedDict[bytes, Held] = OrderedDict()

    def authorize_uri(self, state: str, callback: str) -> str:
        return self._flow.authorize_uri(state, callback)

    def token(self, code: str, state: str, callback: str) -> Secret:
        """What the client shows from now on: our token, or the issuer's own where there is nothing
        to renew it with. AUTHENTICATION_FAILED, ISSUER_UNAVAILABLE."""
        granted = self._flow.redeem(code, state, callback)
        if granted.refresh is None or not self._issuer.options.refresh:
            self._issuer.verify(granted.access.value)
            return granted.access.value
        held = self._renewals.hold(self._issuer, granted)
        held.keep(self._idle_s)
        token = Secret(_PREFIX + secrets.token_urlsafe(32))
        with self._lock:
            self._held[_digest(token)] = held
            surplus = self._held.popitem(last=False)[1] if len(self._held) > _MOST else None
        if surplus is not None:
            self._renewals.drop(surplus)
        return token

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Bearer):
            return None
        if not credential.token.reveal().startswith(_PREFIX):
            return None
        key = _digest(credential.token)
        with self._lock:
            held = self._held.get(key)
            if held is not None and held.over:
                del self._held[key]
                held = None
        if held is None:
            raise credential_error()
        held.keep(self._idle_s)
        return held.identity()


def _digest(token: Secret) -> bytes:
    return hashlib.sha256(token.reveal().encode("utf-8", "surrogatepass")).digest()
