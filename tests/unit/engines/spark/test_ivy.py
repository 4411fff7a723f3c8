"""Files from a repository over HTTP, fetched by the real Ivy on a real Java."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sqe.engines.spark.ivy import Artifact, NotFetched
from sqe.engines.spark.jars import ensure_artifacts
from sqe.engines.spark.java import find_java

pytestmark = pytest.mark.java

CONTENT = b"a driver with everything in it"
DRIVER = Artifact("org.example", "driver", "1.0", hashlib.sha256(CONTENT).hexdigest())
PROGRAM = Artifact(
    "org.example", "driver", "1.0", hashlib.sha256(CONTENT[::-1]).hexdigest(), "all", "tar.gz"
)
# The driver says that it needs something, whose parent no repository has.
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>
<artifactId>{name}</artifactId><version>1.0</version>{more}</project>"""
NEEDS = """<dependencies><dependency><groupId>org.example</groupId><artifactId>needed</artifactId>
<version>1.0</version></dependency></dependencies>"""
PARENT = """<parent><groupId>org.example</groupId><artifactId>lost</artifactId>
<version>1.0</version></parent>"""
FILES = {
    "/org/example/driver/1.0/driver-1.0.jar": CONTENT,
    "/org/example/driver/1.0/driver-1.0-all.tar.gz": CONTENT[::-1],
    "/org/example/driver/1.0/driver-1.0.pom": POM.format(name="driver", more=NEEDS).encode(),
    "/org/example/needed/1.0/needed-1.0.jar": CONTENT,
    "/org/example/needed/1.0/needed-1.0.pom": POM.format(name="needed", more=PARENT).encode(),
}


class Repository(ThreadingHTTPServer):
    """Answers the first ``refusals`` requests with 503."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.refusals = 0
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Repository

    def do_HEAD(self) -> None:
        self.server.asked.append(self.path)
        self.server.refusals -= 1
        content = FILES.get(self.path)
        self.send_response(503 if self.server.refusals >= 0 else 200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(FILES.get(self.path, b""))

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    with Repository() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        # In place of Maven Central, so that nothing here asks the network.
        monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", server.url)
        yield server
        server.shutdown()


def test_files_come_alone_and_a_refusal_is_not_the_end(
    tmp_path: Path, repository: Repository
) -> None:
    repository.refusals = 1
    found = ensure_artifacts(tmp_path, find_java(), {}, (DRIVER, PROGRAM))
    assert [path.read_bytes() for path in found] == [CONTENT, CONTENT[::-1]]
    assert [path.name for path in found] == ["driver-1.0.jar", "driver-1.0-all.tar.gz"]
    assert not [path for path in repository.asked if path.endswith(".pom") or "needed" in path]


def test_the_file_that_a_registry_lacks_is_named(
    tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqe.engines.spark.ivy._PAUSES_S", ())
    lost = Artifact("org.example", "lost", "2", "0" * 64)
    with pytest.raises(NotFetched, match=r"^org\.example:lost:2 could not be fetched") as raised:
        ensure_artifacts(tmp_path, find_java(), {}, (DRIVER, lost))
    assert "org.example#lost;2: not found" in raised.value.message
