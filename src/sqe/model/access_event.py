"""What people do around queries: logging in, opening sessions, acting as others, killing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqe.model.query import EMBEDDED, QueryOrigin


class AccessKind(Enum):
    """The value is the event's name in the audit log."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    SESSION_OPENED = "session_opened"
    SESSION_REFUSED = "session_refused"
    SESSION_ENDED = "session_ended"
    IMPERSONATION = "impersonation"
    IMPERSONATION_REFUSED = "impersonation_refused"
    KILL = "kill"
    KILL_REFUSED = "kill_refused"
    CREDENTIAL_USED = "credential_used"  # to a store, by whom it is mapped to
    EVENTS_LOST = "events_lost"  # ``count`` of them, which could not be recorded before

    @property
    def is_refusal(self) -> bool:
        """Who causes it may be anybody."""
        return self.value.endswith(("_failed", "_refused"))


@dataclass(frozen=True, slots=True)
class AccessEvent:
    """It holds no credential. ``user``: of a login that failed, as claimed; of an impersonation,
    whom the principal of ``origin`` acts as."""

    kind: AccessKind
    at: float
    user: str
    origin: QueryOrigin = EMBEDDED
    method: str = ""  # the kind of credential that was shown
    reason: str = ""  # a class of them, never an error's text
    key_id: str = ""  # of the API key that was shown
    session_id: str = ""
    query_id: str = ""  # that was to be killed
    owner: str = ""  # whose query that is
    count: int = 1  # how often it has happened
    credential: str = ""  # of the settings, as catalog.name
    place: str = ""  # that it was used for


class AccessRecorder:
    """Is told of each event when it has happened, on any thread. This one keeps nothing."""

    def note_access(self, event: AccessEvent) -> None: ...

    def check(self) -> None:
        """Raises AUDIT_UNAVAILABLE while something is lost that must be recorded: then nobody gets
        in, and no query begins."""


UNRECORDED = AccessRecorder()
