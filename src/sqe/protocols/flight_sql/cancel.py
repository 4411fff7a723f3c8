"""Cancelling a query by its FlightInfo, and keeping a result a while longer."""

from __future__ import annotations

import time
from contextlib import suppress

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.gateway.gateway import Gateway
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.statements import Waiting
from sqe.protocols.flight_sql.tagged import TaggedQueries
from sqe.protocols.flight_sql.tickets import Tickets
from sqe.protocols.flight_sql.wire import parse_as, unpack


class Cancelling:
    def __init__(self, gateway: Gateway, results: Tickets[Waiting], tagged: TaggedQueries) -> None:
        self._gateway = gateway
        self._results = results
        self._tagged = tagged

    def cancel(self, caller: FlightCaller, info: messages.FlightInfo) -> messages.CancelStatus:
        """Stops every query that the info stands for."""
        query_ids = [self._query_id(caller, bytes(e.ticket.ticket)) for e in info.endpoint]
        if not info.endpoint:
            query_ids = [
                self._tagged.query_id(caller, info.app_metadata.decode("ascii", "replace"))
            ]
        ended = [self._gateway.record(query_id).state.ended for query_id in query_ids]
        for query_id in query_ids:
            self._gateway.cancel(query_id)
        for endpoint in info.endpoint:
            with suppress(SqeError):  # its reader may have ended it already
                self._results.end(_handle(bytes(endpoint.ticket.ticket)) or b"", caller.user)
        done = all(ended)
        return messages.CANCEL_STATUS_NOT_CANCELLABLE if done else messages.CANCEL_STATUS_CANCELLED

    def cancel_serialized(self, caller: FlightCaller, info: bytes) -> messages.CancelStatus:
        return self.cancel(caller, parse_as(messages.FlightInfo, info))

    def renew(
        self, caller: FlightCaller, endpoint: messages.FlightEndpoint
    ) -> messages.FlightEndpoint:
        """The endpoint with its new end. A question about metadata has none."""
        handle = _handle(bytes(endpoint.ticket.ticket))
        renewed = messages.FlightEndpoint()
        renewed.CopyFrom(endpoint)
        if handle is not None:
            seconds = self._results.renew(handle, caller.user)
            renewed.expiration_time.FromNanoseconds(int((time.time() + seconds) * 1e9))
        return renewed

    def _query_id(self, caller: FlightCaller, ticket: bytes) -> str:
        handle = _handle(ticket)
        if handle is None:
            raise UserError(ErrorCode.QUERY_NOT_FOUND, "The ticket is not that of a query.")
        return self._results.look(handle, caller.user).query_id


def _handle(ticket: bytes) -> bytes | None:
    try:
        message = unpack(ticket)
    except SqeError:
        return None
    if not isinstance(message, sql.TicketStatementQuery):
        return None
    return message.statement_handle
