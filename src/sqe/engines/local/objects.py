"""Reads objects over HTTP, with what the table's catalog gave for it and nothing else.

Not with a library of the store's vendor: those look for keys, regions and addresses in the
environment, in files of SQE's own user and on the network.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
    SSLError,
    TimeoutError,
)

from sqe.engines.local.failures import StoreFailed, file_missing, keys_refused, unavailable
from sqe.engines.local.signing import Signer, Ticket
from sqe.http.client import Pool

_ATTEMPTS = 3
_PAUSE_S = 0.1  # before another attempt
_CHUNK = 256 * 1024
_CONNECT_S = 5.0
_WHOLE = 4  # times the time for one answer: for reading a whole small file
_NO_WAY = (ConnectTimeoutError, NewConnectionError, SSLError)
_AGAIN = (408, 429, 500, 502, 503, 504)


class Objects:
    """Thread-safe. Connections are shared by all users: what tells them apart is in each request's
    own headers."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._pool = Pool()

    def read(self, signer: Signer, path: str, span: tuple[int, int] | None = None) -> bytes:
        """A whole small object, or ``span``: offset and size of a part."""
        part = f"bytes={span[0]}-{span[0] + span[1] - 1}" if span is not None else ""
        for attempt in range(_ATTEMPTS):
            deadline = time.monotonic() + _WHOLE * self._timeout_s
            try:
                with self.open(signer, "GET", path, part) as response:
                    content = b"".join(_until(deadline, chunks(response)))
            except (HTTPError, OSError) as error:
                if attempt + 1 == _ATTEMPTS or isinstance(error, TimeoutError):
                    raise unavailable(_kind(error)) from None
                continue
            if span is None or len(content) == span[1]:
                return content
            raise file_missing(path)
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def open(
        self, signer: Signer, method: str, path: str, part: str = ""
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        """An answer whose body is still to come. ``part`` is a Range header's value. One that is
        refused is asked for once more, if there are other keys."""
        response = self._answer(signer, method, path, part)
        try:
            yield response
        except BaseException:
            response.close()  # a connection with an answer half read is of no use
            raise
        response.release_conn()

    def close(self) -> None:
        self._pool.close()

    def _answer(
        self, signer: Signer, method: str, path: str, part: str
    ) -> urllib3.BaseHTTPResponse:
        failure: Exception = unavailable("")
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_PAUSE_S)
            ticket = signer.sign(method, path)
            try:
                response = self._send(ticket, method, part)
            except (HTTPError, OSError, ValueError) as error:
                failure = _store_error(error)
                if isinstance(error, TimeoutError):  # long enough
                    break
                continue
            if response.status == (206 if part else 200):
                return response
            response.close()
            failure = unavailable(f"it answers HTTP {response.status}")
            if response.status in (401, 403):
                if attempt or not ticket.renew():
                    raise keys_refused(path)
            elif response.status in (404, 410, 416):
                raise file_missing(path)
            elif response.status not in _AGAIN:
                break
        raise failure from None

    def _send(self, ticket: Ticket, method: str, part: str) -> urllib3.BaseHTTPResponse:
        headers = {**ticket.headers, **({"range": part} if part else {})}
        connect_s = min(_CONNECT_S, self._timeout_s)
        return self._pool.get().request(
            method,
            ticket.url,
            headers=headers,
            timeout=urllib3.Timeout(connect=connect_s, read=self._timeout_s),
            retries=False,
            redirect=False,
            preload_content=False,
            decode_content=False,
        )


def chunks(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """The body as it comes, all of it or HTTPError."""
    wanted = int(response.headers.get("content-length", "-1"))
    received = 0
    while chunk := response.read1(_CHUNK):
        received += len(chunk)
        yield chunk
    if wanted not in (-1, received):
        raise HTTPError("the answer is cut")


def _until(deadline: float, parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        if time.monotonic() > deadline:
            raise HTTPError("it trickles")
        yield part


def _store_error(error: BaseException) -> Exception:
    if isinstance(error, _NO_WAY):
        return StoreFailed(f"the object store cannot be reached ({_kind(error)})")
    return unavailable(_kind(error))


def _kind(error: BaseException) -> str:
    """Not its text, which may quote the address with what is in it."""
    return type(error).__name__
