"""Slows down who guesses passwords, without shutting a user out by name: decision 0038."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import ErrorCode, ResourceError

_MOST = 50_000  # keys, and known pairs, that are remembered
_NAME = 200  # characters of a name that tell keys apart
_KNOWN_S = 12 * 3600.0
_NO_ADDRESS_S = 2.0  # the longest delay where nobody can tell two clients apart


@dataclass(frozen=True, slots=True)
class _Rule:
    """``free`` failures go without a delay; one is forgotten every ``forget_s``."""

    free: int
    forget_s: float
    longest_s: float


@dataclass(slots=True)
class _Failures:
    count: float = 0.0
    at: float = 0.0
    until: float = 0.0  # no attempt before


class TooManyLogins(ResourceError):
    """``seconds``: when the next attempt is looked at."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        unit = "second" if self.seconds == 1 else "seconds"
        super().__init__(
            ErrorCode.TOO_MANY_LOGINS,
            "Too many logins have failed.",
            hint=f"Try again in {self.seconds} {unit}.",
        )


_Key = tuple[str, str]  # of a user and an address; either is empty where it does not matter


class LoginAttempts:
    """Counts wrong passwords by user and address, by address, and by user. Thread-safe.

    A pair of user and address that was good lately is held to its own count only: neither a
    neighbour behind the same address nor somebody who guesses from elsewhere can slow it down.
    """

    def __init__(self, free: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pair = _Rule(free, 600.0, 60.0)
        self._address = _Rule(free * 10, 10.0, 10.0)
        self._user = _Rule(free * 20, 10.0, 10.0)
        self._lock = threading.Lock()
        self._failures: OrderedDict[_Key, _Failures] = OrderedDict()
        self._known: OrderedDict[_Key, float] = OrderedDict()

    def check(self, user: str, address: str) -> None:
        """TOO_MANY_LOGINS while an attempt would not be looked at. It is no attempt then: the delay
        stays as long as it was."""
        now = self._clock()
        with self._lock:
            failures = [self._failures.get(key) for key in self._rules(user, address, now)]
        seconds = max((one.until - now for one in failures if one is not None), default=0.0)
        if seconds > 0:
            raise TooManyLogins(seconds)

    def note_failure(self, user: str, address: str) -> None:
        now = self._clock()
        with self._lock:
            for key, rule in self._rules(user, address, now).items():
                self._count(key, rule, now)

    def note_success(self, user: str, address: str) -> None:
        pair = (user[:_NAME], address)
        with self._lock:
            self._failures.pop(pair, None)
            if address:
                self._known.pop(pair, None)
                self._known[pair] = self._clock() + _KNOWN_S
                _drop_oldest(self._known)

    def _rules(self, user: str, address: str, now: float) -> dict[_Key, _Rule]:
        pair = (user[:_NAME], address)
        if not address:
            return {pair: _Rule(self._pair.free, self._pair.forget_s, _NO_ADDRESS_S)}
        if self._known.get(pair, 0.0) > now:
            return {pair: self._pair}
        # No user has an empty name, and no address is "*".
        return {pair: self._pair, ("", address): self._address, (pair[0], "*"): self._user}

    def _count(self, key: _Key, rule: _Rule, now: float) -> None:
        failures = self._failures.pop(key, None) or _Failures(at=now)
        failures.count = max(0.0, failures.count - (now - failures.at) / rule.forget_s) + 1
        failures.at = now
        beyond = failures.count - rule.free
        if beyond > 0:
            failures.until = now + min(rule.longest_s, 2.0 ** min(beyond - 1, 10.0))
        self._failures[key] = failures
        _drop_oldest(self._failures)


def _drop_oldest(entries: OrderedDict[_Key, _Failures] | OrderedDict[_Key, float]) -> None:
    while len(entries) > _MOST:
        entries.popitem(last=False)
