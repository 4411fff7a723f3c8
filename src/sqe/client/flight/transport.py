"""One session on a server: login, statements, its schema, goodbye."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from weakref import WeakSet

import pyarrow.flight as flight

from sqe import __version__
from sqe.client.flight.errors import foreign_errors
from sqe.client.flight.files import send_file
from sqe.client.flight.headers import Kept
from sqe.client.flight.options import FlightOptions
from sqe.client.flight.prepared import Sent
from sqe.client.flight.query import FlightQuery
from sqe.client.flight.wire import pack, parse_message, unpack
from sqe.errors import SqeError
from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.model.names import SchemaName
from sqe.model.query import Parameter

_LEAVE_S = 5.0  # for calls that are under way when the connection is closed
_LOGIN_S = 30.0  # for a server that is there to say who we are


class FlightTransport:
    def __init__(self, options: FlightOptions, source: str) -> None:
        self._address = options.address
        self._kept = Kept(options.credential, options.header_source)
        self._closed = False
        self._queries: WeakSet[FlightQuery] = WeakSet()  # a thread that works holds its own
        with foreign_errors(self._address):
            self._client = options.connect(
                middleware=[self._kept],
                generic_options=[("grpc.primary_user_agent", f"{source}/{__version__}")],
            )
        try:
            self.schema()  # a wrong password is said now, not with the first statement
        except BaseException:
            self._client.close()
            raise

    def execute(
        self, text: str, parameters: Sequence[Parameter] = (), transaction: str = ""
    ) -> FlightQuery:
        return self._run(Sent(text, tuple(parameters), transaction.encode()))

    def execute_rows(
        self, text: str, rows: Sequence[Sequence[Parameter]], transaction: str = ""
    ) -> FlightQuery:
        sent = Sent(text, transaction=transaction.encode(), rows=tuple(map(tuple, rows)))
        return self._run(sent)

    def _run(self, sent: Sent) -> FlightQuery:
        query = FlightQuery(self, sent)
        self._queries.add(query)
        return query

    def offer(self, path: str, sent: Callable[[int], None]) -> str:
        return send_file(self, path, sent)

    def begin(self) -> str:
        answer = self.action("BeginTransaction", pack(sql.ActionBeginTransactionRequest()))
        return unpack(sql.ActionBeginTransactionResult, answer).transaction_id.decode()

    def commit(self, transaction: str) -> None:
        self._end(transaction, sql.ActionEndTransactionRequest.END_TRANSACTION_COMMIT)

    def rollback(self, transaction: str) -> None:
        self._end(transaction, sql.ActionEndTransactionRequest.END_TRANSACTION_ROLLBACK)

    def _end(self, transaction: str, how: sql.ActionEndTransactionRequest.EndTransaction) -> None:
        request = sql.ActionEndTransactionRequest(transaction_id=transaction.encode(), action=how)
        self.action("EndTransaction", pack(request))

    def schema(self) -> SchemaName:
        request = messages.GetSessionOptionsRequest()
        answer = self.action("GetSessionOptions", request.SerializeToString(), timeout=_LOGIN_S)
        options = parse_message(messages.GetSessionOptionsResult, answer).session_options
        path = options["schema"].string_value.split(".")
        return SchemaName(options["catalog"].string_value, tuple(path))

    def user(self) -> str:
        return self.action("sqe.WhoAmI", b"", timeout=_LOGIN_S).decode()

    def close(self) -> None:
        self._closed = True
        queries = list(self._queries)
        for query in queries:
            query.stop()
        with suppress(SqeError):  # it may have ended by itself
            request = messages.CloseSessionRequest()
            self.action("CloseSession", request.SerializeToString(), timeout=_LOGIN_S)
        end = time.monotonic() + _LEAVE_S
        left = [query.has_left(max(0.0, end - time.monotonic())) for query in queries]
        if all(left):
            self._client.close()
        # Otherwise whoever lets go of it last closes it: what a call works with must not be freed.

    def action(self, kind: str, body: bytes, *, timeout: float | None = None) -> bytes:
        """The body of the action's one answer."""
        with foreign_errors(self._address):
            results = list(
                self._client.do_action(flight.Action(kind, body), self.options(timeout=timeout))
            )
        return bytes(results[0].body) if results else b""

    def options(self, tag: str = "", timeout: float | None = None) -> flight.FlightCallOptions:
        """``tag`` is the name of a statement before the server has given it one."""
        headers = [(b"x-sqe-query-tag", tag.encode())] if tag else []
        return flight.FlightCallOptions(timeout=timeout, headers=headers)

    @property
    def client(self) -> flight.FlightClient:
        return self._client

    @property
    def closed(self) -> bool:
        """By its owner; calls that are under way end with errors of gRPC's."""
        return self._closed

    @property
    def address(self) -> str:
        return self._address
