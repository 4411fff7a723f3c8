"""Sinks that others take the lines of: over real sockets, slow, hanging, gone and back."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sqe.audit.events import Events, RuleEvent
from sqe.audit.http_lines import AuditOverHttp, HttpTransport
from sqe.audit.sent_lines import SentLines
from sqe.audit.stdout_lines import AuditOnStdout, StreamTransport
from sqe.audit.syslog import AuditToSyslog, SyslogPlace, SyslogTransport
from sqe.errors import ErrorCode, UpstreamError
from sqe.http.client import Http, HttpOptions
from sqe.model.identity import Secret
from tests.unit.server.certificates import Authority

_MB = 1 << 20
_PAUSES = (0.01, 0.05)
_HEAD = re.compile(rb"<(\d+)>1 (\S+Z) (\S+) sqe (\d+) (\w+) - (\{.*\})", re.DOTALL)


def rule(number: int, more: str = "") -> RuleEvent:
    return RuleEvent("root", 12.5, f"GRANT {number}{more}")


def wait_until(condition: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(3_000):
        if condition():
            return
        waiting.wait(0.01)
    raise AssertionError("it did not come to be")


class Service:
    """Takes lines over HTTP: as it is told to."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.headers: list[str | None] = []
        self.bodies = 0
        self.status = 200
        self.goes_on = threading.Event()
        self.goes_on.set()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                service.goes_on.wait(30)
                service.headers.append(self.headers["authorization"])
                service.bodies += 1
                status = 400 if b"poison" in body else service.status
                if status == 200:
                    service.lines += [json.loads(line) for line in body.splitlines()]
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                return None

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that has hung up is part of the tests."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/audit"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.goes_on.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def whats(self) -> list[str]:
        return [str(line["what"]) for line in self.lines if "what" in line]


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


@contextmanager
def over_http(url: str, **given: Any) -> Iterator[AuditOverHttp]:
    patience_s = given.pop("patience_s", 20.0)
    most_bytes = given.pop("most_bytes", _MB)
    options = HttpOptions("it", ErrorCode.AUDIT_UNAVAILABLE, total_s=given.pop("total_s", 20.0))
    transport = HttpTransport(Http(options), url, {"authorization": Secret("Bearer hidden")})
    sink = AuditOverHttp(transport, most_bytes, patience_s, pauses_s=_PAUSES, **given)
    with closing(sink):
        yield sink


def test_lines_arrive_in_order_and_many_at_once(service: Service) -> None:
    service.goes_on.clear()
    with over_http(service.url) as sink:
        for number in range(300):
            sink.note_change(rule(number))
        service.goes_on.set()
        sink.confirm()
    assert service.whats == [f"GRANT {number}" for number in range(300)]
    assert service.bodies < 10
    assert set(service.headers) == {"Bearer hidden"}


def test_what_is_refused_for_a_while_is_sent_again(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    service.status = 503
    with over_http(service.url) as sink:
        sink.note_change(rule(1))
        wait_until(lambda: service.bodies > 3)
        service.status = 200
        wait_until(lambda: service.whats == ["GRANT 1"])
        sink.confirm()
        assert sink.dropped_lines == 0
    assert "cannot be written" in caplog.text and "is written again" in caplog.text
    assert "hidden" not in caplog.text


def test_a_line_that_is_never_wanted_does_not_hold_up_the_others(service: Service) -> None:
    service.goes_on.clear()
    with over_http(service.url) as sink:
        for more in ("", " poison", ""):
            sink.note_change(rule(1, more))
        service.goes_on.set()
        sink.confirm()
        wait_until(lambda: any(line["event"] == "events_lost" for line in service.lines))
        assert (service.whats, sink.dropped_lines) == (["GRANT 1", "GRANT 1"], 1)


@pytest.mark.parametrize("required", [False, True])
def test_a_service_that_hangs_holds_nobody_and_what_is_lost_is_counted(
    service: Service, required: bool
) -> None:
    service.goes_on.clear()
    with over_http(service.url, most_bytes=2_000, required=required, patience_s=0.1) as sink:
        events = Events([sink], [sink] if required else [])
        for number in range(100):
            events.note_change(rule(number))
        lost = events.failures["AuditOverHttp"]
        assert 50 < lost < 100
        if required:
            for _ in range(3):
                with pytest.raises(UpstreamError) as raised:
                    events.check()
                assert raised.value.code is ErrorCode.AUDIT_UNAVAILABLE
        else:
            events.check()
        service.goes_on.set()
        wait_until(lambda: _recovers(events))
        wait_until(lambda: any(line["event"] == "events_lost" for line in service.lines))
        (gap,) = [line["count"] for line in service.lines if line["event"] == "events_lost"]
        assert gap == lost
        assert len(service.whats) == 100 - lost


def _recovers(events: Events) -> bool:
    try:
        events.check()
    except UpstreamError:
        return False
    return True


def test_who_is_required_is_waited_for(service: Service) -> None:
    with over_http(service.url, required=True) as sink:
        events = Events([sink], [sink])
        for number in range(3):
            events.note_change(rule(number))
            events.check()
            assert service.whats[-1] == f"GRANT {number}"


def test_nobody_waits_longer_than_they_are_told_to(service: Service) -> None:
    service.goes_on.clear()
    with over_http(service.url, required=True, patience_s=0.2) as sink:
        events = Events([sink], [sink])
        events.note_change(rule(1))
        with pytest.raises(UpstreamError):
            events.check()
        service.goes_on.set()
        wait_until(lambda: _recovers(events))
        assert service.whats == ["GRANT 1"]


def test_a_service_that_is_not_there_refuses_at_once_where_it_is_required() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with over_http(f"http://127.0.0.1:{port}", required=True) as sink:
        events = Events([sink], [sink])
        events.check()  # nothing has to be recorded yet
        events.note_change(rule(1))
        with pytest.raises(UpstreamError):
            events.check()


def parsed(message: bytes) -> tuple[int, str, str]:
    """The priority, the kind of event, and what it says."""
    match = _HEAD.fullmatch(message)
    assert match is not None, message
    assert int(match[4]) == os.getpid() and match[3].decode() == socket.gethostname()
    line = json.loads(match[6])
    assert line["event"] == match[5].decode()
    return int(match[1]), line["event"], line["what"]


@contextmanager
def to_syslog(place: SyslogPlace, **given: Any) -> Iterator[AuditToSyslog]:
    transport = SyslogTransport(place, "local0", 20.0)
    with closing(AuditToSyslog(transport, _MB, 20.0, pauses_s=_PAUSES, **given)) as sink:
        yield sink


def frames(stream: socket.socket, count: int) -> list[bytes]:
    found: list[bytes] = []
    with stream.makefile("rb") as file:
        while len(found) < count:
            digits = b""
            while (digit := file.read(1)).isdigit():
                digits += digit
            found.append(file.read(int(digits)))
    return found


@pytest.mark.parametrize("scheme", ["udp", "unix"])
def test_datagrams_of_syslog(tmp_path: Path, scheme: str) -> None:
    family = socket.AF_UNIX if scheme == "unix" else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as receiver:
        receiver.settimeout(30)
        receiver.bind(str(tmp_path / "log") if scheme == "unix" else ("127.0.0.1", 0))
        place = SyslogPlace("unix", str(tmp_path / "log"))
        if scheme == "udp":
            place = SyslogPlace("udp", "127.0.0.1", receiver.getsockname()[1])
        with to_syslog(place) as sink:
            sink.note_change(rule(1, " ü"))
            assert parsed(receiver.recv(70_000)) == (134, "rule_changed", "GRANT 1 ü")
            sink.note_change(rule(2, "\u4e2d" * 90_000))
            long = receiver.recv(70_000)
            assert parsed(long)[2].startswith("GRANT 2\u4e2d")
            assert b'"cut": true' in long


@pytest.mark.parametrize("scheme", ["tcp", "unix"])
def test_a_connection_of_syslog_is_made_anew_when_it_has_ended(tmp_path: Path, scheme: str) -> None:
    with socket.socket(socket.AF_UNIX if scheme == "unix" else socket.AF_INET) as listener:
        listener.settimeout(30)
        listener.bind(str(tmp_path / "log") if scheme == "unix" else ("127.0.0.1", 0))
        listener.listen()
        place = SyslogPlace("unix", str(tmp_path / "log"))
        if scheme == "tcp":
            place = SyslogPlace("tcp", "127.0.0.1", listener.getsockname()[1])
        with to_syslog(place) as sink:
            sink.note_change(rule(1))
            with listener.accept()[0] as first:
                first.settimeout(30)
                assert [parsed(m)[2] for m in frames(first, 1)] == ["GRANT 1"]
            sink.note_change(rule(2))
            sink.note_change(rule(3))
            with listener.accept()[0] as second:
                second.settimeout(30)
                assert [parsed(m)[2] for m in frames(second, 2)] == ["GRANT 2", "GRANT 3"]


def _received(listener: socket.socket, context: ssl.SSLContext) -> bytes:
    """What the next connection says in its first frame; nothing, if it does not trust us."""
    first = listener.accept()[0]
    first.settimeout(30)
    try:
        with context.wrap_socket(first, server_side=True) as encrypted:
            return frames(encrypted, 1)[0]
    except (OSError, ValueError):
        first.close()
        return b""


@pytest.mark.parametrize("trusted", [True, False])
def test_syslog_over_tls_tells_only_who_is_trusted(tmp_path: Path, trusted: bool) -> None:
    ours, others = Authority(), Authority("somebody else")
    pair = ours.server()
    for name, content in (("cert", pair.certificate), ("key", pair.key)):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "authorities").write_bytes((ours if trusted else others).pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        port = listener.getsockname()[1]
        with to_syslog(SyslogPlace("tls", "localhost", port, tmp_path / "authorities")) as sink:
            sink.note_change(rule(2))
            message = _received(listener, context)
    assert (parsed(message)[2] == "GRANT 2") if trusted else (message == b"")


def test_a_stream_has_the_lines_and_a_reader_that_sleeps_holds_nobody() -> None:
    reading, writing = os.pipe()
    with open(reading) as reader:
        sink: SentLines = AuditOnStdout(StreamTransport(writing), 8 * _MB, 0.1)
        for number in range(2_000):  # more than a pipe holds
            sink.note_change(rule(number, " " + "x" * 100))
        with pytest.raises(OSError, match="not taken"):
            sink.confirm()
        lines = [json.loads(reader.readline()) for _ in range(2_000)]
        assert [line["what"].split()[1] for line in lines] == [str(n) for n in range(2_000)]
        wait_until(lambda: _confirms(sink))
        sink.close()
        os.close(writing)
        assert reader.read() == ""


def _confirms(sink: SentLines) -> bool:
    try:
        sink.confirm()
    except OSError:
        return False
    return True
