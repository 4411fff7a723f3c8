"""DoAction: prepared statements, transactions, cancelling, session options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError
from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.gateway.gateway import Gateway
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.cancel import Cancelling
from sqe.protocols.flight_sql.field_metadata import describe_schema
from sqe.protocols.flight_sql.parameters import schema_of
from sqe.protocols.flight_sql.session_options import SessionOptions
from sqe.protocols.flight_sql.statements import FlightStatement, Statements, Waiting
from sqe.protocols.flight_sql.tagged import TaggedQueries
from sqe.protocols.flight_sql.tickets import Tickets
from sqe.protocols.flight_sql.wire import pack, parse_as, schema_bytes, unpack_as

_Action = Callable[[FlightCaller, bytes], list[bytes]]


@dataclass(frozen=True)
class Actions:
    gateway: Gateway
    statements: Statements
    results: Tickets[Waiting]
    tagged: TaggedQueries
    cancelling: Cancelling
    options: SessionOptions

    def act(self, caller: FlightCaller, name: str, body: bytes) -> list[bytes]:
        action = self._table().get(name)
        if action is None:
            raise UserError(ErrorCode.NOT_SUPPORTED, f"There is no action {name[:100]!r}.")
        return action[0](caller, body)

    def list_actions(self) -> list[tuple[str, str]]:
        return [(name, about) for name, (_, about) in self._table().items()]

    def _table(self) -> dict[str, tuple[_Action, str]]:
        return {
            "CreatePreparedStatement": (self._prepare, "Prepares a statement."),
            "ClosePreparedStatement": (self._forget, "Frees a prepared statement."),
            "BeginTransaction": (self._begin, "Begins a transaction."),
            "EndTransaction": (self._end, "Commits a transaction or takes it back."),
            "CancelFlightInfo": (self._cancel, "Stops a query."),
            "CancelQuery": (self._cancel_query, "Stops a query; CancelFlightInfo is newer."),
            "RenewFlightEndpoint": (self._renew, "Keeps a result longer."),
            "SetSessionOptions": (self._set, "Sets catalog, schema and properties."),
            "GetSessionOptions": (self._get, "The session's catalog, schema and properties."),
            "CloseSession": (self._close, "Ends the session."),
            "sqe.WhoAmI": (self._who, "The user that the session is of."),
            "sqe.QueryStatus": (self._status, "How far the query with a tag is, as JSON."),
        }

    def _who(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        return [caller.session.identity.user.encode()]

    def _prepare(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = unpack_as(sql.ActionCreatePreparedStatementRequest, body)
        statement = FlightStatement(
            request.query, request.transaction_id.decode("ascii", "replace")
        )
        handle, description = self.statements.prepare(caller, statement)
        # JDBC takes a statement for an update if there is no schema, whatever is_update says.
        rows = len(description.schema) > 0 and not description.changes
        answer = sql.ActionCreatePreparedStatementResult(
            prepared_statement_handle=handle,
            dataset_schema=schema_bytes(describe_schema(description.schema, description.columns))
            if rows
            else b"",
            parameter_schema=schema_bytes(schema_of(description.parameters)),
            is_update=not rows,
        )
        return [pack(answer)]

    def _forget(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = unpack_as(sql.ActionClosePreparedStatementRequest, body)
        self.statements.forget(caller, request.prepared_statement_handle)
        return []

    def _begin(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        unpack_as(sql.ActionBeginTransactionRequest, body)
        number = self.gateway.begin(caller.session.id)
        return [pack(sql.ActionBeginTransactionResult(transaction_id=number.encode()))]

    def _end(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = unpack_as(sql.ActionEndTransactionRequest, body)
        number = request.transaction_id.decode("ascii", "replace")
        if request.action == sql.ActionEndTransactionRequest.END_TRANSACTION_COMMIT:
            self.gateway.commit(caller.session.id, number)
        elif request.action == sql.ActionEndTransactionRequest.END_TRANSACTION_ROLLBACK:
            self.gateway.rollback(caller.session.id, number)
        else:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, "It is not said whether to commit or to roll back."
            )
        return []

    def _cancel(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = parse_as(messages.CancelFlightInfoRequest, body)
        status = self.cancelling.cancel(caller, request.info)
        return [messages.CancelFlightInfoResult(status=status).SerializeToString()]

    def _cancel_query(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = unpack_as(sql.ActionCancelQueryRequest, body)
        status = self.cancelling.cancel_serialized(caller, request.info)
        # The two messages number their answers alike.
        return [pack(sql.ActionCancelQueryResult(result=int(status)))]  # type: ignore[arg-type]

    def _renew(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = parse_as(messages.RenewFlightEndpointRequest, body)
        return [self.cancelling.renew(caller, request.endpoint).SerializeToString()]

    def _set(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        request = parse_as(messages.SetSessionOptionsRequest, body)
        return [self.options.set(caller, request).SerializeToString()]

    def _get(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        parse_as(messages.GetSessionOptionsRequest, body)
        return [self.options.get(caller).SerializeToString()]

    def _close(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        parse_as(messages.CloseSessionRequest, body)
        session = caller.session
        self.results.drop_session(session.id)
        self.statements.forget_session(session.id)
        self.tagged.forget_session(session.id)
        session.close()
        answer = messages.CloseSessionResult(status=messages.CloseSessionResult.CLOSED)
        return [answer.SerializeToString()]

    def _status(self, caller: FlightCaller, body: bytes) -> list[bytes]:
        return [self.tagged.status(caller, body.decode("ascii", "replace"))]
