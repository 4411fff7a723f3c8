"""One call of one client, as the handlers see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqe.model.query import QueryOrigin
from sqe.model.tracing import ClientTrace, client_trace_of
from sqe.protocols.flight_sql.credentials import CallMiddleware
from sqe.protocols.flight_sql.watch import Watch
from sqe.sessions.session import Session

TAG = "x-sqe-query-tag"  # a client's own name for the query it starts, to ask about it meanwhile


@dataclass(frozen=True, slots=True)
class FlightCaller:
    session: Session
    call: CallMiddleware
    context: Any
    watch: Watch
    origin: QueryOrigin

    @property
    def user(self) -> str:
        """Whose tickets and handles it may use."""
        return self.session.identity.user

    @property
    def source(self) -> str:
        return self.call.header("user-agent")[:200] or "flight-sql"

    @property
    def trace(self) -> ClientTrace:
        return client_trace_of(self.call.header)

    @property
    def tag(self) -> str:
        return self.call.header(TAG)[:64]

    def if_gone(self, stop: Callable[[], None]) -> None:
        """Calls ``stop`` if the client goes away before its call is over."""
        self.watch.until_end(self.context, self.call, stop)
