"""Bearer tokens of the issuers."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from sqe.auth.oidc.compact import is_jwt, parse_compact
from sqe.auth.oidc.issuer import Issuer, Verified
from sqe.auth.protocol import Bearer, Credential
from sqe.errors import AccessError
from sqe.model.identity import Identity, Secret

_MOST = 10_000
_OWN = "sqe_"  # how tokens and keys of SQE's own begin: no issuer is shown one


class OidcBearers:
    """A token of an issuer that is not configured is not known here. Thread-safe."""

    def __init__(self, issuers: Sequence[Issuer], clock: Callable[[], float] = time.time) -> None:
        self._issuers = {issuer.name: issuer for issuer in issuers}
        self._known = _Known(clock)

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Bearer):
            return None
        token = credential.token
        verified = self._known.get(token)
        if verified is None:
            verified = self._verify(token)
            if verified is None:
                return None
            self._known.add(token, verified)
        return verified.identity()

    def _verify(self, token: Secret) -> Verified | None:
        text = token.reveal()
        if is_jwt(text):
            compact = parse_compact(text)
            claimed = compact.claims.get("iss") if compact is not None else None
            issuer = self._issuers.get(claimed) if isinstance(claimed, str) else None
            return issuer.verify_jwt(compact, token) if issuer and compact else None
        if text.startswith(_OWN):
            return None
        return self._introspect(token)

    def _introspect(self, token: Secret) -> Verified | None:
        """An opaque token does not say whose it is: the issuers are asked in turn."""
        for issuer in self._issuers.values():
            if issuer.options.introspect == "never":
                continue
            try:
                return issuer.introspect(token)
            except AccessError:
                continue
        return None


class _Known:
    """Tokens found good, by digest, for as long as they are."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._found: OrderedDict[bytes, Verified] = OrderedDict()

    def get(self, token: Secret) -> Verified | None:
        with self._lock:
            verified = self._found.get(_digest(token))
        if verified is None or self._clock() >= verified.until:
            return None
        keys = verified.issuer.keys
        keys.look()  # a key that is withdrawn is not good for much longer
        return verified if verified.generation == keys.generation else None

    def add(self, token: Secret, verified: Verified) -> None:
        with self._lock:
            digest = _digest(token)
            self._found.pop(digest, None)
            self._found[digest] = verified
            while len(self._found) > _MOST:
                self._found.popitem(last=False)


def _digest(token: Secret) -> bytes:
    return hashlib.sha256(token.reveal().encode("utf-8", "surrogatepass")).digest()
