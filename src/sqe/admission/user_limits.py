"""What one user may take: how long, how much of what is read and answered, how many queries in a
minute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqe.errors import ErrorCode, ResourceError
from sqe.model.identity import Identity

_MINUTE_S = 60.0
_MB = 1024 * 1024
_EVERYBODY = None  # in place of a user's name
_REMEMBERED = 10_000  # users; those who have all of their queries left are forgotten first


@dataclass(frozen=True, slots=True, order=True)
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
    queued_s: Limit = Limit(0, "limits.queued_s")
    planning_s: Limit = Limit(0, "limits.planning_timeout_s")
    total_s: Limit = Limit(0, "limits.total_timeout_s")
    scan_mb: Limit = Limit(0, "limits.scan_mb")

    @property
    def longest_wait(self) -> Limit:
        """For its turn."""
        return min((one for one in (self.queued_s, self.total_s) if one), default=self.queued_s)

    def longest_run(self, waited_s: float) -> tuple[float, ResourceError] | None:
        """Seconds from now on, of a query that has waited that long, and what ends it then."""
        ends = []
        if self.run_s:
            ends.append((self.run_s.value, _timeout("ran", self.run_s)))
        if self.total_s:
            left = max(0.0, self.total_s.value - waited_s)
            ends.append((left, _timeout("took", self.total_s)))
        return min(ends, key=lambda end: end[0], default=None)

    @property
    def longest_planning(self) -> tuple[float, ResourceError] | None:
        """The same, for its planning."""
        limit = self.planning_s
        return (limit.value, _timeout("was planned", limit)) if limit else None

    def check_scan(self, size: int) -> None:
        """``size`` in bytes: of the files that are left after pruning, or what was read so far."""
        if self.scan_mb and size > self.scan_mb.value * _MB:
            raise ResourceError(
                ErrorCode.SCAN_TOO_LARGE,
                f"The query reads more than {self.scan_mb.value:,.0f} MB; "
                f"{self.scan_mb.setting} allows no more.",
                hint="Filter by a partition column, or read fewer columns.",
            )

    def check_result(self, rows: int, size: int) -> None:
        """``size`` in bytes; both so far."""
        if self.result_rows and rows > self.result_rows.value:
            raise _too_large(f"{self.result_rows.value:,.0f} rows", self.result_rows)
        if self.result_mb and size > self.result_mb.value * _MB:
            raise _too_large(f"{self.result_mb.value:,.0f} MB", self.result_mb)


@dataclass(frozen=True, slots=True)
class LimitRule:
    """For whoever is named, or has a group or role that is named; with none: for all."""

    limits: UserLimits
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    def fits(self, identity: Identity) -> bool:
        if not self.users and not self.groups and not self.roles:
            return True
        return (
            identity.user in self.users
            or not self.groups.isdisjoint(identity.groups)
            or not self.roles.isdisjoint(identity.roles)
        )


class LimitRules:
    """The first rule that fits holds. Thread-safe."""

    def __init__(
        self,
        rules: Sequence[LimitRule] = (),
        clock: Callable[[], float] = time.monotonic,
        of_all: Limit = Limit(0, "limits.queries_per_minute_of_all"),  # noqa: B008  frozen
    ) -> None:
        """``of_all``: queries that all users together may send in a minute."""
        self._rules = tuple(rules)
        self._of_all = of_all
        self._clock = clock
        self._lock = threading.Lock()
        # Queries, and when they were counted.
        self._left: dict[str | None, tuple[float, float]] = {}

    def limits_of(self, identity: Identity) -> UserLimits:
        return next((rule.limits for rule in self._rules if rule.fits(identity)), UserLimits())

    def count_query(self, identity: Identity) -> None:
        """Takes one of the user's queries, which come back evenly over a minute, and one of
        everybody's."""
        of_user = self.limits_of(identity).per_minute
        with self._lock:
            wait = self._take(identity.user, of_user)
            if wait:
                raise _too_many("You have", of_user, wait)
            wait = self._take(_EVERYBODY, self._of_all)
        if wait:
            raise _too_many("All users together have", self._of_all, wait)

    def _take(self, whose: str | None, limit: Limit) -> float:
        """Seconds to wait until there is one; 0: it was taken. The lock is held."""
        if not limit:
            return 0.0
        now = self._clock()
        left, since = self._left.pop(whose, (limit.value, now))
        left = min(limit.value, left + max(now - since, 0.0) * limit.value / _MINUTE_S)
        self._left[whose] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > _REMEMBERED:
            del self._left[next(iter(self._left))]  # who has asked for nothing for longest
        return 0.0 if left >= 1 else max((1 - left) * _MINUTE_S / limit.value, 1.0)


def _too_many(who: str, limit: Limit, wait: float) -> ResourceError:
    error = ResourceError(
        ErrorCode.TOO_MANY_QUERIES,
        f"{who} sent more than {limit.value:g} queries in a minute; "
        f"{limit.setting} allows no more.",
        hint=f"Try again in {wait:.0f} s.",
    )
    error.retry_s = wait
    return error


def _timeout(what: str, limit: Limit) -> ResourceError:
    return ResourceError(
        ErrorCode.TIMEOUT,
        f"The query {what} longer than {limit.value:g} s and was stopped: "
        f"{limit.setting} allows no more.",
    )


def _too_large(size: str, limit: Limit) -> ResourceError:
    return ResourceError(
        ErrorCode.RESULT_TOO_LARGE,
        f"The result has more than {size}; {limit.setting} allows no more.",
        hint="Aggregate, filter or LIMIT it, or write it to a table or file.",
    )
