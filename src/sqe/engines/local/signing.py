"""How a request to an object store is signed: with the table's keys, or by its catalog."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from sqe.catalog.protocol import Json, Signed
from sqe.catalog.s3_place import S3Place
from sqe.catalog.sigv4 import NO_BODY
from sqe.engines.local.keys import TableKeys, keys_for
from sqe.errors import AccessError, ErrorCode

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
        return Ticket(url, keys.sign(method, url), lambda: self._keys.renew(used))


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
        if not _same_address(signed.uri, url):  # a signature for something else is of no use here
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
        headers = {"host": [host], "x-amz-content-sha256": [NO_BODY]}
        region = self._place.region
        return {"region": region, "uri": url, "method": method, "headers": headers}

    def _forget(self, key: tuple[str, str]) -> bool:
        """True if it was a kept one: a new one may be better."""
        with self._lock:
            return self._kept.pop(key, None) is not None


def _same_address(one: str, other: str) -> bool:
    left, right = urlsplit(one), urlsplit(other)
    return (left.scheme, left.netloc, left.path) == (right.scheme, right.netloc, right.path)
