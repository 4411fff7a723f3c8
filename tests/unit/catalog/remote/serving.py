"""A catalog server on this machine, for people with tokens, and one that answers by script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from sqe.catalog.protocol import Catalog
from sqe.catalog.remote.breaker import Breaker
from sqe.catalog.remote.caller import CatalogClient
from sqe.catalog.remote.catalog import RestCatalog
from sqe.catalog.remote.options import RestOptions
from sqe.catalog.remote.service import Service
from sqe.catalog.rest.routes import catalog_app
from sqe.errors import AccessError, ErrorCode
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token


def person(name: str, token: str = "", login: str = "") -> Identity:
    """Someone whose token is their name, unless it is said."""
    passport = Passport(Token(Secret(token or name)), login or f"{name}'s login")
    return Identity(name, issuer="https://issuer.test", passport=passport)


@contextmanager
def service(uri: str, breaker: Breaker | None = None, **options: Any) -> Iterator[Service]:
    made = Service(replace(RestOptions("lake", uri, timeout_s=5.0), **options), breaker)
    try:
        yield made
    finally:
        made.close()


def opened(service: Service, identity: Identity) -> RestCatalog:
    return RestCatalog(CatalogClient(service, identity))


@dataclass
class Served:
    """``seen``: each request as method, path, and headers."""

    url: str
    seen: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def count(self, method: str, ending: str) -> int:
        return sum(1 for m, path, _ in self.seen if m == method and path.endswith(ending))


@contextmanager
def served(catalogs: Mapping[str, Catalog], prefix: str = "") -> Iterator[Served]:
    """Each token opens one catalog; no token, or another, none."""

    def open_catalog(bearer: str | None) -> Catalog:
        found = catalogs.get(bearer or "")
        if found is None:
            raise AccessError(ErrorCode.AUTHENTICATION_FAILED, "Unauthorized")
        return found

    made = Served("")
    thread = HttpThread(_recorded(catalog_app(open_catalog, prefix=prefix), made))
    thread.start()
    made.url = thread.url
    try:
        yield made
    finally:
        thread.stop()


def _recorded(app: ASGIApp, served: Served) -> ASGIApp:
    async def recording(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        served.seen.append((scope["method"], scope["raw_path"].decode(), headers))
        await app(scope, receive, send)

    return recording


@dataclass(frozen=True)
class Reply:
    """``cut``: how many bytes of the body are sent before the connection is closed."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    wait: threading.Event | None = None  # nothing is sent before it is set


Script = Callable[[str, str], Reply]  # of method and path

CONFIG = Reply(body=b'{"defaults": {}, "overrides": {}}')


@contextmanager
def lake(
    script: Script, identity: Identity, config: Reply = CONFIG, **options: Any
) -> Iterator[tuple[Served, RestCatalog]]:
    with scripted(script, config) as there, service(there.url, **options) as made:
        yield there, opened(made, identity)


def error(status: int, kind: str, message: str = "no", **headers: str) -> Reply:
    body = {"error": {"type": kind, "message": message, "code": status}}
    return Reply(status, json.dumps(body).encode(), headers)


@contextmanager
def scripted(script: Script, config: Reply = CONFIG) -> Iterator[Served]:
    """``config`` is the answer to ``/v1/config``, the script gives the others."""
    made = Served("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            path, _, _ = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.seen.append((self.command, self.path, headers))
            reply = config if path == "/v1/config" else script(self.command, self.path)
            if reply.wait is not None:
                reply.wait.wait(30)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
            self.close_connection = reply.cut is not None

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """Clients that hang up are part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
