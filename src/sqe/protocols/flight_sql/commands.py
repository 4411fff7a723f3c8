"""From a message to its handler. A message that is not in these tables is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.flight as flight
from google.protobuf.message import Message

from sqe.errors import ErrorCode, UserError
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.gateway.gateway import Gateway
from sqe.protocols.flight_sql import metadata, sql_info, xdbc_types
from sqe.protocols.flight_sql.actions import Actions
from sqe.protocols.flight_sql.batches import Batches
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.cancel import Cancelling
from sqe.protocols.flight_sql.field_metadata import describe_schema
from sqe.protocols.flight_sql.file_upload import PATH as FILES
from sqe.protocols.flight_sql.file_upload import receive_file
from sqe.protocols.flight_sql.ingest import Destination, Ingest
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.parameters import Row
from sqe.protocols.flight_sql.reading import Put, Reading
from sqe.protocols.flight_sql.session_options import SessionOptions
from sqe.protocols.flight_sql.statements import PREPARED_S, FlightStatement, Statements, Waiting
from sqe.protocols.flight_sql.tagged import TaggedQueries
from sqe.protocols.flight_sql.tickets import Tickets
from sqe.protocols.flight_sql.wire import pack, unpack
from sqe.results.arrow_types import batch_of_rows

Question = tuple[Callable[[Any], pa.Schema], Callable[[FlightCaller, Any], pa.RecordBatch]]
_MOST_WAITING = 200  # results of one user that nobody has read yet


class Commands:
    """What the server can do, by message."""

    def __init__(self, gateway: Gateway, options: FlightOptions) -> None:
        self._gateway = gateway
        self._options = options
        self._results: Tickets[Waiting] = Tickets(options.ticket_s, _MOST_WAITING)
        tagged = TaggedQueries(gateway)
        self._statements = Statements(gateway, self._results, tagged)
        self._metadata = metadata.Metadata(gateway)
        self._info = sql_info.values(options.statement_bytes, int(PREPARED_S * 1000))
        cancelling = Cancelling(gateway, self._results, tagged)
        self.actions = Actions(
            gateway,
            self._statements,
            self._results,
            tagged,
            cancelling,
            SessionOptions(gateway),
        )
        self._questions = self._all_questions()
        self._queries: dict[
            type[Message], Callable[[FlightCaller, Any], tuple[FlightStatement, list[Row]]]
        ] = {
            sql.CommandStatementQuery: lambda caller, m: (_statement(m), []),
            sql.CommandPreparedStatementQuery: self._find_bound,
        }
        self._puts: dict[type[Message], Callable[[FlightCaller, Any, Put], None]] = {
            sql.CommandStatementUpdate: self._update,
            sql.CommandPreparedStatementUpdate: self._update_prepared,
            sql.CommandPreparedStatementQuery: self._bind,
            sql.CommandStatementIngest: self._ingest,
        }

    def info(self, caller: FlightCaller, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        """A query is started here; a question about metadata is its own ticket."""
        command = _command(descriptor)
        message = unpack(command)
        if type(message) in self._questions:
            schema = self._questions[type(message)][0](message)
            return _info(schema, descriptor, command)
        statement, rows = _handler(self._queries, message)(caller, message)
        waiting, handle = self._statements.query(caller, statement, rows)
        ticket = pack(sql.TicketStatementQuery(statement_handle=handle))
        until = time.time() + self._options.ticket_s
        return _info(waiting.schema, descriptor, ticket, until, waiting.query_id)

    def schema(
        self, caller: FlightCaller, descriptor: flight.FlightDescriptor
    ) -> flight.SchemaResult:
        message = unpack(_command(descriptor))
        if type(message) in self._questions:
            return flight.SchemaResult(self._questions[type(message)][0](message))
        if isinstance(message, sql.CommandPreparedStatementQuery):
            prepared = self._statements.find_prepared(caller, message.prepared_statement_handle)
            description = prepared.description
        else:
            statement, _ = _handler(self._queries, message)(caller, message)
            description = self._statements.describe(caller, statement)
        return flight.SchemaResult(describe_schema(description.schema, description.columns))

    def stream(self, caller: FlightCaller, ticket: bytes) -> flight.FlightDataStream:
        message = unpack(ticket)
        if type(message) in self._questions:
            schema_of, answer = self._questions[type(message)]
            batches = iter([answer(caller, message)])
            return self._send(caller, schema_of(message), batches, lambda: None)
        if not isinstance(message, sql.TicketStatementQuery):
            raise _message_error(message)
        handle = message.statement_handle
        waiting = self._results.read(handle, caller.user)

        def finish() -> None:
            waiting.close()
            self._results.drop(handle, caller.user)

        reading = Reading(finish, waiting.stop)
        caller.call.at_end(reading.over)
        caller.if_gone(reading.over)
        return self._send(caller, waiting.schema, waiting, reading.end)

    def put(self, caller: FlightCaller, descriptor: flight.FlightDescriptor, put: Put) -> None:
        if descriptor.descriptor_type == flight.DescriptorType.PATH and descriptor.path == FILES:
            with caller.session.busy():
                name = receive_file(self._gateway.uploads, caller.session.id, put)
            put.writer.write(name.encode())
            return
        message = unpack(_command(descriptor))
        _handler(self._puts, message)(caller, message, put)

    def close(self) -> None:
        self._results.close()
        self._statements.close()

    def _send(
        self,
        caller: FlightCaller,
        schema: pa.Schema,
        batches: Iterable[pa.RecordBatch],
        done: Callable[[], None],
    ) -> flight.FlightDataStream:
        compression = self._options.compression
        options = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
        pulled = Batches(
            iter(batches), done, self._options.message_bytes, caller.context.add_trailer
        )
        return flight.GeneratorStream(schema, pulled, options=options)

    def _all_questions(self) -> dict[type[Message], Question]:
        """Questions about metadata: the schema of the answer, and the answer."""
        ask = self._metadata

        def keys(schema: pa.Schema) -> Question:
            return (lambda _: schema), lambda caller, m: batch_of_rows(schema, [])

        return {
            sql.CommandGetSqlInfo: (
                lambda _: sql_info.SCHEMA,
                lambda caller, m: sql_info.answer(m.info, self._info),
            ),
            sql.CommandGetXdbcTypeInfo: (
                lambda _: xdbc_types.SCHEMA,
                lambda caller, m: xdbc_types.answer(
                    m.data_type if m.HasField("data_type") else None
                ),
            ),
            sql.CommandGetCatalogs: (
                lambda _: metadata.CATALOGS,
                lambda caller, m: ask.catalogs(caller),
            ),
            sql.CommandGetDbSchemas: (lambda _: metadata.SCHEMAS, ask.schemas),
            sql.CommandGetTables: (
                lambda m: metadata.TABLES_WITH_SCHEMA if m.include_schema else metadata.TABLES,
                ask.tables,
            ),
            sql.CommandGetTableTypes: (
                lambda _: metadata.TABLE_TYPES,
                lambda caller, m: ask.table_types(),
            ),
            sql.CommandGetPrimaryKeys: keys(metadata.PRIMARY_KEYS),
            sql.CommandGetExportedKeys: keys(metadata.FOREIGN_KEYS),
            sql.CommandGetImportedKeys: keys(metadata.FOREIGN_KEYS),
            sql.CommandGetCrossReference: keys(metadata.FOREIGN_KEYS),
        }

    def _find_bound(
        self, caller: FlightCaller, message: sql.CommandPreparedStatementQuery
    ) -> tuple[FlightStatement, list[Row]]:
        prepared = self._statements.find_prepared(caller, message.prepared_statement_handle)
        return prepared.statement, prepared.list_bound_rows()

    def _update(self, caller: FlightCaller, message: sql.CommandStatementUpdate, put: Put) -> None:
        count = self._statements.update(caller, _statement(message), [()])
        put.answer(sql.DoPutUpdateResult(record_count=count))

    def _update_prepared(
        self, caller: FlightCaller, message: sql.CommandPreparedStatementUpdate, put: Put
    ) -> None:
        prepared = self._statements.find_prepared(caller, message.prepared_statement_handle)
        rows = put.rows() or prepared.list_bound_rows() or [()]
        count = self._statements.update(caller, prepared.statement, rows)
        put.answer(sql.DoPutUpdateResult(record_count=count))

    def _bind(
        self, caller: FlightCaller, message: sql.CommandPreparedStatementQuery, put: Put
    ) -> None:
        handle = message.prepared_statement_handle
        self._statements.find_prepared(caller, handle).bind(put.rows())
        put.answer(sql.DoPutPreparedStatementResult(prepared_statement_handle=handle))

    def _ingest(self, caller: FlightCaller, message: sql.CommandStatementIngest, put: Put) -> None:
        wanted = message.table_definition_options
        to = Destination(
            message.table,
            message.schema or None,
            message.catalog or None,
            message.temporary,
            wanted.if_not_exist,
            wanted.if_exists,
            dict(message.options),
        )

        def stop_if_gone(query_id: str) -> None:
            caller.if_gone(lambda: self._statements.stop(query_id))

        load = Ingest(
            self._gateway,
            caller.session,
            _transaction(message),
            caller.source,
            caller.origin,
            caller.trace,
            stop_if_gone,
        )
        with caller.session.busy():
            rows = load.load(to, put.schema, put.batches())
        put.answer(sql.DoPutUpdateResult(record_count=rows))


def _statement(message: Any) -> FlightStatement:
    return FlightStatement(message.query, _transaction(message))


def _transaction(message: Any) -> str:
    return str(message.transaction_id.decode("ascii", "replace"))


def _info(
    schema: pa.Schema,
    descriptor: flight.FlightDescriptor,
    ticket: bytes,
    until: float | None = None,
    query_id: str = "",
) -> flight.FlightInfo:
    """Without a location: on the connection the client has. With one endpoint: no engine gives a
    result in parts that could be read apart."""
    end = None if until is None else pa.scalar(int(until * 1e6), pa.timestamp("us", tz="UTC"))
    endpoint = flight.FlightEndpoint(flight.Ticket(ticket), [], end)
    return flight.FlightInfo(schema, descriptor, [endpoint], -1, -1, app_metadata=query_id)


def _command(descriptor: flight.FlightDescriptor) -> bytes:
    if descriptor.descriptor_type != flight.DescriptorType.CMD:
        raise UserError(ErrorCode.INVALID_ARGUMENT, "A descriptor must be a command, not a path.")
    return bytes(descriptor.command or b"")


def _handler(table: dict[type[Message], Any], message: Message) -> Any:
    handler = table.get(type(message))
    if handler is None:
        raise _message_error(message)
    return handler


def _message_error(message: Message) -> UserError:
    return UserError(ErrorCode.NOT_SUPPORTED, f"{message.DESCRIPTOR.name} is not supported here.")
