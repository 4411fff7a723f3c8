"""An S3 on loopback through which DuckDB reads what it cannot read by itself: files whose every
request is signed by the catalog, and scans that outlive their keys.

A query gets a key of its own, which opens that query's planned files for reading and nothing else,
until the query ends. Bytes are passed on as they come.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.exceptions import HTTPError

from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.objects import Objects, chunks
from sqe.engines.local.signing import Signer
from sqe.engines.protocol import GaveUp
from sqe.errors import SqeError
from sqe.model.identity import Secret

_CREDENTIAL = re.compile(r"\bCredential=([\w-]+)/")
_PART = re.compile(r"bytes=\d*-\d*")
_PASSED_ON = ("content-length", "content-range", "etag", "last-modified", "accept-ranges")
_IDLE_S = 60
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Reading:
    """What one query may read here. ``failure`` is the last request's that failed, if any did:
    DuckDB knows no more than its status."""

    files: Mapping[str, Signer]
    port: int
    key_id: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    failure: Exception | None = None

    def keys(self) -> S3Credentials:
        """For DuckDB, which then has no others."""
        return S3Credentials(
            prefix="s3://",
            region="us-east-1",
            endpoint=f"http://127.0.0.1:{self.port}",
            path_style=True,
            key_id=Secret(self.key_id),
            key=Secret(secrets.token_urlsafe(24)),
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """DuckDB has gone away; the query says whether it should have."""
        _log.debug("a connection to the loopback ended", exc_info=True)


class Loopback:
    """One for all queries; it listens from the first that needs it on. Thread-safe."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._lock = threading.Lock()
        self._readings: dict[str, Reading] = {}
        self._server: ThreadingHTTPServer | None = None

    def admit(self, files: Mapping[str, Signer]) -> Reading:
        with self._lock:
            if self._server is None:
                self._server = self._listen()
            reading = Reading(files, self._server.server_address[1])
            self._readings[reading.key_id] = reading
        return reading

    def withdraw(self, reading: Reading) -> None:
        with self._lock:
            self._readings.pop(reading.key_id, None)

    def close(self) -> None:
        with self._lock:
            server, self._server = self._server, None
            self._readings.clear()
        if server is not None:
            server.shutdown()
            server.server_close()

    def _listen(self) -> ThreadingHTTPServer:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = _IDLE_S
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                loopback.answer(self)

            def do_HEAD(self) -> None:
                loopback.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                return None

        server = _Server(("127.0.0.1", 0), Handler)
        name = "local-loopback"
        threading.Thread(target=server.serve_forever, args=(0.1,), name=name, daemon=True).start()
        return server

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        shown = _CREDENTIAL.search(request.headers.get("Authorization", ""))
        with self._lock:
            reading = self._readings.get(shown[1]) if shown else None
        address = urlsplit(request.path)
        path = "s3://" + unquote(address.path).removeprefix("/")
        part = request.headers.get("Range", "")
        signer = reading.files.get(path) if reading is not None else None
        odd = address.query or (part and not _PART.fullmatch(part))
        if reading is None or signer is None or odd:
            _refuse(request, 403)
            return
        try:
            with self._objects.open(signer, request.command, path, part) as response:
                _pass_on(request, response)
        except (SqeError, GaveUp) as failure:
            reading.failure = failure
            _refuse(request, 403 if isinstance(failure, SqeError) else 503)
        except (HTTPError, OSError):
            request.close_connection = True  # in the middle of the answer, which stays cut


def _pass_on(request: BaseHTTPRequestHandler, response: urllib3.BaseHTTPResponse) -> None:
    request.send_response(response.status)
    for name in _PASSED_ON:
        if name in response.headers:
            request.send_header(name, response.headers[name])
    request.end_headers()
    if request.command != "HEAD":
        for chunk in chunks(response):
            request.wfile.write(chunk)


def _refuse(request: BaseHTTPRequestHandler, status: int) -> None:
    request.send_response(status)
    request.send_header("Content-Length", "0")
    request.end_headers()
