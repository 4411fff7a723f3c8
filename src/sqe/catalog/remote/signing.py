"""Requests to an object store, signed by the catalog instead of with keys of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, urljoin, urlsplit

from sqe.catalog.protocol import Ident, Json, Signed
from sqe.catalog.remote.answers import object_of
from sqe.catalog.remote.asking import ask
from sqe.catalog.remote.caller import CatalogClient, Request
from sqe.catalog.remote.errors import Act
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.http.client import Answer


def sign(caller: CatalogClient, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
    """``config`` is the table's, as it was loaded."""
    names = (ident.namespace, ident.name)
    act = Act(f"sign a request for {ident}", *names, absent=ErrorCode.TABLE_NOT_FOUND)
    url = _address(caller, config)
    return ask(caller, act, lambda paths: Request("POST", url, body=request), _read_signed)


def _address(caller: CatalogClient, config: Mapping[str, str]) -> str:
    base = config.get("s3.signer.uri") or caller.service.options.uri
    endpoint = config.get("s3.signer.endpoint")
    if not endpoint:
        message = f"Catalog {caller.name} does not say where it signs requests."
        raise UserError(ErrorCode.NOT_SUPPORTED, message)
    url = urljoin(f"{base.rstrip('/')}/", endpoint)
    if _origin(urlsplit(url)) != _origin(urlsplit(caller.service.options.uri)):
        # A table's configuration is whoever made the table's: it must not get people's tokens.
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"Catalog {caller.name} has requests signed elsewhere; your token is not shown there.",
        )
    return url


def _origin(parts: SplitResult) -> tuple[str, str | None, int]:
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _read_signed(answer: Answer) -> Signed:
    body = object_of(answer)
    headers = {str(name): _join(values) for name, values in body["headers"].items()}
    private = "private" in answer.headers.get("cache-control", "").lower()
    return Signed(str(body["uri"]), headers, reusable=private)


def _join(values: list[str] | str) -> str:
    return values if isinstance(values, str) else ",".join(map(str, values))
