"""How SQE calls other services over HTTP: the issuer of tokens, catalogs, policy servers.

No cookies, no redirects, no proxies or credentials from the environment; every call ends within
its time. Connections are shared by all users: what tells them apart is in each call's own headers.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, cast
from urllib.parse import urlencode, urlsplit

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, TimeoutError

from sqe.errors import ErrorCode, Unanswered

_CHUNK = 256 * 1024
_NOT_SENT = ConnectTimeoutError  # and what is one: no connection at all


@dataclass(frozen=True, slots=True)
class Answer:
    """Whatever the status. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    def json(self) -> Any:
        """ValueError if it is none."""
        return json.loads(self.body)


class Readable(Protocol):
    def read(self, size: int = -1) -> bytes: ...


class OpenAnswer:
    """An answer whose body is still to come. Header names are lower case."""

    def __init__(
        self, response: urllib3.BaseHTTPResponse, failure: Callable[[Exception], Unanswered]
    ) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        self.reusable = False  # its connection: all of the body has been read
        self._response = response
        self._failure = failure
        self._interrupted = False

    def chunks(self) -> Iterator[bytes]:
        """The body as it was sent, not unpacked. Raises Unanswered; an answer that is cut may just
        end: whoever knows its length looks."""
        try:
            while chunk := self._response.read1(_CHUNK):
                yield chunk
            self.reusable = not self._interrupted
        except (HTTPError, OSError, ValueError) as error:
            raise self._failure(error) from None

    def interrupt(self) -> None:
        """From another thread: who waits for a chunk waits no longer."""
        self._interrupted = True
        with suppress(OSError, ValueError, RuntimeError):  # it has ended
            self._response.shutdown()


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """``what`` is the service in words, for messages; ``unavailable`` the code of its failures."""

    what: str
    unavailable: ErrorCode
    connect_s: float = 5.0
    total_s: float = 30.0
    authorities: Path | None = None  # PEM; None: the system's
    connections: int = 32
    most_bytes: int = 256 * 1024 * 1024


class Pool:
    """Connections, made when they are first needed: reading the system's authorities takes a
    while. Thread-safe."""

    def __init__(self, connections: int = 32, authorities: Path | None = None) -> None:
        self._connections = connections
        self._authorities = str(authorities) if authorities is not None else None
        self._lock = threading.Lock()
        self._made: urllib3.PoolManager | None = None

    def get(self) -> urllib3.PoolManager:
        with self._lock:
            if self._made is None:
                context = ssl.create_default_context(cafile=self._authorities)
                self._made = urllib3.PoolManager(
                    maxsize=self._connections, block=False, ssl_context=context
                )
            return self._made

    def close(self) -> None:
        with self._lock:
            pool, self._made = self._made, None
        if pool is not None:
            pool.clear()


class Http:
    """Calls to one service. Thread-safe."""

    def __init__(self, options: HttpOptions) -> None:
        self._options = options
        self._pool = Pool(options.connections, options.authorities)

    def call(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        *,
        seconds: float | None = None,
    ) -> Answer:
        """``seconds``: for this call, if less than the service's own limit. Raises Unanswered."""
        limit = min(seconds or self._options.total_s, self._options.total_s)
        deadline = time.monotonic() + limit
        timeout = urllib3.Timeout(connect=min(self._options.connect_s, limit), total=limit)
        response: urllib3.BaseHTTPResponse | None = None
        try:
            response = self._pool.get().request(
                method,
                url,
                body=body,
                headers=dict(headers or {}),
                timeout=timeout,
                retries=False,
                redirect=False,
                preload_content=False,
            )
            content = self._content(response, deadline)
            headers_there = {name.lower(): value for name, value in response.headers.items()}
            status = response.status
            response.release_conn()
            return Answer(status, headers_there, content)
        except (HTTPError, OSError, ValueError) as error:
            # Not chained: its text may quote the address with what is in it.
            raise self._failure(url, error, limit) from None
        finally:
            if response is not None and not response.closed and response.connection is not None:
                response.close()  # a connection with an answer half read is of no use

    @contextmanager
    def open(
        self, method: str, url: str, headers: Mapping[str, str], body: Readable | None = None
    ) -> Iterator[OpenAnswer]:
        """For long bodies: the service's limit is for each wait, not for all of it. With ``body``,
        ``headers`` say its length; what its ``read`` raises is raised here."""
        limit = self._options.total_s
        timeout = urllib3.Timeout(connect=min(self._options.connect_s, limit), read=limit)
        try:
            response = self._pool.get().request(
                method,
                url,
                body=cast("IO[bytes] | None", body),
                headers=dict(headers),
                timeout=timeout,
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
        except (HTTPError, OSError, ValueError) as error:
            raise self._failure(url, error, limit) from None
        answer = OpenAnswer(response, lambda error: self._failure(url, error, limit))
        try:
            yield answer
        finally:
            if answer.reusable:
                response.release_conn()
            else:
                response.close()

    def form(
        self, url: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> Answer:
        """POST of a form, as OAuth2 has it."""
        kind = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        return self.call("POST", url, {**kind, **(headers or {})}, urlencode(fields).encode())

    def close(self) -> None:
        self._pool.close()

    def _content(self, response: urllib3.BaseHTTPResponse, deadline: float) -> bytes:
        content = bytearray()
        while chunk := response.read1(_CHUNK, decode_content=True):  # what is there, be it little
            content += chunk
            if len(content) > self._options.most_bytes:
                raise HTTPError("too long an answer")
            if time.monotonic() > deadline:  # it trickles
                raise TimeoutError
        return bytes(content)

    def _failure(self, url: str, error: Exception, limit: float) -> Unanswered:
        host = urlsplit(url).netloc.rpartition("@")[2]
        # urllib3 counts a refused connection as a timeout, too.
        timed_out = isinstance(error, TimeoutError) and not isinstance(error, NewConnectionError)
        why = f"did not answer within {limit:.3g} s"
        if not timed_out:
            why = f"cannot be reached ({_reason(error)})"
        return Unanswered(
            self._options.unavailable,
            f"{self._options.what} at {host} {why}.",
            timed_out=timed_out,
            maybe_done=not isinstance(error, _NOT_SENT),
        )


def _reason(error: BaseException) -> str:
    """The kind of failure, in a few words; never the error's own text."""
    reason = getattr(error, "reason", None)
    named = reason if isinstance(reason, BaseException) else error
    return type(named).__name__
