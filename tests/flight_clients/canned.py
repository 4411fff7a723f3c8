"""What Arrow's integration client asks and wants to hear, over SQE's own wire layer.

Its statements are no SQL and its commands are not all of Flight SQL's, so the answers are canned:
everything between those answers and the bytes (messages, tickets, their times, prepared
statements, sessions, cookies, logging in) is what real clients meet.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, cast

import pyarrow as pa
import pyarrow.flight as flight

from sqe.auth.chain import Authenticators
from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.gateway.gateway import Gateway
from sqe.model.query import QueryRecord, QueryRequest, QueryState, RowsAffected
from sqe.protocols.flight_sql.actions import Actions
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.commands import Commands
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.protocols.flight_sql.session_options import SessionOptions
from sqe.protocols.flight_sql.wire import pack
from sqe.results.description import Description
from sqe.results.stream import ResultStream

_COLUMN = {
    "TABLE_NAME": "test",
    "IS_AUTO_INCREMENT": "1",
    "IS_CASE_SENSITIVE": "0",
    "TYPE_NAME": "type_test",
    "SCHEMA_NAME": "schema_test",
    "IS_SEARCHABLE": "1",
    "CATALOG_NAME": "catalog_test",
    "PRECISION": "100",
    "REMARKS": "test column",
}
QUERY = pa.schema(
    [pa.field("id", pa.int64(), metadata={f"ARROW:FLIGHT:SQL:{k}": v for k, v in _COLUMN.items()})]
)
NUMBER = pa.schema([pa.field("number", pa.uint32(), nullable=False)])
COUNTS = {"UPDATE STATEMENT": 10_000, "UPDATE PREPARED STATEMENT": 20_000}
QUERIES = ("SELECT STATEMENT", "SELECT PREPARED STATEMENT")


class CannedGateway:
    """Knows the client's statements; all else is answered by the gateway behind it."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._texts: dict[str, str] = {}
        self._numbers = itertools.count(1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def describe(self, request: QueryRequest) -> Description:
        if request.text in QUERIES:
            return Description((), QUERY)
        if request.text in COUNTS:
            return Description((), pa.schema([]), changes=True)
        return self._gateway.describe(request)

    def submit(self, request: QueryRequest, listener: Any = None) -> str:
        if request.text not in (*QUERIES, *COUNTS) and not request.text.startswith("number "):
            return self._gateway.submit(request, listener)
        query_id = f"canned_{next(self._numbers)}"
        self._texts[query_id] = request.text
        return query_id

    def run_rows(
        self, request: QueryRequest, started: Callable[[str], None]
    ) -> RowsAffected | None:
        if request.text not in COUNTS:
            return self._gateway.run_rows(request, started)
        started(self.submit(request))
        return RowsAffected(updated=COUNTS[request.text])

    def fetch(self, query_id: str) -> ResultStream:
        text = self._texts.get(query_id)
        if text is None:
            return self._gateway.fetch(query_id)
        if text.startswith("number "):
            batch = pa.record_batch([pa.array([int(text.split()[1])], pa.uint32())], schema=NUMBER)
            return ResultStream((), NUMBER, [batch])
        if text in COUNTS:
            changed = RowsAffected(updated=COUNTS[text])
            return ResultStream((), pa.schema([]), [], affected=lambda: changed)
        return ResultStream((), QUERY, [])

    def record(self, query_id: str) -> QueryRecord:
        if query_id not in self._texts:
            return self._gateway.record(query_id)
        return QueryRecord(query_id, "ann", self._texts[query_id], QueryState.RUNNING, 0.0)

    def cancel(self, query_id: str) -> None:
        if query_id not in self._texts:
            self._gateway.cancel(query_id)


class CannedOptions(SessionOptions):
    """A session with options of any name and type, but for ``lol_invalid``."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(gateway)
        self._kept: dict[str, dict[str, messages.SessionOptionValue]] = {}

    def set(
        self, caller: FlightCaller, request: messages.SetSessionOptionsRequest
    ) -> messages.SetSessionOptionsResult:
        result = messages.SetSessionOptionsResult()
        kept = self._kept.setdefault(caller.session.id, {})
        for name, value in request.session_options.items():
            if name == "lol_invalid":
                result.errors[name].value = messages.SetSessionOptionsResult.INVALID_NAME
            elif value.string_value == "lol_invalid":
                result.errors[name].value = messages.SetSessionOptionsResult.INVALID_VALUE
            elif value.WhichOneof("option_value") is None:
                kept.pop(name, None)
            else:
                kept[name] = value
        return result

    def get(self, caller: FlightCaller) -> messages.GetSessionOptionsResult:
        result = messages.GetSessionOptionsResult()
        for name, value in self._kept.get(caller.session.id, {}).items():
            result.session_options[name].CopyFrom(value)
        return result


class CannedActions(Actions):
    """With the one without a name, which tells who asks."""

    def act(self, caller: FlightCaller, name: str, body: bytes) -> list[bytes]:
        return [caller.user.encode()] if not name else super().act(caller, name, body)


class CannedCommands(Commands):
    """With the client's own commands: ``expiration_time``, ``success`` and the empty one."""

    def info(self, caller: FlightCaller, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        command = bytes(descriptor.command or b"")
        sent = caller.call.header("x-middleware")
        if sent:
            caller.context.add_header("x-middleware", sent)
        if command == b"success":
            return flight.FlightInfo(pa.schema([]), descriptor, [], -1, -1)
        if command == b"expiration_time":
            return self._numbers(caller, descriptor)
        return super().info(caller, descriptor)

    def _numbers(
        self, caller: FlightCaller, descriptor: flight.FlightDescriptor
    ) -> flight.FlightInfo:
        """Three results. The client wants the first without an end; the others keep theirs."""
        endpoints = []
        for number in range(3):
            query = pack(sql.CommandStatementQuery(query=f"number {number}"))
            found = super().info(caller, flight.FlightDescriptor.for_command(query))
            endpoints += found.endpoints
        endpoints[0] = flight.FlightEndpoint(endpoints[0].ticket, [])
        return flight.FlightInfo(NUMBER, descriptor, endpoints, -1, -1)


def canned_server(gateway: Gateway, authenticators: Authenticators) -> FlightSqlServer:
    """SQE's server with these parts in the places of its own."""
    options = FlightOptions()
    canned = cast("Gateway", CannedGateway(gateway))
    server = FlightSqlServer(canned, authenticators, options)
    commands = CannedCommands(canned, options)
    parts = vars(commands.actions) | {"options": CannedOptions(canned)}
    commands.actions = CannedActions(**parts)
    server._commands = commands
    return server
