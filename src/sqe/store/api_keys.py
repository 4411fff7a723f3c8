"""API keys: whose they are, what they allow, until when. Never the keys themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.store.database import Database

_ALL = "SELECT * FROM api_keys ORDER BY created_at, id"
_ONE = "SELECT * FROM api_keys WHERE id = :id"
_ADD = (
    "INSERT INTO api_keys (id, name, user_name, user_groups, user_roles, scopes, digest,"
    " created_at, expires_at) VALUES (:id, :name, :user_name, :user_groups, :user_roles, :scopes,"
    " :digest, :created_at, :expires_at)"
)
_REVOKE = (
    "UPDATE api_keys SET revoked_at = :now WHERE revoked_at IS NULL AND (id = :which OR name ="
    " :which)"
)
_USED = "UPDATE api_keys SET used_at = :now WHERE id = :id"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """``digest`` is the SHA-256 of the key."""

    id: str
    name: str
    user: str
    groups: frozenset[str]
    roles: frozenset[str]
    scopes: frozenset[str]
    digest: bytes = field(repr=False)
    created_at: float
    expires_at: float | None = None
    revoked_at: float | None = None
    used_at: float | None = None

    def good(self, now: float) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class ApiKeys:
    """Thread-safe. What one process changes, the others see with their next question."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: ApiKey) -> None:
        """INVALID_ARGUMENT if a key that is not revoked has the name."""
        from sqlalchemy import text
        from sqlalchemy.exc import IntegrityError

        with self._database.begin() as connection:
            try:
                connection.execute(text(_ADD), _row(key))
            except IntegrityError:
                raise UserError(
                    ErrorCode.INVALID_ARGUMENT,
                    f"There is a key {key.name} already.",
                    hint="Revoke it first, or choose another name.",
                ) from None

    def find(self, key_id: str) -> ApiKey | None:
        from sqlalchemy import text

        with self._database.begin() as connection:
            row = connection.execute(text(_ONE), {"id": key_id}).mappings().first()
        return _key(row) if row is not None else None

    def list_all(self) -> list[ApiKey]:
        """The oldest first, revoked and expired ones too."""
        from sqlalchemy import text

        with self._database.begin() as connection:
            return [_key(row) for row in connection.execute(text(_ALL)).mappings()]

    def revoke(self, which: str, now: float) -> bool:
        """By name or id. False if no key in use has it."""
        from sqlalchemy import text

        with self._database.begin() as connection:
            return connection.execute(text(_REVOKE), {"which": which, "now": now}).rowcount > 0

    def note_use(self, key_id: str, now: float) -> None:
        from sqlalchemy import text

        with self._database.begin() as connection:
            connection.execute(text(_USED), {"id": key_id, "now": now})


def _row(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "user_name": key.user,
        "user_groups": json.dumps(sorted(key.groups)),
        "user_roles": json.dumps(sorted(key.roles)),
        "scopes": json.dumps(sorted(key.scopes)),
        "digest": key.digest.hex(),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
    }


def _key(row: Any) -> ApiKey:
    return ApiKey(
        id=row["id"],
        name=row["name"],
        user=row["user_name"],
        groups=frozenset(json.loads(row["user_groups"])),
        roles=frozenset(json.loads(row["user_roles"])),
        scopes=frozenset(json.loads(row["scopes"])),
        digest=bytes.fromhex(row["digest"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        used_at=row["used_at"],
    )
