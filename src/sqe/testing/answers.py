"""Polaris's answers: errors in its words, tables with its tags."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sqe.catalog.protocol import Json, Loaded
from sqe.catalog.rest.wire import RestCall, refs_only
from sqe.errors import ErrorCategory, ErrorCode, SqeError

_LOG = logging.getLogger(__name__)
_TAG = re.compile(r'(W/)?"[^"]*"\Z')

# As Polaris names them. What is not here is a 400 if it is the client's fault, else a 500.
STATUSES: dict[ErrorCode, tuple[int, str]] = {
    ErrorCode.SCHEMA_NOT_FOUND: (404, "NoSuchNamespaceException"),
    ErrorCode.TABLE_NOT_FOUND: (404, "NoSuchTableException"),
    ErrorCode.VIEW_NOT_FOUND: (404, "NoSuchViewException"),
    ErrorCode.SCHEMA_ALREADY_EXISTS: (409, "AlreadyExistsException"),
    ErrorCode.TABLE_ALREADY_EXISTS: (409, "AlreadyExistsException"),
    ErrorCode.SCHEMA_NOT_EMPTY: (409, "NamespaceNotEmptyException"),
    ErrorCode.COMMIT_CONFLICT: (409, "CommitFailedException"),
    ErrorCode.NOT_SUPPORTED: (406, "UnsupportedOperationException"),
    ErrorCode.ACCESS_DENIED: (403, "ForbiddenException"),
    ErrorCode.CATALOG_UNAVAILABLE: (503, "ServiceUnavailableException"),
    ErrorCode.ISSUER_UNAVAILABLE: (503, "ServiceUnavailableException"),
    ErrorCode.STORAGE_UNAVAILABLE: (500, "SdkClientException"),
}
_BY_CATEGORY = {ErrorCategory.USER: (400, "IllegalArgumentException")}


class PolarisError(Exception):
    """An answer that is an error, with the name of the Java exception behind it."""

    def __init__(
        self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = dict(headers or {})


class Unauthenticated(Exception):
    """Why is for the log; the client gets one and the same empty 401."""


def bad_request(message: str, kind: str = "IllegalArgumentException") -> PolarisError:
    return PolarisError(400, kind, message)


def error_answer(error: Exception) -> Response:
    if isinstance(error, Unauthenticated):
        _LOG.info("not authenticated: %s", error)
        return Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
    if isinstance(error, PolarisError):
        return _error(error.status, error.kind, str(error), error.headers)
    if isinstance(error, SqeError):
        if error.code is ErrorCode.CATALOG_UNAVAILABLE and isinstance(error.__cause__, OSError):
            return _error(500, "SdkClientException", error.message)  # its storage is dead
        default = _BY_CATEGORY.get(error.category, (500, "RuntimeException"))
        return _error(*STATUSES.get(error.code, default), error.message)
    _LOG.error("a request failed", exc_info=error)
    return _error(500, type(error).__name__, "The test catalog failed; its log says more.")


def _error(
    status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    body = {"error": {"message": message, "type": kind, "code": status}}
    return Response(json.dumps(body), status, headers, media_type="application/json")


def etag(metadata_location: str) -> str:
    """The same for every principal, with credentials or without, all snapshots or only some."""
    return f'W/"{hashlib.sha256(metadata_location.encode()).hexdigest()}"'


def not_modified(call: RestCall, metadata_location: str) -> bool:
    header = call.headers.get("if-none-match")
    if header is None:
        return False
    if header.strip() == "*":
        raise bad_request("If-None-Match may not take the value of '*'", "BadRequestException")
    tags = header.split(", ")
    if not all(_TAG.match(tag) for tag in tags):
        raise bad_request(f"Invalid If-None-Match header: {header}")
    return etag(metadata_location) in tags


def check_snapshots(call: RestCall) -> bool:
    """Whether only the snapshots that a branch or tag points to are wanted."""
    asked = call.query.get("snapshots") or "all"
    if asked.lower() not in ("all", "refs"):
        raise bad_request(f"Unrecognized snapshots: {asked}")
    return asked.lower() == "refs"


def table_answer(
    loaded: Loaded, *, refs: bool = False, tagged: bool = True, more: Json | None = None
) -> Response:
    """``more``: what is sent beside the metadata, as config, unless it is empty. The metadata goes
    byte for byte."""
    metadata = refs_only(loaded) if refs else loaded.metadata_json
    parts = [b'"metadata":' + metadata]
    if loaded.metadata_location is not None:
        parts.insert(0, b'"metadata-location":' + _dump(loaded.metadata_location))
    parts += [_dump(key) + b":" + _dump(value) for key, value in (more or {}).items() if value]
    tag = etag(loaded.metadata_location) if tagged and loaded.metadata_location else ""
    content = b"{" + b",".join(parts) + b"}"
    return Response(content, headers={"ETag": tag} if tag else None, media_type="application/json")


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Truncated(Response):
    """Promises a whole body and sends half of it; the server then closes the connection."""

    @classmethod
    def of(cls, whole: Response) -> Truncated:
        made = cls(whole.body, whole.status_code)
        made.raw_headers = whole.raw_headers
        return made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": True})
