"""What the health endpoint says of a real server, and that it names nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sqe.errors import UpstreamError
from sqe.model.identity import Identity
from sqe.server.build import Server, build
from sqe.server.health import health_app
from sqe.server.state import Part
from sqe.settings import Settings


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    given = {"home": tmp_path, "flight": {"port": 0}, "trino": {"port": 0}}
    made = build(Settings.model_validate(given))
    yield made
    made.close()


@pytest.fixture
def client(server: Server) -> TestClient:
    return TestClient(health_app(server))


def _parts(client: TestClient) -> dict[str, tuple[bool, str]]:
    parts = client.get("/readyz").json()["parts"]
    return {name: (part["ready"], part["reason"]) for name, part in parts.items()}


def test_a_server_is_started_when_all_that_is_asked_for_listens(
    server: Server, client: TestClient
) -> None:
    assert client.get("/livez").json()["status"] == "ok"
    assert client.get("/startupz").status_code == 503
    assert _parts(client)["flight"] == (False, "not yet listening")
    server.listen()
    assert client.get("/startupz").status_code == 503
    server.listen_trino()
    assert client.get("/startupz").status_code == 200
    assert client.get("/readyz").status_code == 200
    assert _parts(client)["spark"] == (True, "stopped")


def test_a_draining_server_lives_and_is_not_ready(server: Server, client: TestClient) -> None:
    server.listen()
    server.listen_trino()
    server.drain(0)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert _parts(client)["queries"] == (False, "SQE is stopping")
    for path in ("/livez", "/health", "/ready", "/startupz"):
        assert client.get(path).status_code == 200
    assert client.get("/ready").json().keys() == {"status", "spark"}  # and no counts
    with pytest.raises(UpstreamError, match="another server"):
        server.gateway.open_session(Identity("ann"))


def test_a_file_that_became_wrong_is_said_while_the_old_one_holds(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('{"tables": []}')
    given = {"home": tmp_path, "policy": {"file": {"path": str(rules)}}}
    server = build(Settings.model_validate(given))
    try:
        client = TestClient(health_app(server))
        assert _parts(client)["files"] == (True, "the files that are watched are right")
        rules.write_text('{"tables": [')
        deadline = time.monotonic() + 30
        while not server.state.broken_files()["file"] and time.monotonic() < deadline:
            server.policy.with_roles(Identity("ann"))
            time.sleep(0.05)
        ready, words = _parts(client)["files"]
        assert ready and words == "wrong, so that what they said before holds: file"
        assert 'sqe_broken_files{file="file"} 1.0' in client.get("/metrics").text
        assert 'sqe_broken_files{file="resource_groups"} 0.0' in client.get("/metrics").text
    finally:
        server.close()


def test_metrics_are_served_as_they_are_asked_for(client: TestClient) -> None:
    plain = client.get("/metrics")
    assert plain.headers["content-type"].startswith("text/plain; version=")
    assert "sqe_build_info{" in plain.text
    asked = {"accept": "application/openmetrics-text; version=1.0.0"}
    openmetrics = client.get("/metrics", headers=asked)
    assert openmetrics.headers["content-type"].startswith("application/openmetrics-text")
    assert openmetrics.text.endswith("# EOF\n")


def test_metrics_can_be_left_out(tmp_path: Path) -> None:
    server = build(Settings.model_validate({"home": tmp_path, "metrics": {"enabled": False}}))
    try:
        answer = TestClient(health_app(server)).get("/metrics")
        assert (answer.status_code, "metrics.enabled" in answer.text) == (404, True)
    finally:
        server.close()


class Broken:
    listening = True

    def status(self) -> dict[str, Any]:
        raise RuntimeError("words that name ann")

    def parts(self) -> list[Part]:
        raise RuntimeError("words that name ann")

    def exposition(self, accept: str = "") -> tuple[bytes, str] | None:
        raise RuntimeError("words that name ann")


@pytest.mark.parametrize("path", ["/ready", "/readyz", "/metrics"])
def test_what_cannot_be_answered_is_said_without_its_words(path: str) -> None:
    answer = TestClient(health_app(Broken())).get(path)
    assert answer.status_code == 503
    assert answer.json() == {"status": "failed", "error": "RuntimeError"}


def test_two_hundred_clients_scrape_at_once(client: TestClient) -> None:
    answers: list[int] = []

    def scrape() -> None:
        answers.extend(client.get("/metrics").status_code for _ in range(10))

    threads = [threading.Thread(target=scrape) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 200
