"""Calls to AWS Glue, signed with the keys of the user they are for."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqe.catalog.commit.failures import conflict, invalid
from sqe.catalog.s3_place import S3Credentials
from sqe.catalog.sigv4 import SigV4
from sqe.errors import AccessError, ErrorCode, SqeError, UpstreamError
from sqe.http.client import Answer, Http

_ATTEMPTS = 5
_PAUSE_S = 0.2  # doubles
_LONGEST_PAUSE_S = 5.0
_THROTTLED = ("ThrottlingException", "TooManyRequestsException", "Throttling")
_DENIED = ("AccessDeniedException", "GlueEncryptionException")
_KEYS = (
    "ExpiredTokenException",
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "InvalidClientTokenId",
    "IncompleteSignature",
    "SignatureDoesNotMatch",
)
_CONFLICTS = ("ConcurrentModificationException", "VersionMismatchException")


class GlueError(Exception):
    """What Glue itself says no with; nothing was changed."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class GlueClient:
    """``keys`` is called for each request."""

    name: str
    endpoint: str
    region: str
    catalog_id: str
    http: Http = field(repr=False)
    keys: Callable[[], S3Credentials] = field(repr=False)

    def call(self, action: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """GlueError for what whoever asks may expect, SqeErrors for all else. A call that Glue had
        no time for is made again: it has changed nothing."""
        ids = {"CatalogId": self.catalog_id} if self.catalog_id else {}
        body = json.dumps({**ids, **fields}).encode()
        pause = _PAUSE_S
        for attempt in range(_ATTEMPTS):
            answer = self._send(action, body)
            if answer.status == 200:
                return self._read(answer)
            kind = _kind_of(answer)
            throttled = kind in _THROTTLED or answer.status in (429, 503)
            if not throttled or attempt + 1 == _ATTEMPTS:
                raise self._failure(answer, kind)
            wanted = answer.headers.get("retry-after", "")
            time.sleep(
                min(max(pause, float(wanted) if wanted.isdecimal() else 0), _LONGEST_PAUSE_S)
            )
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def pages(self, action: str, fields: Mapping[str, Any], key: str) -> Iterator[Any]:
        token = ""
        while True:
            page = self.call(action, {**fields, **({"NextToken": token} if token else {})})
            yield from page.get(key) or ()
            token = str(page.get("NextToken") or "")
            if not token:
                return

    def _send(self, action: str, body: bytes) -> Answer:
        keys = self.keys()
        headers = {
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": f"AWSGlue.{action}",
        }
        if keys.token is not None:
            headers["x-amz-security-token"] = keys.token.reveal()
        url = f"{self.endpoint}/"
        signer = SigV4(keys.key_id.reveal(), keys.key, self.region, "glue")
        signed = signer.headers("POST", url, headers, hashlib.sha256(body).hexdigest())
        return self.http.call("POST", url, signed, body)

    def _read(self, answer: Answer) -> dict[str, Any]:
        try:
            document = answer.json() if answer.body else {}
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise self._unavailable("it sends an answer that cannot be read")
        return document

    def _failure(self, answer: Answer, kind: str) -> SqeError | GlueError:
        """Without Glue's own words: they may quote what it was shown."""
        if kind in _DENIED or (answer.status == 403 and kind not in _KEYS):
            return AccessError(
                ErrorCode.ACCESS_DENIED,
                f"Glue does not let you do that in catalog {self.name}.",
                hint="Its administrator decides, by the keys that the catalog's storage gives you.",
            )
        if kind in _KEYS or answer.status >= 500 or not kind:
            return self._unavailable(f"HTTP {answer.status}" + (f", {kind}" if kind else ""))
        if kind in _THROTTLED:
            return self._unavailable("it has no time for more requests")
        return GlueError(kind)

    def _unavailable(self, why: str) -> UpstreamError:
        return UpstreamError(
            ErrorCode.CATALOG_UNAVAILABLE,
            f"Glue does not answer for catalog {self.name}: {why}.",
            hint="Check the region, the endpoint and the keys of the catalog's storage.",
        )


class GlueStore:
    """Implements ``embedded.store.Store``, as one user."""

    atomic = False

    def __init__(self, client: GlueClient) -> None:
        self._client = client

    @contextmanager
    def read(self) -> Iterator[GlueClient]:
        try:
            yield self._client
        except GlueError as error:
            if error.kind in _CONFLICTS:
                text = f"Somebody else has changed catalog {self._client.name} at the same moment."
                raise conflict(text) from None
            raise invalid(f"Glue refuses it ({error.kind}); nothing was changed.") from None

    write = read

    def close(self) -> None:
        """The connections are everybody's."""


def _kind_of(answer: Answer) -> str:
    try:
        document = answer.json()
        kind = document.get("__type") or document.get("code") or ""
    except (ValueError, AttributeError):
        kind = ""
    kind = str(kind or answer.headers.get("x-amzn-errortype", ""))
    return kind.rpartition("#")[2].partition(":")[0]
