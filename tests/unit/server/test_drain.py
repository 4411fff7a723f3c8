"""A server that is stopped: who is owed an answer gets it, who comes is sent elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import Server, build
from sqe.settings import Settings

_DIGITS = f"(VALUES {', '.join(map(str, range(10)))})"
_JOINED = " CROSS JOIN ".join(f"{_DIGITS} AS {name}(n)" for name in "abcde")
_MANY = f"SELECT a.n, b.n AS other, 'a text to fill the pages with' AS t FROM {_JOINED}"
_SLOW = "SELECT count(*) FROM range(1000000) AS a CROSS JOIN range(1000000) AS b WHERE a.id < b.id"
_HEADERS = {"x-trino-user": "ann"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    given = {"home": tmp_path, "flight": {"enabled": False}, "trino": {"port": 0, "page_kb": 16}}
    made = build(Settings.model_validate(given))
    yield made
    made.close()


class Client:
    """Of Trino's protocol, a page at a time."""

    def __init__(self, server: Server) -> None:
        self._address = server.listen_trino()
        self.rows = 0
        self.page: dict[str, Any] = {}

    def start(self, sql: str) -> dict[str, Any]:
        url = f"{self._address}/v1/statement"
        self._take(httpx2.post(url, content=sql, headers=_HEADERS, timeout=30))
        return self.page

    def next(self) -> bool:
        """Whether there was one more."""
        if "nextUri" not in self.page:
            return False
        self._take(httpx2.get(self.page["nextUri"], headers=_HEADERS, timeout=30))
        return True

    def _take(self, answer: httpx2.Response) -> None:
        assert answer.status_code == 200, answer.text
        self.page = answer.json()
        self.rows += len(self.page.get("data") or ())


def test_clients_of_trino_get_their_last_pages(server: Server) -> None:
    client = Client(server)
    client.start(_MANY)
    while not client.rows:
        assert client.next(), client.page
    draining = threading.Thread(target=server.drain, args=(30.0,))
    draining.start()
    while not server.gateway.draining:
        time.sleep(0.01)
    while client.next():
        assert "error" not in client.page
    draining.join(10)
    assert not draining.is_alive()  # as soon as nobody is owed anything
    assert client.rows == 100_000


def test_a_client_that_does_not_fetch_is_not_waited_for_longer(server: Server) -> None:
    client = Client(server)
    client.start(_MANY)
    started = time.monotonic()
    server.drain(1.0)
    assert 0.9 < time.monotonic() - started < 20


def test_what_comes_is_told_to_ask_elsewhere(server: Server) -> None:
    client = Client(server)
    session = server.gateway.open_session(Identity("ann"))
    server.drain(0)
    assert "another server" in client.start("SELECT 1")["error"]["message"]
    for ask in (
        lambda: server.gateway.submit(QueryRequest(session.id, "SELECT 1")),
        lambda: server.gateway.open_session(Identity("ann")),
    ):
        with pytest.raises(UpstreamError) as refused:
            ask()
        assert refused.value.code is ErrorCode.SERVER_UNAVAILABLE


def test_what_still_runs_ends_with_the_reason(server: Server) -> None:
    session = server.gateway.open_session(Identity("ann"))
    session.set_property("sqe.engine", "local")
    query = server.gateway.submit(QueryRequest(session.id, _SLOW))
    while server.gateway.record(query).state.value != "running":
        time.sleep(0.01)
    server.drain(0.2)
    server.close(within=10)
    with pytest.raises(SqeError, match="another server") as ended:
        server.gateway.fetch(query)
    assert ended.value.code is ErrorCode.SERVER_UNAVAILABLE
    assert server.gateway.record(query).error_code == "SERVER_UNAVAILABLE"
