"""What one user may take: how long, how many rows, how many queries in a minute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqe.errors import ErrorCode, ResourceError
from sqe.model.identity import Identity

_MINUTE_S = 60.0
_REMEMBERED = 10_000  # users; those who have all of their queries left are forgotten first


@dataclass(frozen=True, slots=True)
class Limit:
    """``setting`` is what it is called where it was set. 0: no limit."""

    value: float
    setting: str

    def __bool__(self) -> bool:
        return self.value > 0


@dataclass(frozen=True, slots=True)
class UserLimits:
    run_s: Limit = Limit(0, "limits.query_timeout_s")
    result_rows: Limit = Limit(0, "limits.result_rows")
    result_mb: Limit = Limit(0, "limits.result_mb")
    per_minute: Limit = Limit(0, "limits.queries_per_minute")

    def timeout(self) -> ResourceError:
        return ResourceError(
            ErrorCode.TIMEOUT,
            f"The query ran longer than {self.run_s.value:g} s and was stopped: "
            f"{self.run_s.setting} allows no more.",
        )

    def check_result(self, rows: int, size: int) -> None:
        """``size`` in bytes; both so far."""
        if self.result_rows and rows > self.result_rows.value:
            raise _too_large(f"{self.result_rows.value:,.0f} rows", self.result_rows)
        if self.result_mb and size > self.result_mb.value * 1024 * 1024:
            raise _too_large(f"{self.result_mb.value:,.0f} MB", self.result_mb)


@dataclass(frozen=True, slots=True)
class LimitRule:
    """For whoever is named, or in a group that is named; with neither: for all."""

    limits: UserLimits
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def fits(self, identity: Identity) -> bool:
        if not self.users and not self.groups:
            return True
        return identity.user in self.users or not self.groups.isdisjoint(identity.groups)


class LimitRules:
    """The first rule that fits holds. Thread-safe."""

    def __init__(
        self, rules: Sequence[LimitRule] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rules = tuple(rules)
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}  # queries, and when they were counted

    def limits_of(self, identity: Identity) -> UserLimits:
        return next((rule.limits for rule in self._rules if rule.fits(identity)), UserLimits())

    def count_query(self, identity: Identity) -> None:
        """Takes one of the user's queries, which come back evenly over a minute."""
        limit = self.limits_of(identity).per_minute
        if not limit:
            return
        now = self._clock()
        with self._lock:
            left, since = self._left.pop(identity.user, (limit.value, now))
            left = min(limit.value, left + max(now - since, 0.0) * limit.value / _MINUTE_S)
            self._left[identity.user] = (left - 1 if left >= 1 else left, now)
            while len(self._left) > _REMEMBERED:
                del self._left[next(iter(self._left))]  # who has asked for nothing for longest
        if left < 1:
            wait = (1 - left) * _MINUTE_S / limit.value
            raise ResourceError(
                ErrorCode.TOO_MANY_QUERIES,
                f"You have sent more than {limit.value:g} queries in a minute; "
                f"{limit.setting} allows no more.",
                hint=f"Try again in {max(wait, 1):.0f} s.",
            )


def _too_large(size: str, limit: Limit) -> ResourceError:
    return ResourceError(
        ErrorCode.RESULT_TOO_LARGE,
        f"The result has more than {size}; {limit.setting} allows no more.",
        hint="Aggregate, filter or LIMIT it, or write it to a table or file.",
    )
