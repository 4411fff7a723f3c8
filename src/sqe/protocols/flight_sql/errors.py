"""SQE's error codes as gRPC statuses, and nothing else on the wire.

pyarrow sends a Python exception with its traceback unless it is one of its own Flight errors, and
those do not cover every status. So the statuses it lacks are exceptions that refuse to be
formatted: pyarrow then sends their message and the name of their class.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import Enum

import pyarrow as pa
import pyarrow.flight as flight
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from sqe.errors import ErrorCode, InternalError, SqeError

_log = logging.getLogger(__name__)
DOMAIN = "sqe"
DETAILS = "grpc-status-details-bin"


class Code(Enum):
    """The gRPC statuses in use, by number."""

    CANCELLED = 1
    UNKNOWN = 2  # it failed, and not for a reason of the others
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    PERMISSION_DENIED = 7
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


class _Unformatted:
    """``traceback`` asks an exception for its cause first; who gets no answer shows no frames."""

    @property
    def __cause__(self) -> BaseException:
        raise RuntimeError("not shown")


class InvalidArgument(_Unformatted, pa.ArrowInvalid):  # type: ignore[misc]
    """INVALID_ARGUMENT."""


class NotFound(_Unformatted, pa.ArrowKeyError):  # type: ignore[misc]
    """NOT_FOUND."""

    def __str__(self) -> str:
        return str(self.args[0])


class Unimplemented(_Unformatted, pa.ArrowNotImplementedError):  # type: ignore[misc]
    """UNIMPLEMENTED."""


class _Failed(_Unformatted, flight.FlightServerError):  # type: ignore[misc]
    pass


class _Internal(_Unformatted, flight.FlightInternalError):  # type: ignore[misc]
    pass


class _TimedOut(_Unformatted, flight.FlightTimedOutError):  # type: ignore[misc]
    pass


class _Cancelled(_Unformatted, flight.FlightCancelledError):  # type: ignore[misc]
    pass


class _Unauthenticated(_Unformatted, flight.FlightUnauthenticatedError):  # type: ignore[misc]
    pass


class _Unauthorized(_Unformatted, flight.FlightUnauthorizedError):  # type: ignore[misc]
    pass


class _Unavailable(_Unformatted, flight.FlightUnavailableError):  # type: ignore[misc]
    pass


_CLASSES: dict[Code, Callable[..., Exception]] = {
    Code.CANCELLED: _Cancelled,
    Code.UNKNOWN: _Failed,
    Code.INVALID_ARGUMENT: InvalidArgument,
    Code.DEADLINE_EXCEEDED: _TimedOut,
    Code.NOT_FOUND: NotFound,
    Code.PERMISSION_DENIED: _Unauthorized,
    Code.UNIMPLEMENTED: Unimplemented,
    Code.INTERNAL: _Internal,
    Code.UNAVAILABLE: _Unavailable,
    Code.UNAUTHENTICATED: _Unauthenticated,
}
_PLAIN = (Code.INVALID_ARGUMENT, Code.NOT_FOUND, Code.UNIMPLEMENTED)  # no Flight error of pyarrow's

# pyarrow can send neither ALREADY_EXISTS nor RESOURCE_EXHAUSTED nor ABORTED.
STATUS: dict[ErrorCode, Code] = {
    ErrorCode.SYNTAX_ERROR: Code.INVALID_ARGUMENT,
    ErrorCode.EMPTY_STATEMENT: Code.INVALID_ARGUMENT,
    ErrorCode.MULTIPLE_STATEMENTS: Code.INVALID_ARGUMENT,
    ErrorCode.STATEMENT_TOO_LARGE: Code.INVALID_ARGUMENT,
    ErrorCode.MESSAGE_TOO_LARGE: Code.INVALID_ARGUMENT,
    ErrorCode.STATEMENT_TOO_COMPLEX: Code.INVALID_ARGUMENT,
    ErrorCode.INVALID_TEXT: Code.INVALID_ARGUMENT,
    ErrorCode.NOT_SUPPORTED: Code.UNIMPLEMENTED,
    ErrorCode.CATALOG_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.SCHEMA_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.TABLE_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.VIEW_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.COLUMN_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.FUNCTION_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.FUNCTION_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.VARIABLE_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.VARIABLE_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.SNAPSHOT_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.ROLE_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.ROLE_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.POLICY_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.POLICY_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.CATALOG_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.SCHEMA_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.TABLE_ALREADY_EXISTS: Code.INVALID_ARGUMENT,
    ErrorCode.SCHEMA_NOT_EMPTY: Code.INVALID_ARGUMENT,
    ErrorCode.AMBIGUOUS_NAME: Code.INVALID_ARGUMENT,
    ErrorCode.TYPE_MISMATCH: Code.INVALID_ARGUMENT,
    ErrorCode.INVALID_ARGUMENT: Code.INVALID_ARGUMENT,
    ErrorCode.INVALID_CAST: Code.INVALID_ARGUMENT,
    ErrorCode.INVALID_FILE: Code.INVALID_ARGUMENT,
    ErrorCode.DIVISION_BY_ZERO: Code.INVALID_ARGUMENT,
    ErrorCode.NUMERIC_OUT_OF_RANGE: Code.INVALID_ARGUMENT,
    ErrorCode.CONSTRAINT_VIOLATION: Code.INVALID_ARGUMENT,
    ErrorCode.INVALID_SESSION_PROPERTY: Code.INVALID_ARGUMENT,
    ErrorCode.SESSION_NOT_FOUND: Code.UNAUTHENTICATED,  # drivers log in again on it
    ErrorCode.SESSION_EXPIRED: Code.UNAUTHENTICATED,
    ErrorCode.QUERY_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.TRANSACTION_NOT_FOUND: Code.NOT_FOUND,
    ErrorCode.CANCELLED: Code.CANCELLED,
    ErrorCode.KILLED: Code.CANCELLED,
    ErrorCode.USER_ERROR: Code.INVALID_ARGUMENT,
    ErrorCode.INVALID_SETTINGS: Code.INVALID_ARGUMENT,
    ErrorCode.COMMIT_CONFLICT: Code.UNKNOWN,
    ErrorCode.AUTHENTICATION_FAILED: Code.UNAUTHENTICATED,
    ErrorCode.TOKEN_EXPIRED: Code.UNAUTHENTICATED,
    ErrorCode.ACCESS_DENIED: Code.PERMISSION_DENIED,
    ErrorCode.TIMEOUT: Code.DEADLINE_EXCEEDED,
    ErrorCode.TOO_MANY_QUERIES: Code.UNAVAILABLE,
    ErrorCode.QUERY_REJECTED: Code.PERMISSION_DENIED,
    ErrorCode.RESULT_TOO_LARGE: Code.UNAVAILABLE,
    ErrorCode.SCAN_TOO_LARGE: Code.UNAVAILABLE,
    ErrorCode.TOO_MANY_SESSIONS: Code.UNAVAILABLE,
    ErrorCode.TOO_MANY_LOGINS: Code.UNAVAILABLE,
    ErrorCode.OUT_OF_MEMORY: Code.UNAVAILABLE,
    ErrorCode.DISK_FULL: Code.UNAVAILABLE,
    ErrorCode.HOME_IN_USE: Code.UNAVAILABLE,
    ErrorCode.PORT_IN_USE: Code.UNAVAILABLE,
    ErrorCode.SERVER_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.SERVER_LOST: Code.UNAVAILABLE,
    ErrorCode.ENGINE_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.ENGINE_LOST: Code.UNAVAILABLE,
    ErrorCode.ENGINE_ERROR: Code.UNKNOWN,
    ErrorCode.CATALOG_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.ISSUER_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.POLICY_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.STORE_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.AUDIT_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.STORAGE_UNAVAILABLE: Code.UNAVAILABLE,
    ErrorCode.COMMIT_UNKNOWN: Code.UNKNOWN,  # never one that clients try again by themselves
    ErrorCode.CORRUPT_DATA: Code.UNKNOWN,
    ErrorCode.PLAN_REFUSED: Code.INTERNAL,
    ErrorCode.INTERNAL_ERROR: Code.INTERNAL,
}


def sqe_error(error: BaseException) -> SqeError:
    """The error as ours. A defect is logged, and its text stays here."""
    if isinstance(error, SqeError):
        return error
    _log.error("a Flight call failed unexpectedly", exc_info=error)
    return InternalError(
        ErrorCode.INTERNAL_ERROR,
        f"SQE failed on this call ({type(error).__name__}).",
        hint="The log has details.",
    )


def flight_error(
    error: SqeError, add_trailer: Callable[[str, bytes], None] | None = None
) -> Exception:
    """What to raise for it. ``add_trailer`` takes the details where pyarrow does not."""
    code = STATUS[error.code]
    message = _cut(f"{error.code.name}: {error}", _MESSAGE)
    details = _details(error, code, message)
    if code not in _PLAIN:
        return _CLASSES[code](message, details)
    if add_trailer is not None:
        add_trailer(DETAILS, details)
    return _CLASSES[code](message)


def _details(error: SqeError, code: Code, message: str) -> bytes:
    """google.rpc.Status, which gRPC clients take apart; its code must be the call's."""
    told = {
        "message": _cut(error.message, _PART),
        "hint": _cut(error.hint, _PART // 2),
        "category": error.category.value,
    }
    if error.position is not None:
        told["line"] = str(error.position.line)
        told["column"] = str(error.position.column)
        told["fragment"] = _cut(error.position.fragment, _PART // 4)
    info = Any()
    metadata = {key: value for key, value in told.items() if value}
    info.Pack(ErrorInfo(reason=error.code.name, domain=DOMAIN, metadata=metadata))
    status = Status(code=code.value, message=message, details=[info])
    return bytes(status.SerializeToString())


# Bytes. Java clients refuse a call with more than 8 kB of headers, and a message is in there three
# times, once with three signs for a byte.
_MESSAGE, _PART = 900, 600


def _cut(text: str, most: int) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return raw.decode()
    return raw[:most].decode("utf-8", "ignore") + "…"
