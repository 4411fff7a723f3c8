"""SQE's errors as Trino's clients expect them.

A statement that fails is an answer of status 200 with an ``error`` object. A request that is not
understood, not allowed or too much has a status of its own, and a line of text.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping

from sqe.errors import ErrorCode, InternalError, ResourceError, SqeError
from sqe.trino.http.error_codes import ERRORS, TrinoError
from sqe.trino.http.error_texts import is_limit, message_of

_log = logging.getLogger(__name__)

NAMES: dict[ErrorCode, str] = {
    ErrorCode.SYNTAX_ERROR: "SYNTAX_ERROR",
    ErrorCode.EMPTY_STATEMENT: "SYNTAX_ERROR",
    ErrorCode.MULTIPLE_STATEMENTS: "SYNTAX_ERROR",
    ErrorCode.STATEMENT_TOO_LARGE: "QUERY_TEXT_TOO_LARGE",
    ErrorCode.STATEMENT_TOO_COMPLEX: "STACK_OVERFLOW",
    ErrorCode.MESSAGE_TOO_LARGE: "QUERY_TEXT_TOO_LARGE",
    ErrorCode.INVALID_TEXT: "SYNTAX_ERROR",
    ErrorCode.NOT_SUPPORTED: "NOT_SUPPORTED",
    ErrorCode.CATALOG_NOT_FOUND: "CATALOG_NOT_FOUND",
    ErrorCode.SCHEMA_NOT_FOUND: "SCHEMA_NOT_FOUND",
    ErrorCode.TABLE_NOT_FOUND: "TABLE_NOT_FOUND",
    ErrorCode.VIEW_NOT_FOUND: "TABLE_NOT_FOUND",
    ErrorCode.COLUMN_NOT_FOUND: "COLUMN_NOT_FOUND",
    ErrorCode.FUNCTION_ALREADY_EXISTS: "ALREADY_EXISTS",
    ErrorCode.FUNCTION_NOT_FOUND: "FUNCTION_NOT_FOUND",
    ErrorCode.VARIABLE_NOT_FOUND: "NOT_FOUND",
    ErrorCode.VARIABLE_ALREADY_EXISTS: "ALREADY_EXISTS",
    ErrorCode.SNAPSHOT_NOT_FOUND: "INVALID_ARGUMENTS",
    ErrorCode.ROLE_NOT_FOUND: "ROLE_NOT_FOUND",
    ErrorCode.ROLE_ALREADY_EXISTS: "ROLE_ALREADY_EXISTS",
    ErrorCode.POLICY_NOT_FOUND: "NOT_FOUND",
    ErrorCode.POLICY_ALREADY_EXISTS: "ALREADY_EXISTS",
    ErrorCode.CATALOG_ALREADY_EXISTS: "ALREADY_EXISTS",
    ErrorCode.SCHEMA_ALREADY_EXISTS: "SCHEMA_ALREADY_EXISTS",
    ErrorCode.TABLE_ALREADY_EXISTS: "TABLE_ALREADY_EXISTS",
    ErrorCode.SCHEMA_NOT_EMPTY: "SCHEMA_NOT_EMPTY",
    ErrorCode.AMBIGUOUS_NAME: "AMBIGUOUS_NAME",
    ErrorCode.TYPE_MISMATCH: "TYPE_MISMATCH",
    ErrorCode.INVALID_ARGUMENT: "INVALID_FUNCTION_ARGUMENT",
    ErrorCode.INVALID_CAST: "INVALID_CAST_ARGUMENT",
    ErrorCode.INVALID_FILE: "GENERIC_USER_ERROR",
    ErrorCode.DIVISION_BY_ZERO: "DIVISION_BY_ZERO",
    ErrorCode.NUMERIC_OUT_OF_RANGE: "NUMERIC_VALUE_OUT_OF_RANGE",
    ErrorCode.CONSTRAINT_VIOLATION: "CONSTRAINT_VIOLATION",
    ErrorCode.INVALID_SESSION_PROPERTY: "INVALID_SESSION_PROPERTY",
    ErrorCode.SESSION_NOT_FOUND: "ADMINISTRATIVELY_KILLED",
    ErrorCode.SESSION_EXPIRED: "ADMINISTRATIVELY_KILLED",
    ErrorCode.TRANSACTION_NOT_FOUND: "UNKNOWN_TRANSACTION",
    ErrorCode.QUERY_NOT_FOUND: "NOT_FOUND",
    ErrorCode.CANCELLED: "USER_CANCELED",
    ErrorCode.KILLED: "ADMINISTRATIVELY_KILLED",
    ErrorCode.USER_ERROR: "GENERIC_USER_ERROR",
    ErrorCode.INVALID_SETTINGS: "CONFIGURATION_INVALID",
    ErrorCode.COMMIT_CONFLICT: "TRANSACTION_CONFLICT",
    ErrorCode.AUTHENTICATION_FAILED: "PERMISSION_DENIED",
    ErrorCode.TOKEN_EXPIRED: "PERMISSION_DENIED",
    ErrorCode.ACCESS_DENIED: "PERMISSION_DENIED",
    ErrorCode.TIMEOUT: "EXCEEDED_TIME_LIMIT",
    ErrorCode.TOO_MANY_QUERIES: "QUERY_QUEUE_FULL",
    ErrorCode.QUERY_REJECTED: "QUERY_REJECTED",
    ErrorCode.RESULT_TOO_LARGE: "GENERIC_INSUFFICIENT_RESOURCES",
    ErrorCode.SCAN_TOO_LARGE: "EXCEEDED_SCAN_LIMIT",
    ErrorCode.TOO_MANY_SESSIONS: "QUERY_QUEUE_FULL",
    ErrorCode.TOO_MANY_LOGINS: "QUERY_QUEUE_FULL",
    ErrorCode.OUT_OF_MEMORY: "EXCEEDED_LOCAL_MEMORY_LIMIT",
    ErrorCode.DISK_FULL: "GENERIC_INSUFFICIENT_RESOURCES",
    ErrorCode.HOME_IN_USE: "GENERIC_INSUFFICIENT_RESOURCES",
    ErrorCode.PORT_IN_USE: "GENERIC_INSUFFICIENT_RESOURCES",
    ErrorCode.SERVER_UNAVAILABLE: "NO_NODES_AVAILABLE",
    ErrorCode.SERVER_LOST: "SERVER_SHUTTING_DOWN",
    ErrorCode.ENGINE_UNAVAILABLE: "NO_NODES_AVAILABLE",
    ErrorCode.ENGINE_LOST: "REMOTE_TASK_ERROR",
    ErrorCode.ENGINE_ERROR: "GENERIC_INTERNAL_ERROR",
    ErrorCode.CATALOG_UNAVAILABLE: "CATALOG_UNAVAILABLE",
    ErrorCode.ISSUER_UNAVAILABLE: "REMOTE_HOST_GONE",
    ErrorCode.POLICY_UNAVAILABLE: "CONFIGURATION_UNAVAILABLE",
    ErrorCode.STORE_UNAVAILABLE: "CONFIGURATION_UNAVAILABLE",
    ErrorCode.AUDIT_UNAVAILABLE: "CONFIGURATION_UNAVAILABLE",
    ErrorCode.STORAGE_UNAVAILABLE: "ICEBERG_FILESYSTEM_ERROR",
    ErrorCode.COMMIT_UNKNOWN: "ICEBERG_COMMIT_ERROR",
    ErrorCode.CORRUPT_DATA: "ICEBERG_BAD_DATA",
    ErrorCode.PLAN_REFUSED: "GENERIC_INTERNAL_ERROR",
    ErrorCode.INTERNAL_ERROR: "GENERIC_INTERNAL_ERROR",
}
BUSY = (ErrorCode.TOO_MANY_QUERIES, ErrorCode.TOO_MANY_SESSIONS)


class Refusal(Exception):
    """A request that is answered with a status other than 200. ``text`` goes to the client."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.headers = dict(headers or {})


def bad_request(text: str) -> Refusal:
    return Refusal(400, text)


def no_such_query() -> Refusal:
    """One answer for a query that does not exist, is another's, or has another slug."""
    return Refusal(404, "Query not found")


def busy(error: SqeError) -> Refusal:
    """Clients wait and send the request again."""
    seconds = error.retry_s if isinstance(error, ResourceError) else 0.0
    return Refusal(429, error.message, {"Retry-After": str(max(1, math.ceil(seconds)))})


def sqe_error(error: BaseException) -> SqeError:
    """The error as ours. A defect is logged, and its text stays here."""
    if isinstance(error, SqeError):
        return error
    _log.error("a request of Trino's protocol failed unexpectedly", exc_info=error)
    return InternalError(
        ErrorCode.INTERNAL_ERROR,
        f"SQE failed on this query ({type(error).__name__}).",
        hint="The log has details.",
    )


def trino_error(error: SqeError) -> TrinoError:
    if not error.subcode and is_limit(error):
        return ERRORS["NOT_SUPPORTED"]
    return ERRORS.get(error.subcode) or ERRORS[NAMES[error.code]]


def error_json(error: SqeError) -> dict[str, object]:
    """The ``error`` of a page."""
    trino = trino_error(error)
    message = message_of(error, trino.name)
    location = {}
    if error.position is not None:
        place = {"lineNumber": error.position.line, "columnNumber": error.position.column}
        location = {"errorLocation": place}
    numbers = {"code": trino.code, "name": trino.name, "type": trino.type}
    return {
        "message": message,
        "errorCode": trino.code,
        "errorName": trino.name,
        "errorType": trino.type,
        **location,
        "failureInfo": {
            "type": "io.trino.spi.TrinoException",
            "message": message,
            "suppressed": [],
            "stack": [],
            "errorInfo": numbers,
            **location,
        },
    }
