"""All open sessions of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.sessions.session import Session


class SessionStore:
    """``on_close`` listeners free what they hold for a session, e.g. its Spark session."""

    def __init__(self, default_schema: SchemaName) -> None:
        self._default = default_schema
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._listeners: list[Callable[[Session], None]] = []

    def on_close(self, listener: Callable[[Session], None]) -> None:
        self._listeners.append(listener)

    def open(self, identity: Identity, schema: SchemaName | None = None) -> Session:
        session = Session(identity, schema or self._default, self.close)
        with self._lock:
            self._sessions[session.id] = session
        return session

    def get(self, session_id: str) -> Session:
        with self._lock:
            session = self._sessions.get(session_id)
        if session is None:
            raise UserError(
                ErrorCode.SESSION_NOT_FOUND,
                "The session does not exist or has ended.",
                hint="Open a new one.",
            )
        return session

    def close(self, session_id: str) -> None:
        with self._lock:
            session = self._sessions.pop(session_id, None)
        if session is not None:
            for listener in self._listeners:
                listener(session)

    def close_all(self) -> None:
        with self._lock:
            ids = list(self._sessions)
        for session_id in ids:
            self.close(session_id)
