"""A Hive metastore, the real one: what every catalog does, and commits that are never lost."""

from __future__ import annotations

import socket
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hive_metastore import ttypes
from pyiceberg.catalog.hive import HiveCatalog

from dev.stack.places import Places
from sqe.catalog.hive.locks import lock_table
from sqe.catalog.hive.store import HiveClient, HiveOptions
from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.errors import ErrorCode, SqeError
from tests.contract.catalog_adapters import CatalogAdapter, hive
from tests.contract.catalog_suite import CatalogSuite, make
from tests.unit.catalog.tables import SCHEMA


@pytest.fixture
def schema() -> str:
    return f"s_{uuid.uuid4().hex[:8]}"


@pytest.fixture
def adapter(stack: Places, schema: str) -> CatalogAdapter:
    return hive(stack.hive, schema, locks=False)


@pytest.fixture
def catalog(adapter: CatalogAdapter, tmp_path: Path) -> Iterator[Catalog]:
    with adapter.open(tmp_path, str) as catalog:
        yield catalog


class TestHive(CatalogSuite):
    """On a metastore that compares parameters."""


@contextmanager
def entries(stack: Places) -> Iterator[Any]:
    client = HiveClient.connect(HiveOptions("test", (stack.hive,)))
    yield client
    client.close()


def set_property(key: str) -> Json:
    return {"updates": [{"action": "set-properties", "updates": {key: "1"}}]}


@pytest.mark.parametrize("locks", [False, True])
def test_commits_at_the_same_moment_are_all_there(
    stack: Places, schema: str, tmp_path: Path, locks: bool
) -> None:
    adapter, t = hive(stack.hive, schema, locks=locks), Ident((schema,), "t")
    with adapter.open(tmp_path, str) as one, adapter.open(tmp_path, str) as two:
        one.create_namespace((schema,), {})
        make(one, t)

        def commit(number: int) -> None:
            (one, two)[number % 2].commit_table(t, set_property(f"p{number}"))

        with ThreadPoolExecutor(3) as pool:
            ends = [pool.submit(commit, number) for number in range(9)]
        lost = [end.exception() for end in ends if end.exception()]
        assert all(getattr(e, "code", None) is ErrorCode.COMMIT_CONFLICT for e in lost), lost
        properties = one.load_table(t).metadata["properties"]
        assert len([key for key in properties if key.startswith("p")]) == 9 - len(lost)
        assert len(lost) < 5


def test_the_lock_of_another_program_is_respected(
    stack: Places, schema: str, tmp_path: Path
) -> None:
    t = Ident((schema,), "t")
    adapter = hive(stack.hive, schema, locks=True, lock_wait_s=0.3)
    with adapter.open(tmp_path, str) as catalog, entries(stack) as client:
        catalog.create_namespace((schema,), {})
        before = make(catalog, t)
        with lock_table(client, t), pytest.raises(SqeError) as held:
            catalog.commit_table(t, set_property("a"))
        assert held.value.code is ErrorCode.HOME_IN_USE
        assert catalog.load_table(t).metadata == before
        catalog.commit_table(t, set_property("a"))
        assert len(list((tmp_path / "w").rglob("*.metadata.json"))) == 2


class Cut:
    """A way to the metastore that lets requests through and, when told, no answer back."""

    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"thrift://127.0.0.1:{self._listener.getsockname()[1]}"
        self.cut_after = b""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        far = socket.create_connection((self._target.hostname, self._target.port))
        with near, far:
            while data := near.recv(1 << 20):
                cut = bool(self.cut_after) and self.cut_after in data
                far.sendall(data)
                answer = far.recv(1 << 20)
                if cut:
                    self.cut_after = b""
                    return
                near.sendall(answer)

    def close(self) -> None:
        self._listener.close()


def test_a_metastore_that_goes_in_the_middle_of_a_commit_is_asked_again(
    stack: Places, schema: str, tmp_path: Path
) -> None:
    way, t = Cut(stack.hive), Ident((schema,), "t")
    with hive(way.address, schema, locks=False).open(tmp_path, str) as catalog:
        catalog.create_namespace((schema,), {})
        way.cut_after = b"create_table"
        make(catalog, t)
        way.cut_after = b"alter_table_with_environment_context"
        catalog.commit_table(t, set_property("a"))
        assert catalog.load_table(t).metadata["properties"]["a"] == "1"
        assert way.cut_after == b""
        way.close()


def test_pyiceberg_and_sqe_see_each_others_tables(
    stack: Places, catalog: Catalog, schema: str, tmp_path: Path
) -> None:
    theirs = HiveCatalog("lake", uri=stack.hive, **{"hive.hive2-compatible": "true"})
    catalog.create_namespace((schema,), {})
    make(catalog, Ident((schema,), "ours"))
    assert theirs.load_table(f"{schema}.ours").schema().column_names
    place = f"file://{tmp_path}/w/{schema}/theirs"
    table = theirs.create_table(
        f"{schema}.theirs", theirs.load_table(f"{schema}.ours").schema(), place
    )
    assert sorted(catalog.list_tables((schema,))) == ["ours", "theirs"]
    theirs_ident = Ident((schema,), "theirs")
    catalog.commit_table(theirs_ident, set_property("by_sqe"))
    assert table.refresh().properties["by_sqe"] == "1"


def test_what_is_not_icebergs_is_not_there_and_keeps_its_name(
    stack: Places, catalog: Catalog, schema: str
) -> None:
    catalog.create_namespace((schema,), {})
    with entries(stack) as client:
        entry = ttypes.Table(
            tableName="plain",
            dbName=schema,
            sd=ttypes.StorageDescriptor(cols=[], serdeInfo=ttypes.SerDeInfo()),
            partitionKeys=[],
            parameters={},
        )
        client.calls.create_table(entry)
    assert catalog.list_tables((schema,)) == []
    plain = Ident((schema,), "plain")
    for act, code in (
        (lambda: catalog.load_table(plain), ErrorCode.TABLE_NOT_FOUND),
        (lambda: catalog.drop_table(plain), ErrorCode.TABLE_NOT_FOUND),
        (lambda: make(catalog, plain), ErrorCode.TABLE_ALREADY_EXISTS),
        (lambda: make(catalog, Ident((schema,), "Big")), ErrorCode.INVALID_ARGUMENT),
        (lambda: catalog.drop_namespace((schema,)), ErrorCode.SCHEMA_NOT_EMPTY),
        (lambda: catalog.create_namespace(("a", "b"), {}), ErrorCode.INVALID_ARGUMENT),
    ):
        with pytest.raises(SqeError) as refused:
            act()
        assert refused.value.code is code


@pytest.mark.parametrize("place", ["/etc", "s3://elsewhere/t", "file:///etc"])
def test_what_leads_out_of_the_warehouse_is_refused(
    stack: Places, catalog: Catalog, schema: str, place: str
) -> None:
    catalog.create_namespace((schema,), {})
    t = Ident((schema,), "t")
    make(catalog, t)
    with entries(stack) as client:
        entry = client.calls.get_table(schema, "t")
        entry.parameters["metadata_location"] = f"{place}/metadata/00000-a.metadata.json"
        client.calls.alter_table(schema, "t", entry)
    with pytest.raises(SqeError, match="outside of the warehouse") as refused:
        catalog.load_table(t)
    assert refused.value.code is ErrorCode.ACCESS_DENIED
    request = {"name": "u", "schema": SCHEMA, "location": place}
    with pytest.raises(SqeError, match="not inside the warehouse"):
        catalog.create_table((schema,), request)


def test_a_metastore_that_is_not_there_keeps_nobody_from_starting(tmp_path: Path) -> None:
    with hive("thrift://127.0.0.1:9", "s").open(tmp_path, str) as catalog:
        with pytest.raises(SqeError) as gone:
            catalog.list_namespaces()
        assert gone.value.code is ErrorCode.CATALOG_UNAVAILABLE
