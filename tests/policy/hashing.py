"""Keyed hashes worked out in Python."""

from __future__ import annotations

import hashlib
import hmac

from pydantic import SecretStr

from sqe.settings.policy import PolicySettings

HASH_KEYS = {"default": "the key of the hash mask", "second": "another", "empty": ""}
POLICY = PolicySettings(hash_keys={name: SecretStr(key) for name, key in HASH_KEYS.items()})


def hashed(value: bytes, key: str = HASH_KEYS["default"]) -> str:
    inner = hashlib.sha256(subkey("inner", key) + value).hexdigest().encode()
    return hashlib.sha256(subkey("outer", key) + inner).hexdigest()


def subkey(purpose: str, key: str = HASH_KEYS["default"]) -> bytes:
    message = f"sqe hash mask, {purpose}".encode()
    return b"sqekey" + hmac.new(key.encode(), message, hashlib.sha256).hexdigest().encode()
