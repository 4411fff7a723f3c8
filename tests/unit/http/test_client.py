"""Calls to other services: what comes back, and what is said when nothing does."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sqe.errors import ErrorCode, Unanswered, UpstreamError
from sqe.http.client import Http, HttpOptions
from tests.unit.server.certificates import Authority

OPTIONS = HttpOptions("The catalog", ErrorCode.CATALOG_UNAVAILABLE, connect_s=1.0, total_s=1.0)


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/away":
            self._answer(302, b"", location="http://127.0.0.1:1/elsewhere")
        elif self.path == "/cookie":
            self._answer(200, self.headers.get("cookie", "none").encode(), set_cookie="a=b")
        elif self.path.startswith("/slow"):
            self.send_response(200)
            self.send_header("content-length", "1000")
            self.end_headers()
            threading.Event().wait(3)
        elif self.path.startswith("/trickle"):
            self.send_response(200)
            self.send_header("content-length", "1000")
            self.end_headers()
            with suppress(OSError):  # until nobody listens any more
                for _ in range(1000):
                    self.wfile.write(b"x")
                    threading.Event().wait(0.05)
        elif self.path.startswith("/short"):
            self.send_response(200)
            self.send_header("content-length", "1000")
            self.end_headers()
            self.wfile.write(b"{")
            self.close_connection = True
        else:
            self._answer(404, b'{"error": 1}')

    def do_POST(self) -> None:
        size = int(self.headers["content-length"])
        self._answer(200, self.rfile.read(size))

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """Clients that hang up are part of the tests."""


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[str]:
    server = Server(("127.0.0.1", 0), Service)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def service() -> Iterator[str]:
    with serving() as url:
        yield url


@contextmanager
def calling(options: HttpOptions = OPTIONS) -> Iterator[Http]:
    http = Http(options)
    try:
        yield http
    finally:
        http.close()


def test_an_answer_is_an_answer_whatever_its_status(service: str) -> None:
    with calling() as http:
        answer = http.call("GET", f"{service}/nowhere")
        assert (answer.status, answer.json()) == (404, {"error": 1})


def test_a_form_is_sent_as_one(service: str) -> None:
    with calling() as http:
        answer = http.form(f"{service}/token", {"grant_type": "password", "user": "a&b"})
    assert answer.body == b"grant_type=password&user=a%26b"


def test_redirects_are_not_followed(service: str) -> None:
    with calling() as http:
        assert http.call("GET", f"{service}/away").status == 302


def test_one_users_cookies_are_not_anothers(service: str) -> None:
    with calling() as http:
        http.call("GET", f"{service}/cookie")
        assert http.call("GET", f"{service}/cookie").body == b"none"


def test_no_proxy_comes_from_the_environment(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with calling() as http:
        assert http.call("GET", f"{service}/nowhere").status == 404


@pytest.mark.parametrize("path", ["slow", "trickle", "short"])
def test_a_body_that_does_not_come_is_a_failure(service: str, path: str) -> None:
    with calling() as http, pytest.raises(UpstreamError) as failure:
        http.call("GET", f"{service}/{path}?token=hunter2")
    assert failure.value.code is ErrorCode.CATALOG_UNAVAILABLE
    assert "The catalog at 127.0.0.1:" in failure.value.message
    assert "hunter2" not in f"{failure.value} {failure.value.__cause__} {failure.value.__context__}"


def test_nobody_there_is_said_with_the_host_and_no_more() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with calling() as http, pytest.raises(UpstreamError, match="cannot be reached") as failure:
        http.call("GET", f"http://ann:hunter2@127.0.0.1:{port}/x?code=hunter2")
    assert "hunter2" not in str(failure.value) and str(port) in str(failure.value)


def test_an_answer_without_end_is_cut_off(service: str) -> None:
    options = HttpOptions("The catalog", ErrorCode.CATALOG_UNAVAILABLE, most_bytes=5)
    with calling(options) as http, pytest.raises(UpstreamError):
        http.call("POST", f"{service}/echo", body=b"more than five")


@pytest.mark.parametrize(("path", "timed_out"), [("slow", True), ("short", False)])
def test_who_did_not_answer_in_full_may_have_done_it(
    service: str, path: str, timed_out: bool
) -> None:
    with calling() as http, pytest.raises(Unanswered) as failure:
        http.call("GET", f"{service}/{path}")
    assert (failure.value.maybe_done, failure.value.timed_out) == (True, timed_out)


def test_who_was_not_there_has_not() -> None:
    with calling() as http, pytest.raises(Unanswered) as failure:
        http.call("POST", "http://127.0.0.1:1/", body=b"{}")
    assert (failure.value.maybe_done, failure.value.timed_out) == (False, False)


@pytest.mark.parametrize("trusted", [True, False])
def test_a_certificate_must_be_signed_by_someone_trusted(tmp_path: Path, trusted: bool) -> None:
    signer, other = Authority(), Authority("someone else")
    pair = signer.server()
    (tmp_path / "pair.pem").write_bytes(pair.certificate + pair.key)
    (tmp_path / "ca.pem").write_bytes(signer.pem if trusted else other.pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "pair.pem")
    options = replace(OPTIONS, authorities=tmp_path / "ca.pem")
    with serving(context) as url, calling(options) as http:
        if trusted:
            assert http.call("GET", f"{url}/nowhere").status == 404
            return
        with pytest.raises(Unanswered, match="SSL") as refused:
            http.call("GET", f"{url}/nowhere")
        assert not refused.value.timed_out
