"""Hashes of passwords (slow on purpose) and of tokens (random already, so quick)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata

from argon2.low_level import ARGON2_VERSION, Type, hash_secret_raw

from sqe.model.identity import Secret
from sqe.model.password_hash import Argon2Cost, Cost, PasswordHash

_TOKEN_PREFIX = "sqe_"  # noqa: S105  so that people and secret scanners know one when they see it
_DIGEST = 32


def hash_password(password: Secret, cost: Cost | None = None) -> PasswordHash:
    cost = cost or Argon2Cost()
    salt = secrets.token_bytes(16)
    return PasswordHash(cost, salt, _slow(password, cost, salt, _DIGEST))


def is_password(password: Secret, known: PasswordHash) -> bool:
    """Takes the same time whether it is or not."""
    digest = _slow(password, known.cost, known.salt, len(known.digest))
    return hmac.compare_digest(digest, known.digest)


def nobodys_hash(cost: Cost) -> PasswordHash:
    """No password fits it. Checked for users who do not exist, so that they take as long."""
    return PasswordHash(cost, secrets.token_bytes(16), secrets.token_bytes(_DIGEST))


def new_token() -> Secret:
    return Secret(_TOKEN_PREFIX + secrets.token_urlsafe(32))


def hash_token(token: Secret) -> bytes:
    """Good for tokens nobody can guess: see ``new_token``."""
    return hashlib.sha256(_bytes(token)).digest()


def _slow(password: Secret, cost: Cost, salt: bytes, length: int) -> bytes:
    if isinstance(cost, Argon2Cost):
        return hash_secret_raw(
            _bytes(password), salt, cost.t, cost.m, cost.p, length, Type.ID, ARGON2_VERSION
        )
    return hashlib.scrypt(
        _bytes(password),
        salt=salt,
        n=2**cost.ln,
        r=cost.r,
        p=cost.p,
        maxmem=cost.memory + 1024 * 1024,
        dklen=length,
    )


def _bytes(secret: Secret) -> bytes:
    """One spelling for what looks the same: keyboards differ in how they write an ``é``."""
    return unicodedata.normalize("NFC", secret.reveal()).encode("utf-8", "surrogatepass")
