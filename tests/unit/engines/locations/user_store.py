"""An object store on loopback that exchanges tokens for keys, as far as fetching needs one."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

KEYS = ("AKIA-SHOWN-TO-NOBODY", "very-secret-key", "very-secret-session")
# Answers a request itself, if it returns True.
Fault = Callable[[BaseHTTPRequestHandler], bool]


class UserStore:
    """``objects`` by key, of the one bucket ``bucket``; ``asked`` are the forms that STS got."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.page = 1000
        self.expiration = "2999-01-01T00:00:00Z"
        self.asked: list[dict[str, str]] = []
        self.requests: list[str] = []
        self.fault: Fault | None = None
        store = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                store.requests.append(f"{self.command} {self.path}")
                if store.fault is None or not store.fault(self):
                    store.read(self)

            do_HEAD = do_GET

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
                store.asked.append({name: values[0] for name, values in form.items()})
                if store.fault is None or not store.fault(self):
                    send(self, 200, store.keys())

            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                store.requests.append(f"{self.command} {self.path}")
                if store.fault is None or not store.fault(self):
                    store.write(self, body)

            def log_message(self, *args: object) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def keys(self) -> bytes:
        names = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
        parts = zip(names, (*KEYS, self.expiration), strict=True)
        inner = "".join(f"<{name}>{value}</{name}>" for name, value in parts)
        kind = "AssumeRoleWithWebIdentity"
        return (
            f'<{kind}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{kind}Result>'
            f"<Credentials>{inner}</Credentials></{kind}Result></{kind}Response>"
        ).encode()

    def read(self, request: BaseHTTPRequestHandler) -> None:
        address = urlsplit(request.path)
        bucket, _, key = unquote(address.path).removeprefix("/").partition("/")
        signed = f"Credential={KEYS[0]}/" in request.headers.get("authorization", "")
        if not signed or request.headers.get("x-amz-security-token") != KEYS[2]:
            send(request, 403, error("InvalidAccessKeyId", KEYS[0]))
        elif bucket != "bucket":
            send(request, 404, error("NoSuchBucket"))
        elif not key:
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            send(request, 200, self._list(query))
        elif key not in self.objects:
            send(request, 404, error("NoSuchKey"))
        elif request.headers.get("if-match", self._tag(key)) != self._tag(key):
            send(request, 412, error("PreconditionFailed"))
        else:
            send(request, 200, self.objects[key], etag=self._tag(key))

    def write(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        key = unquote(urlsplit(request.path).path).removeprefix("/bucket/")
        digest = hashlib.sha256(body).hexdigest()
        if request.headers.get("x-amz-content-sha256") != digest:
            send(request, 400, error("XAmzContentSHA256Mismatch"))
        elif request.headers.get("if-none-match") == "*" and key in self.objects:
            send(request, 412, error("PreconditionFailed"))
        else:
            self.objects[key] = body
            send(request, 200, b"")

    def _list(self, query: dict[str, str]) -> bytes:
        prefix, start = query.get("prefix", ""), query.get("continuation-token", "")
        keys = [key for key in sorted(self.objects) if key.startswith(prefix) and key > start]
        if query.get("delimiter"):
            keys = [key for key in keys if "/" not in key[len(prefix) :]]
        shown = keys[: self.page]
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.objects[key])}</Size>"
            f"<ETag>{escape(self._tag(key))}</ETag></Contents>"
            for key in shown
        )
        more = len(keys) > len(shown)
        token = (
            f"<NextContinuationToken>{escape(shown[-1])}</NextContinuationToken>" if more else ""
        )
        truncated = f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
        return f"<ListBucketResult>{truncated}{token}{entries}</ListBucketResult>".encode()

    def _tag(self, key: str) -> str:
        return f'"{hash(self.objects[key])}"'


def send(request: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(body)


def error(code: str, said: str = "") -> bytes:
    return f"<Error><Code>{code}</Code><Message>No: {said}</Message></Error>".encode()


@contextmanager
def user_store() -> Iterator[UserStore]:
    store = UserStore()
    try:
        yield store
    finally:
        store.close()
