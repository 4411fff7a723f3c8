"""What a write has left in S3 is removed with the table's keys: tried on a store of a few lines."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from sqe.broker.broker import BrokerSession
from sqe.broker.s3_folder import S3Folder
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.errors import UpstreamError
from sqe.sql.statement import Access
from tests.unit.broker.test_commit_outcome import handle
from tests.unit.broker.vending import LOCATION, VendingCatalog, keys

PAGE = 2


class Store:
    """A bucket called lake. Who asks must show the newest of ``keys``."""

    def __init__(self) -> None:
        self.objects: set[str] = set()
        self.key = "id-1"
        store = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = parse_qs(urlsplit(self.path).query)
                prefix, after = asked["prefix"][0], asked.get("continuation-token", [""])[0]
                names = [name for name in sorted(store.objects) if name.startswith(prefix)]
                names = [name for name in names if name > after]
                found = names[:PAGE]
                listed = "".join(
                    f"<Contents><Key>{escape(name)}</Key></Contents>" for name in found
                )
                if len(names) > PAGE:
                    listed += "<IsTruncated>true</IsTruncated>"
                    listed += f"<NextContinuationToken>{escape(found[-1])}</NextContinuationToken>"
                self.answer(200, f"<ListBucketResult>{listed}</ListBucketResult>")

            def do_DELETE(self) -> None:
                store.objects.discard(unquote(urlsplit(self.path).path).removeprefix("/lake/"))
                self.answer(204, "")

            def answer(self, status: int, text: str) -> None:
                known = f"Credential={store.key}/" in self.headers.get("Authorization", "")
                self.send_response(status if known else 403)
                self.end_headers()
                self.wfile.write(text.encode() if known else b"")

            def log_message(self, format: str, *args: object) -> None:
                return None

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def config(self) -> dict[str, str]:
        endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        return {"s3.endpoint": endpoint, "s3.path-style-access": "true"}


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store()
    yield store
    store.server.shutdown()
    store.server.server_close()


def test_all_of_the_folder_is_removed_and_nothing_beside_it(store: Store) -> None:
    beside = {"t/data/1.parquet", "t/data/abcd/2.parquet"}
    inside = {f"t/data/abc/p=a b&c ü/{number}.parquet" for number in range(2 * PAGE + 1)}
    store.objects = beside | inside
    S3Folder("s3a://lake/t/data/abc", {**store.config, **keys(1)["config"]}).remove()
    assert store.objects == beside


def test_all_of_the_folder_is_listed_page_by_page(store: Store) -> None:
    inside = {f"t/data/abc/{number}.parquet" for number in range(2 * PAGE + 1)}
    store.objects = inside | {"t/data/abcd/2.parquet"}
    folder = S3Folder("s3://lake/t/data/abc", {**store.config, **keys(1)["config"]})
    assert list(folder.names(10.0)) == sorted(f"s3://lake/{name}" for name in inside)


def test_keys_that_are_refused_are_an_error(store: Store) -> None:
    store.objects = {"t/data/abc/1.parquet"}
    with pytest.raises(UpstreamError, match="HTTP 403") as raised:
        S3Folder("s3://lake/t/data/abc", {**store.config, **keys(7)["config"]}).remove()
    assert store.objects and "key-7" not in str(raised.value)


@pytest.mark.parametrize("begun", [True, False])
def test_a_write_in_vain_is_removed_with_the_newest_keys_if_it_began(
    store: Store, catalog: EmbeddedCatalog, begun: bool
) -> None:
    vending = VendingCatalog(catalog, store.config, (keys(0),))
    session = BrokerSession()
    with session.grant([vending.granted(Access.WRITE)]) as grant:
        shown = session.catalog.load_table(handle(grant))
        folder = shown.metadata["properties"]["write.data.path"]
        assert folder.startswith(f"{LOCATION}/data/")
        store.objects = {f"{folder.removeprefix('s3://lake/')}/1.parquet"}
        if begun:
            grant.begin()
    assert (not store.objects, vending.loads) == (begun, int(begun))


def test_what_cannot_be_removed_is_no_error_of_the_query(
    store: Store, catalog: EmbeddedCatalog, caplog: pytest.LogCaptureFixture
) -> None:
    store.key = "another"
    session = BrokerSession()
    vending = VendingCatalog(catalog, store.config, (keys(0),))
    with session.grant([vending.granted(Access.WRITE)]) as grant:
        session.catalog.load_table(handle(grant))
        grant.begin()
    assert "files of a write that failed stay" in caplog.text and "key-" not in caplog.text
