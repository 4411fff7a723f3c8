"""Users that the administrator has written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sqe.auth.hashing import nobodys_hash
from sqe.model.identity import Identity
from sqe.model.password_hash import Argon2Cost, PasswordHash


@dataclass(frozen=True, slots=True)
class StaticUser:
    """``tokens`` are SHA-256 digests."""

    name: str
    password: PasswordHash | None = None
    tokens: tuple[bytes, ...] = field(default=(), repr=False)
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    def identity(self) -> Identity:
        return Identity(self.name, self.groups, self.roles)


class UserTable:
    """The users at one moment. Nothing in it changes."""

    def __init__(self, users: Mapping[str, StaticUser]) -> None:
        self.by_name = MappingProxyType(dict(users))
        self.tokens = tuple((digest, user) for user in users.values() for digest in user.tokens)
        costs = {user.password.cost for user in users.values() if user.password is not None}
        self.nobody = {cost: nobodys_hash(cost) for cost in costs or {Argon2Cost()}}


# The users now: a file of them may change while SQE runs.
Users = Callable[[], UserTable]


def constant_users(users: Mapping[str, StaticUser]) -> Users:
    table = UserTable(users)
    return lambda: table
