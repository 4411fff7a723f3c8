"""Keys for programs, made by ``sqe apikey``: shown as a bearer token, or as a user's password."""

from __future__ import annotations

import hmac
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqe.auth.hashing import hash_token
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.auth.refusal import credential_error
from sqe.errors import SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.scopes import ALL
from sqe.store.api_keys import ApiKey, ApiKeys

_log = logging.getLogger(__name__)
# sqe_key_<id>_<secret>: the id finds the key's row, the secret is what only its holder knows.
_FORM = re.compile(r"sqe_key_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_NOTE_S = 60.0  # how exactly the last use is known


@dataclass(frozen=True, slots=True)
class NewKey:
    """What ``sqe apikey create`` is told. ``expires_at`` in seconds since 1970."""

    name: str
    user: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset({ALL})
    expires_at: float | None = None


def create_key(keys: ApiKeys, wanted: NewKey, now: float) -> Secret:
    """The key itself, which nobody can be told again. INVALID_ARGUMENT if the name is taken."""
    key_id = secrets.token_hex(6)
    key = Secret(f"sqe_key_{key_id}_{secrets.token_urlsafe(32)}")
    keys.add(
        ApiKey(
            id=key_id,
            name=wanted.name,
            user=wanted.user,
            groups=wanted.groups,
            roles=wanted.roles,
            scopes=wanted.scopes,
            digest=hash_token(key),
            created_at=now,
            expires_at=wanted.expires_at,
        )
    )
    return key


@dataclass(frozen=True, slots=True)
class _Standing:
    """Whether a key is still good. Equal for one key, so that its requests can share a session and
    those of two keys do not."""

    key_id: str
    keys: ApiKeys = field(compare=False, repr=False)
    clock: Callable[[], float] = field(compare=False, repr=False)

    def __call__(self) -> bool:
        key = self.keys.find(self.key_id)
        return key is not None and key.good(self.clock())


class ApiKeyUsers:
    """Every key is looked up each time it is shown, so that a revoked one is of no use at once."""

    def __init__(self, keys: ApiKeys, clock: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._clock = clock
        self._lock = threading.Lock()
        self._noted: dict[str, float] = {}

    def authenticate(self, credential: Credential) -> Identity | None:
        match credential:
            case Bearer(token):
                return self._identity(token, None)
            case Password(user, password):
                return self._identity(password, user)
            case _:
                return None

    def _identity(self, shown: Secret, user: str | None) -> Identity | None:
        form = _FORM.fullmatch(shown.reveal())
        key = self._keys.find(form[1]) if form is not None else None
        if key is None:
            return None
        now = self._clock()
        fits = hmac.compare_digest(hash_token(shown), key.digest)
        if not fits or not key.good(now) or user not in (None, key.user):
            raise credential_error()
        self._note(key.id, now)
        scopes = frozenset() if ALL in key.scopes else key.scopes
        standing = _Standing(key.id, self._keys, self._clock)
        return Identity(
            key.user, key.groups, key.roles, scopes=scopes, standing=standing, key_id=key.id
        )

    def _note(self, key_id: str, now: float) -> None:
        """When it was last used. That this cannot be written down shuts nobody out."""
        with self._lock:
            if now - self._noted.get(key_id, 0.0) < _NOTE_S:
                return
            self._noted[key_id] = now
        try:
            self._keys.note_use(key_id, now)
        except SqeError as error:
            _log.warning("the last use of an API key was not noted: %s", error)
