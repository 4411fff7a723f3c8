"""Flight SQL's bytes: messages in and out of ``Any``, and the schemas of its metadata."""

from __future__ import annotations

from typing import TypeVar

import pyarrow as pa
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message

from sqe.errors import ErrorCode, UserError
from sqe.flight_messages import FlightSql_pb2 as sql

_M = TypeVar("_M", bound=Message)
_PREFIX = "type.googleapis.com/"
_PACKAGE = sql.DESCRIPTOR.package + "."
_MESSAGES: dict[str, type[Message]] = {
    _PACKAGE + name: getattr(sql, name) for name in sql.DESCRIPTOR.message_types_by_name
}


def pack(message: Message) -> bytes:
    holder = Any()
    holder.Pack(message)
    return bytes(holder.SerializeToString())


def unpack(data: bytes) -> Message:
    """The Flight SQL message in an ``Any``. Anything else is refused."""
    holder = Any()
    try:
        holder.ParseFromString(data)
        kind = _MESSAGES.get(holder.type_url.removeprefix(_PREFIX))
        if kind is None:
            raise _refusal("The command is not one of Flight SQL's.")
        message = kind()
        message.ParseFromString(holder.value)
    except (DecodeError, UnicodeDecodeError) as error:
        raise _refusal("The command is not a Flight SQL message.") from error
    return message


def unpack_as(kind: type[_M], data: bytes) -> _M:
    message = unpack(data)
    if not isinstance(message, kind):
        raise _refusal(f"The message is not a {kind.DESCRIPTOR.name}.")
    return message


def parse_as(kind: type[_M], data: bytes) -> _M:
    """A message that is not in an ``Any``, as Flight's own actions have it."""
    message = kind()
    try:
        message.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        raise _refusal(f"The body is not a {kind.DESCRIPTOR.name}.") from error
    return message


def schema_bytes(schema: pa.Schema) -> bytes:
    """A schema as an encapsulated IPC message."""
    return bytes(schema.serialize())


def _refusal(message: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, message)


def text(name: str, *, nullable: bool = True) -> pa.Field:
    return pa.field(name, pa.string(), nullable=nullable)


def not_null_field(name: str, kind: pa.DataType | None = None) -> pa.Field:
    return pa.field(name, kind or pa.string(), nullable=False)
