"""What comes back from a server, as SQE's own errors again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.flight as flight
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from sqe.errors import ErrorCategory, ErrorCode, SqeError, TextPosition, error_of

_DOMAIN = "sqe"
# A newer server may have codes that this client does not know; their category it does.
_GENERAL = {
    ErrorCategory.USER: ErrorCode.USER_ERROR,
    ErrorCategory.ACCESS: ErrorCode.ACCESS_DENIED,
    ErrorCategory.RESOURCES: ErrorCode.TOO_MANY_QUERIES,
    ErrorCategory.UPSTREAM: ErrorCode.ENGINE_ERROR,
    ErrorCategory.INTERNAL: ErrorCode.INTERNAL_ERROR,
}
_BY_CLASS: tuple[tuple[type[Exception], ErrorCode], ...] = (
    (flight.FlightUnauthenticatedError, ErrorCode.AUTHENTICATION_FAILED),
    (flight.FlightUnauthorizedError, ErrorCode.ACCESS_DENIED),
    (flight.FlightUnavailableError, ErrorCode.SERVER_UNAVAILABLE),
    (flight.FlightTimedOutError, ErrorCode.TIMEOUT),
    (flight.FlightCancelledError, ErrorCode.CANCELLED),
    (pa.ArrowNotImplementedError, ErrorCode.NOT_SUPPORTED),
)
# pyarrow's words around the server's own.
_WRAPPING = re.compile(r"^Flight (?:returned|RPC failed).*?(?:with message|message): ", re.DOTALL)
_TAIL = re.compile(r"\.? (?:gRPC client debug context|Client context|Detail): .*", re.DOTALL)
_UNTRUSTED = re.compile(r"certificate.verify.failed|not in peer certificate", re.IGNORECASE)


@contextmanager
def foreign_errors(address: str) -> Iterator[None]:
    """Around every call to the server at ``address``."""
    try:
        yield
    except (pa.ArrowException, flight.FlightError) as error:
        raise error_from(error, address) from error


def error_from(error: Exception, address: str) -> SqeError:
    details = _read_details(getattr(error, "extra_info", b"") or b"")
    if details is not None:
        return details
    code = next((code for kind, code in _BY_CLASS if isinstance(error, kind)), None)
    if code is ErrorCode.SERVER_UNAVAILABLE:
        return _unavailable(str(error), address)
    message = _TAIL.sub("", _WRAPPING.sub("", str(error)))
    return error_of(code or ErrorCode.INTERNAL_ERROR, message)


def _read_details(details: bytes) -> SqeError | None:
    """The error as the server said it: a google.rpc.Status with an ErrorInfo of SQE's."""
    try:
        status = Status.FromString(details)
        for detail in status.details:
            info = ErrorInfo()
            if detail.Unpack(info) and info.domain == _DOMAIN:
                return _of(info.reason, info.metadata)
    except DecodeError:
        pass
    return None


def _of(reason: str, told: Mapping[str, str]) -> SqeError:
    code = ErrorCode.__members__.get(reason)
    if code is None:
        names = {category.value: category for category in ErrorCategory}
        code = _GENERAL[names.get(told.get("category", ""), ErrorCategory.INTERNAL)]
    position = None
    if "line" in told:
        position = TextPosition(
            int(told["line"]), int(told.get("column", "1")), told.get("fragment", "")
        )
    return error_of(code, told.get("message", ""), hint=told.get("hint", ""), position=position)


def _unavailable(text: str, address: str) -> SqeError:
    if _UNTRUSTED.search(text):
        return error_of(
            ErrorCode.SERVER_UNAVAILABLE,
            f"The certificate of {address} is not trusted.",
            hint="Give its authority as tls_ca (--tls-ca), or its name as tls_host (--tls-host).",
        )
    return error_of(
        ErrorCode.SERVER_UNAVAILABLE,
        f"No SQE server answers at {address}.",
        hint="Is it running (`sqe serve`)? Servers with TLS need grpc+tls://, others grpc://.",
    )
