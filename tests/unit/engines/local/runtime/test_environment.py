"""Nothing of SQE's own surroundings opens a user's file: no keys, files, proxies or services that
the environment names."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Loaded
from sqe.engines.local.plan import NotLocal
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.object_store import ObjectStore
from tests.unit.engines.local.runtime.test_s3 import written
from tests.unit.engines.local.runtime.world import scan_of

NUMBER = pa.schema({"n": pa.int64()})

PROXIES = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]


class Trap:
    """A service that hands out keys to whoever asks, and counts them."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        trap = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                trap.asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_PUT = do_HEAD = do_POST = do_CONNECT = do_GET

            def log_message(self, format: str, *args: object) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def poisoned(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Trap]:
    """Everything by which Amazon's libraries find keys and addresses."""
    trap = Trap()
    aws = folder / "home" / ".aws"
    aws.mkdir(parents=True)
    keys = "aws_access_key_id = KEYpoison\naws_secret_access_key = secret of KEYpoison\n"
    (aws / "credentials").write_text(f"[default]\n{keys}")
    (aws / "config").write_text(f"[default]\nregion = mars\nendpoint_url = {trap.url}\n")
    named = {
        "HOME": str(aws.parent),
        "AWS_ACCESS_KEY_ID": "KEYpoison",
        "AWS_SECRET_ACCESS_KEY": "secret of KEYpoison",
        "AWS_SESSION_TOKEN": "token of KEYpoison",
        "AWS_REGION": "mars",
        "AWS_DEFAULT_REGION": "mars",
        "AWS_PROFILE": "default",
        "AWS_ENDPOINT_URL": trap.url,
        "AWS_ENDPOINT_URL_S3": trap.url,
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": trap.url,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{trap.url}/keys",
        "DUCKDB_S3_ENDPOINT": trap.url,
    }
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    for name in (*PROXIES, "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    try:
        yield trap
    finally:
        trap.close()


@pytest.fixture
def trap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Trap]:
    with poisoned(monkeypatch, tmp_path) as trap:
        yield trap


def test_only_the_tables_own_keys_are_used(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, trap: Trap
) -> None:
    world = make()
    loaded = written(catalog, store, "t", [1, 2])
    assert world.query("SELECT * FROM scan_1", NUMBER, scan_of(loaded)).num_rows == 2
    assert trap.asked == [] and store.refused == 0


def test_without_keys_of_its_own_a_table_is_not_read(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, trap: Trap
) -> None:
    """The environment's would open it."""
    loaded = written(catalog, store, "t", [1, 2])
    store.keys["lake/"] = "KEYpoison"
    bare = Loaded(loaded.metadata_json, loaded.metadata_location, {"s3.endpoint": store.endpoint})
    with pytest.raises(NotLocal, match="no storage credentials"):
        make().query("SELECT * FROM scan_1", NUMBER, scan_of(bare))
    assert trap.asked == []


@pytest.mark.parametrize("name", PROXIES)
def test_no_signed_request_goes_through_a_proxy_that_the_environment_names(
    make: MakeWorld,
    store: ObjectStore,
    catalog: SqlCatalog,
    trap: Trap,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    world = make()
    scan = scan_of(written(catalog, store, "t", [1, 2]))
    monkeypatch.setenv(name, trap.url)
    with pytest.raises(NotLocal, match=f"{name} is set") as raised:
        world.query("SELECT * FROM scan_1", NUMBER, scan)
    assert "NO_PROXY" in raised.value.remedy
    monkeypatch.setenv("NO_PROXY", "*")
    assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 2
    assert trap.asked == []
