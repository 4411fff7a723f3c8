"""The keys of hash masks. They come from the settings and go to the engine beside the text."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.model.identity import Secret

# What every subkey begins with, so that one is found and struck out wherever it may show up.
MARK = "sqekey"
PATTERN = f"{MARK}[0-9a-f]{{64}}"


@dataclass(frozen=True)
class HashKeys:
    keys: Mapping[str, Secret] = field(default_factory=dict, repr=False)

    def subkeys(self, name: str) -> tuple[Secret, Secret] | None:
        """Two, for the outer and the inner hash. None where the settings have no such key."""
        key = self.keys.get(name)
        if key is None or not key.reveal():
            return None
        outer, inner = (_derive_key(key, purpose) for purpose in ("outer", "inner"))
        return outer, inner


def _derive_key(key: Secret, purpose: str) -> Secret:
    message = f"sqe hash mask, {purpose}".encode()
    return Secret(MARK + hmac.new(key.reveal().encode(), message, hashlib.sha256).hexdigest())
