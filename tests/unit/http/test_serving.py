"""An HTTP server on a thread."""

from __future__ import annotations

import asyncio
import socket
import threading

import httpx2 as httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from sqe.errors import ErrorCode, ResourceError
from sqe.http.serving import HttpThread, ServingOptions

APP = Starlette(routes=[Route("/", lambda request: PlainTextResponse("here"))])


def test_it_serves_from_start_to_stop() -> None:
    server = HttpThread(APP)
    port = server.start()
    assert httpx.get(f"http://127.0.0.1:{port}/").text == "here"
    assert server.url == f"http://127.0.0.1:{port}"
    server.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/")
    assert not [t for t in threading.enumerate() if t.name == f"http-{port}"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_answer_does_not_wait_for_the_acknowledgement_of_its_headers(host: str) -> None:
    at_once = []

    class Looking(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            accepted = transport.get_extra_info("socket")
            at_once.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            super().connection_made(transport)

    server = HttpThread(APP, host, options=ServingOptions(protocol=Looking))
    server.start()
    successor = server.successor(ServingOptions(protocol=Looking))
    assert httpx.get(server.url).text == "here"
    successor.start()
    server.stop()
    assert httpx.get(successor.url).text == "here"
    successor.stop()
    assert len(at_once) == 2
    assert all(at_once)


def test_stopping_twice_or_before_the_start_does_no_harm() -> None:
    server = HttpThread(APP)
    server.stop()
    server.start()
    server.stop()
    server.stop()


def test_the_port_can_be_used_again_at_once() -> None:
    server = HttpThread(APP)
    port = server.start()
    httpx.get(server.url)
    server.stop()
    again = HttpThread(APP, port=port)
    assert again.start() == port
    again.stop()


def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ResourceError, match=f"127.0.0.1:{port}") as caught:
            HttpThread(APP, port=port).start()
    assert caught.value.code is ErrorCode.PORT_IN_USE
