"""Set, get and close: a session's catalog, schema and ``sqe.*`` properties over the wire.

Setting one is the statement of the same meaning, so that both check alike.
"""

from __future__ import annotations

from sqe.errors import ErrorCode, SqeError
from sqe.flight_messages import Flight_pb2 as messages
from sqe.gateway.gateway import Gateway
from sqe.model.names import SchemaName, quote, string_literal
from sqe.model.query import QueryRequest
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.sessions.session import PROPERTIES

_Result = messages.SetSessionOptionsResult
# Nothing else means that the value, not SQE, is at fault.
_BAD_VALUE = (
    ErrorCode.INVALID_SESSION_PROPERTY,
    ErrorCode.CATALOG_NOT_FOUND,
    ErrorCode.SCHEMA_NOT_FOUND,
    ErrorCode.INVALID_ARGUMENT,
    ErrorCode.SYNTAX_ERROR,
    ErrorCode.INVALID_TEXT,
)


class SessionOptions:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def set(self, caller: FlightCaller, request: messages.SetSessionOptionsRequest) -> _Result:
        result = _Result()
        # The catalog first: a schema is one of its own.
        for name in sorted(request.session_options, key=lambda name: (name != "catalog", name)):
            value = request.session_options[name]
            error = self._set(caller, name, _text(value))
            if error is not None:
                result.errors[name].value = error
        return result

    def get(self, caller: FlightCaller) -> messages.GetSessionOptionsResult:
        schema = caller.session.schema
        result = messages.GetSessionOptionsResult()
        told = {"catalog": schema.catalog, "schema": ".".join(schema.path)}
        told |= {name: value for name, (value, _) in caller.session.properties().items()}
        for name, value in told.items():
            result.session_options[name].string_value = value
        return result

    def _set(self, caller: FlightCaller, name: str, value: str | None) -> _Result.ErrorValue | None:
        """What was wrong, or None."""
        if value is None:
            return _Result.INVALID_VALUE
        if name == "catalog" and value:
            text = f"USE CATALOG {quote(value)}"
        elif name == "schema" and value:
            text = f"USE SCHEMA {SchemaName(caller.session.schema.catalog, _path(value))}"
        elif name in PROPERTIES:
            text = (
                f"SET SESSION {name} = {string_literal(value)}"
                if value
                else f"RESET SESSION {name}"
            )
        else:
            known = name in ("catalog", "schema")
            return _Result.INVALID_VALUE if known else _Result.INVALID_NAME
        try:
            self._run(caller, text)
        except SqeError as error:
            if error.code not in _BAD_VALUE:
                raise
            return _Result.INVALID_VALUE
        return None

    def _run(self, caller: FlightCaller, text: str) -> None:
        request = QueryRequest(
            caller.session.id,
            text,
            caller.source,
            parameters=(),
            origin=caller.origin,
            trace=caller.trace,
        )
        with self._gateway.fetch(self._gateway.submit(request)) as result:
            for _ in result:
                pass


def _path(schema: str) -> tuple[str, ...]:
    return tuple(schema.split("."))


def _text(value: messages.SessionOptionValue) -> str | None:
    """As text; nothing (an empty text) takes an option back. None: not a value for any option."""
    match value.WhichOneof("option_value"):
        case None:
            return ""
        case "string_value":
            return value.string_value
        case "bool_value":
            return "true" if value.bool_value else "false"
        case "int64_value":
            return str(value.int64_value)
        case _:
            return None
