"""A service in front of another that passes everything on, keeps what it saw, and can be told to
refuse, to change or to dawdle: what a test knows of a catalog and a storage from outside."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_KEY_ID = re.compile(r"Credential=([^/]+)/")
_HOP = ("connection", "keep-alive", "transfer-encoding", "expect", "content-length")


@dataclass(frozen=True)
class Seen:
    """One request. ``who`` is the key id of a signature, or a digest of a bearer token."""

    at: float
    method: str
    path: str
    who: str
    status: int


@dataclass
class Front:
    """``refuse`` says with which status and body a request by ``who`` is turned away, if it is."""

    upstream: str
    refuse: Callable[[str, str], tuple[int, bytes] | None] = lambda who, path: None
    rewrite: Callable[[bytes], bytes] = lambda body: body
    delay: Callable[[str, str], float] = lambda method, path: 0.0
    url: str = ""
    seen: list[Seen] = field(default_factory=list)

    def of(self, method: str, part: str) -> list[Seen]:
        """What was asked by that method of paths with that part in them, and answered well."""
        return [
            one
            for one in list(self.seen)
            if one.method == method and part in one.path and one.status < 300
        ]

    @contextmanager
    def running(self) -> Iterator[Front]:
        front = self

        class Handler(_Handler):
            service = front

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Front

    def log_message(self, format: str, *args: Any) -> None:
        """Tests have their own words."""

    def _pass_on(self) -> None:
        front = self.service
        body = self._body()
        who = _who(self.headers.get("Authorization", ""))
        time.sleep(front.delay(self.command, self.path))
        refused = front.refuse(who, self.path)
        status, headers, content = (
            (refused[0], {}, refused[1]) if refused is not None else self._ask(body)
        )
        front.seen.append(Seen(time.monotonic(), self.command, self.path, who, status))
        if self.command != "HEAD":
            content = front.rewrite(content)
            headers = {k: v for k, v in headers.items() if k.lower() != "content-length"}
            headers["Content-Length"] = str(len(content))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(self.service.upstream)
        upstream = HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        try:
            # As it came, and the name of the host with it: signatures cover that.
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP:
                    upstream.putheader(name, value)
            if body or self.command in ("PUT", "POST"):
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body or None)
            answer = upstream.getresponse()
            content = answer.read()
            kept: Mapping[str, str] = dict(answer.getheaders())
            dropped = ("connection", "transfer-encoding", "keep-alive")
            headers = {k: v for k, v in kept.items() if k.lower() not in dropped}
            return answer.status, headers, content
        finally:
            upstream.close()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        content = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            content += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return content

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on


def _who(authorization: str) -> str:
    found = _KEY_ID.search(authorization)
    if found is not None:
        return found.group(1)
    return hashlib.sha256(authorization.encode()).hexdigest()[:16] if authorization else ""
