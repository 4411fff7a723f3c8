"""Tokens for clients that can only ask for one: OAuth's client credentials.

Who shows an API key or a token of an issuer as the secret gets that back: it is a token already.
For a user and a password there is one of this process, which is kept nowhere else.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sqe.model.identity import Identity, Secret

_MOST = 10_000
_OF_USER = 100


@dataclass(frozen=True, slots=True)
class _Given:
    identity: Identity
    until: float


class GivenTokens:
    """Thread-safe. Kept as digests: what is in memory lets nobody in."""

    def __init__(self, life_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.life_s = life_s
        self._clock = clock
        self._lock = threading.Lock()
        self._given: OrderedDict[bytes, _Given] = OrderedDict()

    def give(self, identity: Identity) -> Secret:
        token = secrets.token_urlsafe(32)
        given = _Given(identity, self._clock() + self.life_s)
        with self._lock:
            self._given[_digest(token)] = given
            mine = [key for key, one in self._given.items() if one.identity == identity]
            for key in mine[:-_OF_USER]:
                del self._given[key]
            while len(self._given) > _MOST:
                self._given.popitem(last=False)
        return Secret(token)

    def find(self, token: Secret) -> Identity | None:
        """Whose it is; None if it is not one of these, or not good any more."""
        key = _digest(token.reveal())
        with self._lock:
            given = self._given.get(key)
            if given is not None and self._clock() >= given.until:
                del self._given[key]
                given = None
        if given is None or not _stands(given.identity):
            return None
        return given.identity


def _stands(identity: Identity) -> bool:
    """Whether what was shown for it is still good."""
    if identity.passport is not None and identity.passport.expired:
        return False
    try:
        return identity.standing is None or identity.standing()
    except Exception:  # noqa: BLE001  who cannot be asked has not said yes
        return False


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
