"""How many sessions there may be, and how long one may last."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.errors import ErrorCode, ResourceError, SqeError, UserError
from sqe.model.passport import login_expired
from sqe.sessions.session import Session

_LOOK_S = 1.0  # a query must not run for much longer than its user's login
_AGAIN = "Open a new one. Temporary views and settings of the old one are gone."


@dataclass(frozen=True, slots=True)
class SessionCounts:
    total: int = 2_000
    per_user: int = 500

    def check(self, open_: int, of_user: int) -> None:
        """Whether there may be one more."""
        if of_user >= self.per_user:
            raise ResourceError(
                ErrorCode.TOO_MANY_SESSIONS,
                f"You have {of_user} open sessions; limits.sessions_per_user allows no more.",
                hint="Close connections you do not use.",
            )
        if open_ >= self.total:
            raise ResourceError(
                ErrorCode.TOO_MANY_SESSIONS,
                f"{open_} sessions are open; limits.sessions allows no more.",
                hint="Try again later.",
            )


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """In seconds; 0 is for ever.

    ``renewal_s``: a session whose login has expired, and in which nothing runs, waits for a newer
    token of the same login. Meanwhile nothing can be done in it, but what was set in it is kept.
    """

    idle_s: float = 0.0
    absolute_s: float = 0.0
    renewal_s: float = 300.0

    def over(self, session: Session) -> SqeError | None:
        """Why the session has to end, or None while it may go on."""
        waited = session.login_over_for()
        if waited is not None and (session.running or waited >= self.renewal_s):
            return login_expired()
        if 0 < self.absolute_s <= session.age:
            why = f"The session was open for {_words(self.absolute_s)}, the longest there is."
        elif 0 < self.idle_s <= session.idle:
            why = f"The session was idle for {_words(self.idle_s)}."
        else:
            return None
        return UserError(ErrorCode.SESSION_EXPIRED, why, hint=_AGAIN)

    @property
    def look_every_s(self) -> float:
        """Often enough that a session lasts little longer than it may."""
        limits = [limit for limit in (self.idle_s, self.absolute_s) if limit > 0]
        return min([_LOOK_S, *(max(0.02, limit / 4) for limit in limits)])


def _words(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
