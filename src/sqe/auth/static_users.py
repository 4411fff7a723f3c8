"""Users from the settings file, with passwords and tokens."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqe.auth.chain import denied
from sqe.auth.hashing import hash_token, is_password, nobodys_hash
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import PasswordHash, ScryptCost

_REMEMBERED_S = 60.0
_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class StaticUser:
    """``tokens`` are SHA-256 digests."""

    name: str
    password: PasswordHash | None = None
    tokens: tuple[bytes, ...] = field(default=(), repr=False)
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    def identity(self, credential: Secret | None = None) -> Identity:
        return Identity(self.name, self.groups, self.roles, credential)


class StaticUsers:
    """Checks take the same time for users who exist and for those who do not."""

    def __init__(
        self, users: Mapping[str, StaticUser], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._users = dict(users)
        self._tokens = [(digest, user) for user in users.values() for digest in user.tokens]
        costs = {user.password.cost for user in users.values() if user.password is not None}
        self._nobody = {cost: nobodys_hash(cost) for cost in costs or {ScryptCost()}}
        self._good = _Remembered(clock)
        # A check takes a processor and 16 MB or more: many at once would wait for each other.
        self._at_once = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))

    def authenticate(self, credential: Credential) -> Identity | None:
        match credential:
            case Password(user, password):
                return self._by_password(user, password)
            case Bearer(token):
                return self._by_token(token)
            case _:
                return None

    def _by_password(self, name: str, password: Secret) -> Identity | None:
        user = self._users.get(name)
        good = self._good.has(name, password)
        if not good:
            with self._at_once:
                # Many clients of one user may have waited here for the first of them.
                good = self._good.has(name, password) or self._is_password_of(user, password)
                if good:
                    self._good.add(name, password)
        if user is None:
            return None
        if not good:
            raise denied()
        return user.identity()

    def _is_password_of(self, user: StaticUser | None, password: Secret) -> bool:
        """One check for each cost in use: otherwise a user's own cost would tell of the user."""
        known = user.password if user is not None else None
        good = False
        for cost, nobody in self._nobody.items():
            mine = known if known is not None and known.cost == cost else nobody
            good |= is_password(password, mine) and mine is known
        return good

    def _by_token(self, token: Secret) -> Identity | None:
        digest = hash_token(token)
        found: StaticUser | None = None
        for known, user in self._tokens:
            if hmac.compare_digest(digest, known):
                found = user
        return found.identity(token) if found is not None else None


class _Remembered:
    """Passwords found good in the last minute, so that a client that sends its password with every
    call does not wait each time. Kept as digests under a key that dies with the process."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._until: OrderedDict[bytes, float] = OrderedDict()

    def has(self, user: str, password: Secret) -> bool:
        digest = self._digest(user, password)
        with self._lock:
            return self._until.get(digest, 0.0) > self._clock()

    def add(self, user: str, password: Secret) -> None:
        digest = self._digest(user, password)
        with self._lock:
            self._until.pop(digest, None)
            self._until[digest] = self._clock() + _REMEMBERED_S
            while len(self._until) > _REMEMBERED:
                self._until.popitem(last=False)

    def _digest(self, user: str, password: Secret) -> bytes:
        mac = hashlib.blake2b(key=self._key)
        for text in (user, password.reveal()):
            raw = text.encode("utf-8", "surrogatepass")
            mac.update(len(raw).to_bytes(8, "big") + raw)
        return mac.digest()
