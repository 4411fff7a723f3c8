"""Flight SQL's messages as bytes."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message

from sqe.errors import ErrorCode, InternalError

_M = TypeVar("_M", bound=Message)


def pack(message: Message) -> bytes:
    holder = Any()
    holder.Pack(message)
    return bytes(holder.SerializeToString())


def unpack(kind: type[_M], data: bytes) -> _M:
    holder = parse_message(Any, data)
    return parse_message(kind, holder.value)


def parse_message(kind: type[_M], data: bytes) -> _M:
    message = kind()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise InternalError(
            ErrorCode.INTERNAL_ERROR, f"The server's answer is not a {kind.DESCRIPTOR.name}."
        ) from error
    return message
