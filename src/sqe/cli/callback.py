"""Where the browser comes back to after a login: a page on this machine, for one visit."""

from __future__ import annotations

import hmac
import secrets
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sqe.errors import AccessError, ErrorCode

_WAIT_S = 300.0
_PATH = "/callback"
_DONE = b"You are logged in. You may close this page."
_FAILED = b"The login failed. You may close this page."


class Callback:
    """Listens on loopback, as RFC 8252 has it. Only a visit with our ``state`` counts."""

    def __init__(self) -> None:
        self.state = secrets.token_urlsafe(32)
        self._answered = threading.Event()
        self._code = ""
        self._server = HTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="login-callback", daemon=True
        )

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{_PATH}"

    def code(self) -> str:
        """Waits for the browser. AUTHENTICATION_FAILED if it brings none, or does not come."""
        came = self._answered.wait(_WAIT_S)
        if not self._code:
            why = "was refused by the identity provider" if came else "took too long"
            raise AccessError(
                ErrorCode.AUTHENTICATION_FAILED, f"The login {why}.", hint="Log in again."
            )
        return self._code

    def __enter__(self) -> Callback:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _come_back(self, path: str) -> tuple[int, bytes]:
        parts = urlsplit(path)
        parameters = {name: values[0] for name, values in parse_qs(parts.query).items()}
        ours = hmac.compare_digest(parameters.get("state", "").encode(), self.state.encode())
        if parts.path != _PATH or not ours or self._answered.is_set():
            return 404, b"There is nothing here."
        self._code = parameters.get("code", "")
        self._answered.set()
        return (200, _DONE) if self._code else (400, _FAILED)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        come_back = self._come_back

        class Handler(BaseHTTPRequestHandler):
            timeout = 5

            def do_GET(self) -> None:
                status, text = come_back(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "text/plain; charset=utf-8")
                self.send_header("Content-Length", str(len(text)))
                self.send_header("Cache-Control", "no-store")
                self.send_header("Referrer-Policy", "no-referrer")
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: a request's line has the code in it."""

        return Handler
