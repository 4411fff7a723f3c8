"""Users from the settings and the users file, with passwords and tokens."""

from __future__ import annotations

import hmac
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqe.auth.hashing import hash_token, is_password
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.auth.refusal import credential_error
from sqe.auth.remembered import Remembered
from sqe.auth.user_table import StaticUser, Users, UserTable
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import PasswordHash


@dataclass(frozen=True, slots=True)
class _Unchanged:
    """Whether a user is still written down just so, with the same password and groups."""

    user: StaticUser
    users: Users = field(compare=False, repr=False)

    def __call__(self) -> bool:
        return self.users().by_name.get(self.user.name) == self.user


class StaticUsers:
    """Checks take the same time for users who exist and for those who do not."""

    def __init__(
        self, users: Users, clock: Callable[[], float] = time.monotonic, *, changing: bool = False
    ) -> None:
        """``changing``: users may change, which ends what they have begun before."""
        self._users = users
        self._changing = changing
        # With the hash it fitted: a password that was changed is forgotten at once.
        self._good: Remembered[PasswordHash] = Remembered(clock)
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
        table = self._users()
        user = table.by_name.get(name)
        good = self._was_good(user, password)
        if not good:
            with self._at_once:
                # Many clients of one user may have waited here for the first of them.
                good = self._was_good(user, password) or self._is_good(table, user, password)
        if user is None:
            return None
        if not good:
            raise credential_error()
        return self._identity(user)

    def _was_good(self, user: StaticUser | None, password: Secret) -> bool:
        if user is None or user.password is None:
            return False
        return self._good.get(user.name, password) == user.password

    def _is_good(self, table: UserTable, user: StaticUser | None, password: Secret) -> bool:
        """One check for each cost in use: otherwise a user's own cost would tell of the user."""
        known = user.password if user is not None else None
        good = False
        for cost, nobody in table.nobody.items():
            mine = known if known is not None and known.cost == cost else nobody
            good |= is_password(password, mine) and mine is known
        if good and user is not None and known is not None:
            self._good.add(user.name, password, known)
        return good

    def _by_token(self, token: Secret) -> Identity | None:
        digest = hash_token(token)
        match: StaticUser | None = None
        for known, user in self._users().tokens:
            if hmac.compare_digest(digest, known):
                match = user
        return self._identity(match) if match is not None else None

    def _identity(self, user: StaticUser) -> Identity:
        if not self._changing:
            return user.identity()
        return replace(user.identity(), standing=_Unchanged(user, self._users))
