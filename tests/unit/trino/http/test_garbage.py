"""Requests that are wrong, too large or too many; clients that go away or do not read."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette

from sqe.admission.admission import Admission, groups_of_settings
from sqe.http.serving import HttpThread, ServingOptions
from sqe.trino.http.connections import ClientConnection
from sqe.trino.http.options import TrinoOptions
from tests.unit.trino.http.serving import (
    ALL_RIGHT,
    Answer,
    Endless,
    Hanging,
    Serving,
    first_executing,
    follow,
    rows,
    serving,
)

BAD, TOO_LARGE, TOO_MANY, NOT_ALLOWED, MISSING = 400, 413, 429, 405, 404
HUGE = (400, 431)  # who refuses depends on how the network cuts the request


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    answers: dict[str, Answer] = {
        "two": rows((1, "a"), (2, "b")),
        "hanging": Hanging(),
        "endless": Endless(),
    }
    options = TrinoOptions(
        statement_bytes=100_000,
        header_bytes=32 * 1024,
        wait_s=0.2,
        page_bytes=1 << 20,
    )
    five = Admission(groups_of_settings(5, 5, 20))
    with serving(tmp_path, answers, options, admission=five) as found:
        yield found


@pytest.mark.parametrize("body", [b"", b"  \n", b"SELECT '\xff'", b"\xc3"])
def test_a_body_that_is_no_text_is_refused(served: Serving, body: bytes) -> None:
    with served.client() as client:
        assert client.post("/v1/statement", content=body).status_code == BAD


def test_a_body_that_is_much_too_large_is_not_read(served: Serving) -> None:
    with served.client() as client:
        response = client.post("/v1/statement", content=b"x" * 3_000_000)
        assert response.status_code == TOO_LARGE
        assert follow(client, "two").rows


def test_headers_that_are_too_large_are_refused_and_others_are_not(served: Serving) -> None:
    with served.client() as client:
        large = {"X-Trino-Prepared-Statement": "p=" + "x" * 20_000}
        assert follow(client, "two", large).rows
        huge = {"X-Trino-Prepared-Statement": "p=" + "x" * 100_000}
        assert client.post("/v1/statement", content=b"two", headers=huge).status_code in HUGE
        assert follow(client, "two").rows


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PUT", "/v1/statement", NOT_ALLOWED),
        ("GET", "/v1/statement", NOT_ALLOWED),
        ("POST", "/v1/info", NOT_ALLOWED),
        ("GET", "/v1/statement/queued/a/b", MISSING),
        ("GET", "/v1/statement/executing/..%2f..%2fetc/y/0", MISSING),
        ("GET", "/v1/nothing", MISSING),
        ("GET", "/oauth2/callback", MISSING),  # nobody has configured it
    ],
)
def test_there_is_nothing_else(served: Serving, method: str, path: str, status: int) -> None:
    with served.client() as client:
        assert client.request(method, path).status_code == status


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"POST /v1/statement HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/statement HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"no http at all\r\n\r\n",
    ],
)
def test_what_is_not_http_does_no_harm(served: Serving, sent: bytes) -> None:
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port), 5) as raw:
        raw.sendall(sent)
        assert b"400" in raw.recv(1000) or raw.recv(1000) == b""
    with served.client() as client:
        assert follow(client, "two").rows


def test_a_client_that_leaves_in_the_middle_of_its_statement(served: Serving) -> None:
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port), 5) as raw:
        raw.sendall(
            b"POST /v1/statement HTTP/1.1\r\nHost: localhost\r\nX-Trino-User: lab\r\n"
            b"Content-Length: 1000\r\n\r\nSELECT"
        )
    with served.client() as client:
        assert follow(client, "two").rows
    assert [request.text for request in served.script.requests] == ["two"]


def test_a_client_that_does_not_end_its_statement_is_not_waited_for(tmp_path: Path) -> None:
    with serving(tmp_path, {}, TrinoOptions(request_s=0.3)) as served:
        address = urlsplit(served.url)
        with socket.create_connection((address.hostname, address.port), 20) as raw:
            raw.sendall(
                b"POST /v1/statement HTTP/1.1\r\nHost: localhost\r\nX-Trino-User: lab\r\n"
                b"Content-Length: 1000\r\n\r\nSELECT"
            )
            assert b"408" in raw.recv(1000)


def test_a_client_that_does_not_end_its_headers_is_hung_up_on() -> None:
    class Hasty(ClientConnection):
        request_s = 0.3

    http = HttpThread(Starlette(), options=ServingOptions(protocol=Hasty))
    port = http.start()
    try:
        for begun in (b"", b"GET / HTTP/1.1\r\nHost: x"):
            with socket.create_connection(("127.0.0.1", port), 20) as raw:
                raw.sendall(begun)
                with suppress(ConnectionResetError):
                    assert raw.recv(1000) == b""  # or a timeout of ours
    finally:
        http.stop()


def test_a_client_that_does_not_read_keeps_nobody_waiting(served: Serving) -> None:
    address = urlsplit(served.url)
    with served.client() as client:
        path = urlsplit(first_executing(client, "endless")).path
        with socket.create_connection((address.hostname, address.port), 5) as raw:
            raw.sendall(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Trino-User: lab\r\n\r\n".encode()
            )
            for _ in range(3):
                assert follow(client, "two").rows


def test_statements_wait_for_their_turn(served: Serving) -> None:
    """Ten at once where five may run: nobody is refused."""

    def ask(_: int) -> int:
        with served.client() as client:
            return len(follow(client, "two").rows)

    with ThreadPoolExecutor(10) as threads:
        assert list(threads.map(ask, range(50))) == [2] * 50


def test_too_many_are_told_to_come_again(served: Serving) -> None:
    hanging = served.script.answers["hanging"]
    assert isinstance(hanging, Hanging)
    with served.client() as client:
        for _ in range(25):  # five run, twenty wait
            assert client.post("/v1/statement", content=b"hanging").status_code == ALL_RIGHT
        response = client.post("/v1/statement", content=b"two")
        assert response.status_code == TOO_MANY
        assert response.headers["retry-after"] == "1"


def test_a_statement_waits_until_another_has_ended(served: Serving) -> None:
    hanging = served.script.answers["hanging"]
    assert isinstance(hanging, Hanging)
    with served.client() as client:
        for _ in range(5):
            assert client.post("/v1/statement", content=b"hanging").status_code == ALL_RIGHT
        first = client.post("/v1/statement", content=b"two").json()
        waiting = client.get(first["nextUri"]).json()
        assert (waiting["stats"]["state"], waiting["stats"]["queued"]) == ("QUEUED", True)
        info = client.get(f"/v1/query/{first['id']}").json()
        assert info["resourceGroupId"] == ["global", "anonymous"]
        assert not [t for t in threading.enumerate() if first["id"] in t.name]
        threading.Timer(0.1, hanging.go.set).start()
        assert follow(client, "two").rows


def test_a_gateway_that_is_full_is_said_so(tmp_path: Path) -> None:
    hanging = Hanging()
    admission = Admission(groups_of_settings(1, 1, 0))
    with (
        serving(tmp_path, {"hanging": hanging}, admission=admission) as served,
        served.client() as client,
    ):
        assert client.post("/v1/statement", content=b"hanging").status_code == ALL_RIGHT
        response = client.post("/v1/statement", content=b"hanging")
        assert (response.status_code, response.headers["retry-after"]) == (TOO_MANY, "1")
        hanging.go.set()


def test_two_hundred_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, {"two": rows((1, "a"), (2, "b"))}) as served:

        def ask(_: int) -> int:
            with served.client() as client:
                return len(follow(client, "two").rows)

        with ThreadPoolExecutor(200) as threads:
            assert list(threads.map(ask, range(200))) == [2] * 200
