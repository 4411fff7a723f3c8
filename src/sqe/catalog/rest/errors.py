"""SQE's errors as Iceberg REST answers.

Iceberg's Java client repeats a GET, HEAD or DELETE that was answered by 408, 429, 500, 502, 503
or 504 for half a minute, and a POST answered by 429. Nothing here gets better by asking again, so
such requests are given statuses outside that list. To a commit, 500 to 504 mean that nobody knows
whether it happened, which keeps the client from deleting files that may be in use: only
failures that leave this open have such a status, and only for POST.
"""

from __future__ import annotations

import json
import logging

from starlette.responses import Response

from sqe.errors import ErrorCategory, ErrorCode, SqeError

_LOG = logging.getLogger(__name__)

STATUSES: dict[ErrorCode, tuple[int, str]] = {
    ErrorCode.CATALOG_NOT_FOUND: (404, "NoSuchWarehouseException"),
    ErrorCode.SCHEMA_NOT_FOUND: (404, "NoSuchNamespaceException"),
    ErrorCode.TABLE_NOT_FOUND: (404, "NoSuchTableException"),
    ErrorCode.VIEW_NOT_FOUND: (404, "NoSuchViewException"),
    ErrorCode.SCHEMA_ALREADY_EXISTS: (409, "AlreadyExistsException"),
    ErrorCode.TABLE_ALREADY_EXISTS: (409, "AlreadyExistsException"),
    ErrorCode.SCHEMA_NOT_EMPTY: (409, "NamespaceNotEmptyException"),
    ErrorCode.COMMIT_CONFLICT: (409, "CommitFailedException"),
    # Java's client shows these as what its own catalogs throw.
    ErrorCode.INVALID_ARGUMENT: (400, "IllegalArgumentException"),
    ErrorCode.NOT_SUPPORTED: (406, "UnsupportedOperationException"),
    ErrorCode.AUTHENTICATION_FAILED: (401, "NotAuthorizedException"),
    ErrorCode.TOKEN_EXPIRED: (419, "AuthenticationTimeoutException"),
    ErrorCode.ACCESS_DENIED: (403, "ForbiddenException"),
    # Not 404: a client that reads only the status would take the table for one that is not there.
    ErrorCode.CORRUPT_DATA: (422, "CorruptDataException"),
    ErrorCode.DISK_FULL: (507, "DiskFullException"),
    ErrorCode.HOME_IN_USE: (423, "CatalogInUseException"),
    ErrorCode.PORT_IN_USE: (503, "ServiceUnavailableException"),
    ErrorCode.CATALOG_UNAVAILABLE: (503, "ServiceUnavailableException"),
    ErrorCode.TIMEOUT: (504, "ServiceTimeoutException"),
}
_BY_CATEGORY: dict[ErrorCategory, tuple[int, str]] = {
    ErrorCategory.USER: (400, "BadRequestException"),
    ErrorCategory.ACCESS: (403, "ForbiddenException"),
    ErrorCategory.RESOURCES: (422, "ResourceLimitException"),
    ErrorCategory.UPSTREAM: (503, "ServiceUnavailableException"),
    ErrorCategory.INTERNAL: (500, "ServerErrorException"),
}
_REPEATED = frozenset({408, 429, 500, 502, 503, 504})
_FINAL = 424


def status_of(code: ErrorCode, method: str) -> tuple[int, str]:
    """The HTTP status and Iceberg's name of the exception for a request of this method."""
    status, kind = STATUSES.get(code) or _BY_CATEGORY[code.category]
    return (_FINAL if method != "POST" and status in _REPEATED else status), kind


def answer_to(error: Exception, method: str) -> Response:
    """The answer to a request that failed. What is not an SqeError keeps its text to itself."""
    if isinstance(error, SqeError):
        status, kind = status_of(error.code, method)
        return error_answer(status, kind, str(error))
    _LOG.exception("An Iceberg REST request failed.", exc_info=error)
    status, kind = status_of(ErrorCode.INTERNAL_ERROR, method)
    return error_answer(status, kind, "SQE failed to handle the request; its log says more.")


def error_answer(status: int, kind: str, message: str) -> Response:
    body = {"error": {"message": message, "type": kind, "code": status}}
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return Response(json.dumps(body), status, headers, media_type="application/json")
