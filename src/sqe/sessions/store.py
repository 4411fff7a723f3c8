"""All open sessions of this process."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.errors import ErrorCode, ResourceError, SqeError, UserError
from sqe.model.access_event import UNRECORDED, AccessEvent, AccessKind, AccessRecorder
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import EMBEDDED, QueryOrigin
from sqe.sessions.limits import Lifetimes, SessionCounts
from sqe.sessions.session import Session

_log = logging.getLogger(__name__)
_REMEMBERED = 10_000  # expired sessions whose owners are told so, not just that there is none


class SessionStore:
    """``on_close`` listeners free what they hold for a session, e.g. its Spark session. With a
    session its passport ends, which is nobody else's."""

    def __init__(
        self,
        default_schema: SchemaName,
        counts: SessionCounts | None = None,
        clock: Callable[[], float] = time.monotonic,
        recorder: AccessRecorder = UNRECORDED,
    ) -> None:
        self._recorder = recorder
        self._default = default_schema
        self._counts = counts or SessionCounts()
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._expired: OrderedDict[str, SqeError] = OrderedDict()
        self._listeners: list[Callable[[Session], None]] = []

    def limit(self, counts: SessionCounts) -> None:
        """Of those that are opened from now on."""
        self._counts = counts

    def on_close(self, listener: Callable[[Session], None]) -> None:
        self._listeners.append(listener)

    def open(
        self, identity: Identity, schema: SchemaName | None = None, origin: QueryOrigin = EMBEDDED
    ) -> Session:
        session = Session(identity, schema or self._default, self.close, self._clock, origin)
        try:
            with self._lock:
                mine = sum(1 for s in self._sessions.values() if s.identity.user == identity.user)
                self._counts.check(len(self._sessions), mine)
                self._sessions[session.id] = session
        except ResourceError:
            self._note(AccessKind.SESSION_REFUSED, session, "")
            raise
        self._note(AccessKind.SESSION_OPENED, session, session.id)
        return session

    def get(self, session_id: str) -> Session:
        with self._lock:
            session = self._sessions.get(session_id)
            expired = self._expired.get(session_id)
        if session is None:
            raise expired or _session_ended()
        return session

    def close(self, session_id: str) -> None:
        with self._lock:
            session = self._sessions.get(session_id)
        if session is not None and session.end(lambda _: _session_ended()):
            self._release(session)

    def close_all(self) -> None:
        with self._lock:
            ids = list(self._sessions)
        for session_id in ids:
            self.close(session_id)

    def expire(self, lifetimes: Lifetimes) -> int:
        """Closes the sessions whose time is over; answers how many."""
        with self._lock:
            sessions = list(self._sessions.values())
        count = 0
        for session in sessions:
            if session.end(lifetimes.over):
                self._remember(session)
                self._release(session)
                count += 1
        return count

    def _remember(self, session: Session) -> None:
        with self._lock:
            if session.expiry is not None:
                self._expired[session.id] = session.expiry
            while len(self._expired) > _REMEMBERED:
                self._expired.popitem(last=False)

    @property
    def count(self) -> int:
        """How many are open."""
        with self._lock:
            return len(self._sessions)

    def _release(self, session: Session) -> None:
        with self._lock:
            self._sessions.pop(session.id, None)
        why = "closed" if session.expiry is None else "expired"
        self._note(AccessKind.SESSION_ENDED, session, session.id, why)
        for listener in self._listeners:
            try:
                listener(session)
            except Exception:  # noqa: BLE001
                # What another holds must be freed all the same.
                _log.exception("something of an ended session could not be freed")
        if session.identity.passport is not None:
            session.identity.passport.end()

    def _note(self, kind: AccessKind, session: Session, session_id: str, reason: str = "") -> None:
        user = session.identity.user
        self._recorder.note_access(
            AccessEvent(
                kind, time.time(), user, session.origin, session_id=session_id, reason=reason
            )
        )


def _session_ended() -> UserError:
    return UserError(
        ErrorCode.SESSION_NOT_FOUND,
        "The session does not exist or has ended.",
        hint="Open a new one.",
    )
