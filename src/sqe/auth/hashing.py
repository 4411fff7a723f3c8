"""Hashes of passwords (slow on purpose) and of tokens (random already, so quick)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata

from sqe.model.identity import Secret
from sqe.model.password_hash import PasswordHash, ScryptCost

_TOKEN_PREFIX = "sqe_"  # noqa: S105  so that people and secret scanners know one when they see it
_DIGEST = 32


def hash_password(password: Secret, cost: ScryptCost | None = None) -> PasswordHash:
    cost = cost or ScryptCost()
    salt = secrets.token_bytes(16)
    return PasswordHash(cost, salt, _scrypt(password, cost, salt, _DIGEST))


def is_password(password: Secret, known: PasswordHash) -> bool:
    """Takes the same time whether it is or not."""
    digest = _scrypt(password, known.cost, known.salt, len(known.digest))
    return hmac.compare_digest(digest, known.digest)


def nobodys_hash(cost: ScryptCost) -> PasswordHash:
    """No password fits it. Checked for users who do not exist, so that they take as long."""
    return PasswordHash(cost, secrets.token_bytes(16), secrets.token_bytes(_DIGEST))


def new_token() -> Secret:
    return Secret(_TOKEN_PREFIX + secrets.token_urlsafe(32))


def hash_token(token: Secret) -> bytes:
    """Good for tokens nobody can guess: see ``new_token``."""
    return hashlib.sha256(_bytes(token)).digest()


def _scrypt(password: Secret, cost: ScryptCost, salt: bytes, length: int) -> bytes:
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
