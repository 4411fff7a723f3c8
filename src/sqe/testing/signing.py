"""Remote signing: the catalog signs one request to S3 at a time, once it knows that it may be."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from starlette.responses import Response

from sqe.catalog.protocol import Json
from sqe.catalog.rest.wire import json_answer, request_error
from sqe.catalog.sigv4 import SigV4
from sqe.testing.answers import PolarisError, bad_request
from sqe.testing.policy import inside, locations_of
from sqe.testing.privileges import Privilege
from sqe.testing.vending import S3Storage
from sqe.testing.visit import Visit

_UNSIGNED = "UNSIGNED-PAYLOAD"
_READING = ("GET", "HEAD")
# Not the range: what is signed for an object is good for every part of it, and may be kept.
_SIGNED_HEADERS = ("content-md5", "content-type")
_COPY = "x-amz-copy-source"  # would read another table's files with the catalog's keys
_LISTING = frozenset(
    {
        "continuation-token",
        "delimiter",
        "encoding-type",
        "fetch-owner",
        "list-type",
        "max-keys",
        "prefix",
        "start-after",
    }
)


def sign_request(visit: Visit) -> Response:
    storage = visit.lake.storage
    if storage is None or not visit.options.remote_signing:
        raise PolarisError(404, "NotFoundException", "No such endpoint.")
    ident, body = visit.call.table, visit.call.body
    visit.table(ident)
    method, uri = str(body.get("method")).upper(), body.get("uri")
    if not isinstance(uri, str) or not isinstance(body.get("headers"), dict):
        raise request_error("no uri or headers to sign.")
    reading = method in _READING
    privilege = Privilege.TABLE_READ_DATA if reading else Privilege.TABLE_WRITE_DATA
    operation = "READ" if reading else "WRITE"
    needs = (privilege, visit.target(ident))
    visit.require(f"LOAD_TABLE_WITH_{operation}_DELEGATION", needs)
    locations = locations_of(visit.lake.catalog.load_table(ident).metadata)
    if not inside(_location(storage, method, uri), locations):
        raise PolarisError(403, "ForbiddenException", "The request is not for the table's files.")
    request_headers = _single(body["headers"])
    if any(name.startswith(_COPY) for name in request_headers):
        raise PolarisError(403, "ForbiddenException", "Copies are not signed.")
    keys = storage.own_keys
    signer = SigV4(keys.access_key, keys.secret_key, storage.region)
    chosen = {
        name: value
        for name, value in request_headers.items()
        if name in _SIGNED_HEADERS or name.startswith("x-amz-")
    }
    payload = request_headers.get("x-amz-content-sha256", _UNSIGNED)
    headers = signer.headers(method, uri, chosen, payload)
    answer: Json = {"uri": uri, "headers": {name: [value] for name, value in headers.items()}}
    response = json_answer(answer)
    response.headers["Cache-Control"] = "private" if reading else "no-cache"
    return response


def _location(storage: S3Storage, method: str, uri: str) -> str:
    """The object, or what a listing is limited to, as a location. Path style only."""
    parts = urlsplit(uri)
    if f"{parts.scheme}://{parts.netloc}" != storage.endpoint.rstrip("/"):
        raise bad_request("The request is not for the catalog's storage.")
    path = unquote(parts.path).strip("/")
    if "/" in path:
        return f"s3://{path}"
    asked = parse_qs(parts.query, keep_blank_values=True)
    prefix = asked.get("prefix", [""])[0]
    # A listing shows what begins with the prefix: only one that ends at a folder is limited to it.
    # What is no listing changes or tells something of the whole bucket.
    if method != "GET" or not set(asked) <= _LISTING or not prefix.endswith("/"):
        return ""
    return f"s3://{path}/{prefix}*"


def _single(headers: Json) -> dict[str, str]:
    return {
        str(name).lower(): ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in headers.items()
    }
