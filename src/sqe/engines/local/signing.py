"""How a request to an object store is signed: with the table's keys, or by its catalog."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from sqe.catalog.protocol import Json, Signed
from sqe.engines.local.keys import S3Keys, S3Place, TableKeys, keys_for
from sqe.errors import AccessError, ErrorCode

_NO_BODY = hashlib.sha256(b"").hexdigest()
_KEPT_S = 30.0  # a catalog's signature that may be used again; as long as Iceberg's own client does
_KEPT = 1_000


@dataclass(frozen=True)
class Ticket:
    """An address and the headers that open it. ``renew`` gets another one after a refusal: True if
    there is one."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    renew: Callable[[], bool] = field(repr=False)


class Signer(Protocol):
    def sign(self, method: str, path: str) -> Ticket:
        """For GET or HEAD of s3://bucket/key. A range may be added: it is not signed."""
        ...


class KeySigner:
    """AWS's signature, version 4, with the keys that the catalog gave for the table."""

    def __init__(self, keys: TableKeys) -> None:
        self._keys = keys

    def sign(self, method: str, path: str) -> Ticket:
        used = self._keys.current()
        keys = keys_for(used, path)
        url = keys.url(path)
        headers = signature(method, url, keys, dt.datetime.now(dt.UTC))
        return Ticket(url, headers, lambda: self._keys.renew(used))


def signature(method: str, url: str, keys: S3Keys, now: dt.datetime) -> dict[str, str]:
    """The headers for a request without a body and without a query."""
    address = urlsplit(url)
    moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers = {"host": address.netloc, "x-amz-content-sha256": _NO_BODY, "x-amz-date": moment}
    if keys.token is not None:
        headers["x-amz-security-token"] = keys.token.reveal()
    names = ";".join(headers)  # they are in order
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = f"{method}\n{address.path}\n\n{lines}\n{names}\n{_NO_BODY}"
    scope = f"{day}/{keys.region}/s3/aws4_request"
    digest = hashlib.sha256(request.encode()).hexdigest()
    key = f"AWS4{keys.key.reveal()}".encode()
    for part in (day, keys.region, "s3", "aws4_request"):
        key = _mac(key, part)
    signed = _mac(key, f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}").hex()
    credential = f"{keys.key_id.reveal()}/{scope}"
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signed}"
    )
    return headers


def _mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class CatalogSigner:
    """Each request is shown to the catalog, which signs it if this user may read the file.

    A signature is kept for as long as the specification allows, for the same request only.
    """

    def __init__(
        self,
        place: S3Place,
        ask: Callable[[Json], Signed],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._place = place
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], tuple[float, Ticket]] = {}

    def sign(self, method: str, path: str) -> Ticket:
        key = (method, path)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and self._clock() - kept[0] < _KEPT_S:
            return kept[1]
        url = self._place.url(path)
        signed = self._ask(self._request(method, url))
        if not _same(signed.uri, url):  # a signature for something else is of no use here
            raise AccessError(ErrorCode.ACCESS_DENIED, "The catalog signed another request.")
        ticket = Ticket(signed.uri, dict(signed.headers), lambda: self._forget(key))
        if signed.reusable:
            with self._lock:
                if len(self._kept) >= _KEPT:
                    self._kept.clear()
                self._kept[key] = (self._clock(), ticket)
        return ticket

    def _request(self, method: str, url: str) -> Json:
        host = urlsplit(url).netloc
        headers = {"host": [host], "x-amz-content-sha256": [_NO_BODY]}
        region = self._place.region
        return {"region": region, "uri": url, "method": method, "headers": headers}

    def _forget(self, key: tuple[str, str]) -> bool:
        """True if it was a kept one: a new one may be better."""
        with self._lock:
            return self._kept.pop(key, None) is not None


def _same(one: str, other: str) -> bool:
    left, right = urlsplit(one), urlsplit(other)
    return (left.scheme, left.netloc, left.path) == (right.scheme, right.netloc, right.path)
