"""What a password was found to be worth, for a short while."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from sqe.model.identity import Secret

_T = TypeVar("_T")
_MOST = 1_000


class Remembered(Generic[_T]):
    """Good passwords of the last minute, so that a client that sends its password with every call
    does not wait each time. Kept as digests under a key that dies with the process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, seconds: float = 60.0) -> None:
        self._clock = clock
        self._seconds = seconds
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, tuple[float, _T]] = OrderedDict()

    def get(self, user: str, password: Secret) -> _T | None:
        digest = self._digest(user, password)
        with self._lock:
            until, value = self._known.get(digest, (0.0, None))
            return value if until > self._clock() else None

    def add(self, user: str, password: Secret, value: _T) -> None:
        digest = self._digest(user, password)
        with self._lock:
            self._known.pop(digest, None)
            self._known[digest] = (self._clock() + self._seconds, value)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)

    def _digest(self, user: str, password: Secret) -> bytes:
        mac = hashlib.blake2b(key=self._key)
        for text in (user, password.reveal()):
            raw = text.encode("utf-8", "surrogatepass")
            mac.update(len(raw).to_bytes(8, "big") + raw)
        return mac.digest()
