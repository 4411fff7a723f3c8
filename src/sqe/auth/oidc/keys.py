"""The keys that an issuer signs with."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import get_algorithm_by_name
from jwt.exceptions import PyJWTError

from sqe.auth.oidc.discovery import issuer_error
from sqe.errors import UpstreamError

_log = logging.getLogger(__name__)

_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_CURVES = {
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA",),
    ("OKP", "Ed448"): ("EdDSA",),
}
_SMALLEST_RSA = 2048
_FRESH_S = 600.0  # then they are asked for again, while the old ones go on
_OLDEST_S = 86_400.0  # no longer, even if the issuer is down: a key may have been withdrawn
_PAUSE_S = 10.0  # between two calls: anyone can show tokens with keys that do not exist
_PAUSE_DOWN_S = 2.0
_MOST_KEYS = 100
_TRIES = 4  # of keys, for a token that does not name one


@dataclass(frozen=True, slots=True)
class Key:
    """``algorithms``: what it may be used with, so that none is used as a key of another kind."""

    id: str
    algorithms: tuple[str, ...]
    key: Any

    def verifies(self, algorithm: str, signed: bytes, signature: bytes) -> bool:
        if algorithm not in self.algorithms:
            return False
        return get_algorithm_by_name(algorithm).verify(signed, self.key, signature) is True


@dataclass(frozen=True, slots=True)
class _Known:
    keys: tuple[Key, ...]
    since: float
    generation: int


class Keys:
    """Thread-safe. While the issuer is down, the keys it had go on."""

    def __init__(
        self,
        issuer: str,
        fetch: Callable[[], Mapping[str, Any]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = issuer
        self._fetch = fetch
        self._clock = clock
        self._asking = threading.Lock()
        self._known: _Known | None = None
        self._tried = float("-inf")
        self._down: UpstreamError | None = None
        self._renewing = threading.Lock()

    @property
    def generation(self) -> int:
        """Another one: a key may be gone."""
        return self._known.generation if self._known is not None else 0

    def find(self, key_id: str | None, algorithm: str) -> tuple[tuple[Key, ...], int]:
        """Those the token may be signed with, and their generation. Asks the issuer if there is
        none; not often."""
        known = self._current()
        fitting = _keys_for(known.keys, key_id, algorithm)
        if not fitting:
            known = self._ask(known)
            fitting = _keys_for(known.keys, key_id, algorithm)
        return fitting, known.generation

    def look(self) -> None:
        """Has the keys asked for again in the background, if it is time."""
        known = self._known
        if known is not None and self._clock() - known.since > _FRESH_S:
            self._renew(known)

    def _current(self) -> _Known:
        known = self._known
        if known is None or self._clock() - known.since > _OLDEST_S:
            return self._ask(known)
        if self._clock() - known.since > _FRESH_S:
            self._renew(known)
        return known

    def _ask(self, seen: _Known | None) -> _Known:
        """Newer ones than the caller has seen, if it may be asked again."""
        with self._asking:
            known = self._known
            if known is not None and known is not seen:
                return known  # somebody else was quicker
            now = self._clock()
            pause = _PAUSE_S if self._down is None else _PAUSE_DOWN_S
            if now - self._tried < pause:
                if self._down is not None:
                    raise _again(self._down)
                if known is not None:
                    return known
            self._tried = now
            try:
                keys = keys_in(self._fetch(), self._issuer)
            except UpstreamError as error:
                self._down = _again(error)
                _log.warning("the keys of %s cannot be had: %s", self._issuer, error.message)
                raise
            changed = known is None or keys != known.keys
            fetched = _Known(keys, now, self.generation + changed)
            self._down, self._known = None, fetched
            return fetched

    def _renew(self, known: _Known) -> None:
        if self._renewing.acquire(blocking=False):
            threading.Thread(
                target=self._renew_now, args=(known,), name="issuer-keys", daemon=True
            ).start()

    def _renew_now(self, known: _Known) -> None:
        try:
            self._ask(known)
        except UpstreamError:
            return  # it was logged; the old ones go on
        finally:
            self._renewing.release()


def keys_in(document: Mapping[str, Any], issuer: str) -> tuple[Key, ...]:
    """Those that can check signatures; what is not understood is left out."""
    entries = document.get("keys")
    if not isinstance(entries, list):
        raise issuer_error(issuer, "answered without keys")
    keys = [_key(entry) for entry in entries[:_MOST_KEYS] if isinstance(entry, dict)]
    return tuple(key for key in keys if key is not None)


def _key(jwk: Mapping[str, Any]) -> Key | None:
    algorithms = _algorithms(jwk)
    if not algorithms or jwk.get("use", "sig") != "sig" or "d" in jwk:
        return None
    if "key_ops" in jwk and "verify" not in (jwk["key_ops"] or ()):
        return None
    try:
        key = get_algorithm_by_name(algorithms[0]).from_jwk(dict(jwk))
    except (PyJWTError, ValueError, TypeError, KeyError):
        _log.warning("a key of an issuer is not understood, so it is left out")
        return None
    if isinstance(key, RSAPublicKey) and key.key_size < _SMALLEST_RSA:
        _log.warning("an RSA key of %d bits is too weak, so it is left out", key.key_size)
        return None
    key_id = jwk.get("kid", "")
    return Key(key_id if isinstance(key_id, str) else "", algorithms, key)


def _algorithms(jwk: Mapping[str, Any]) -> tuple[str, ...]:
    """By the kind of key; the key's own word can only narrow it."""
    kind = jwk.get("kty")
    able = _RSA if kind == "RSA" else _CURVES.get((str(kind), str(jwk.get("crv"))), ())
    named = jwk.get("alg")
    return able if named is None else tuple(name for name in able if name == named)


def _keys_for(keys: tuple[Key, ...], key_id: str | None, algorithm: str) -> tuple[Key, ...]:
    able = [key for key in keys if algorithm in key.algorithms]
    if key_id is None:
        return tuple(able[:_TRIES])
    return tuple(key for key in able if key.id == key_id)


def _again(error: UpstreamError) -> UpstreamError:
    """For another thread: an exception is raised once."""
    return UpstreamError(error.code, error.message, hint=error.hint)
