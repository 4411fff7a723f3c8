"""The embedded catalog when files are damaged, locked, or there is no room for them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.embedded.sqlite_store import SqliteStore
from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode, ResourceError, UpstreamError
from tests.embedded.catalog.test_embedded_catalog import NS, set_property
from tests.unit.catalog.tables import SCHEMA


@pytest.mark.parametrize(
    "content", [None, b"", b"{", b"[]", b"{}", b"\x1f\x8bno gzip", b"\xff\xfe"]
)
def test_damaged_metadata_is_named_and_can_be_dropped(
    catalog: EmbeddedCatalog, table: Ident, content: bytes | None
) -> None:
    file = Path(catalog.load_table(table).metadata_location or "")
    file.unlink() if content is None else file.write_bytes(content)
    for action in (catalog.load_table, lambda i: catalog.commit_table(i, set_property("a", "1"))):
        with pytest.raises(UpstreamError, match=r"sales\.orders") as caught:
            action(table)
        assert caught.value.code is ErrorCode.CORRUPT_DATA
        assert "drop the table" in caught.value.hint
    catalog.drop_table(table, purge=True)
    assert catalog.list_tables(NS) == []


def test_a_database_that_is_none_is_named(home: Path) -> None:
    (home / "broken.db").write_bytes(b"this is not a database, not at all" * 100)
    with pytest.raises(UpstreamError, match=r"broken\.db") as caught:
        EmbeddedCatalog(home / "broken.db", home / "warehouse")
    assert caught.value.code is ErrorCode.CORRUPT_DATA


def test_a_locked_database_is_an_error_in_time_and_then_works(
    home: Path, catalog: EmbeddedCatalog, table: Ident
) -> None:
    impatient = EmbeddedCatalog(
        SqliteStore(home / "catalog.db", busy_seconds=0.2), home / "warehouse"
    )
    before = catalog.load_table(table).metadata_json
    files = sorted((home / "warehouse").rglob("*.json"))
    holder = sqlite3.connect(home / "catalog.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for write in (
        lambda: impatient.create_namespace(("n",), {}),
        lambda: impatient.commit_table(table, set_property("a", "1")),
        lambda: impatient.create_table(NS, {"name": "t", "schema": SCHEMA}),
    ):
        with pytest.raises(ResourceError, match=r"catalog\.db") as caught:
            write()
        assert caught.value.code is ErrorCode.HOME_IN_USE
    assert impatient.load_table(table).metadata_json == before  # readers go on
    assert sorted((home / "warehouse").rglob("*.json")) == files
    holder.execute("ROLLBACK")
    holder.close()
    impatient.commit_table(table, set_property("a", "1"))
    impatient.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("a small tmpfs can only be mounted by root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("this machine does not let tests mount a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            return filler
    return filler


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    catalog = EmbeddedCatalog(small_disk / "catalog.db", small_disk / "warehouse")
    catalog.create_namespace(NS, {})
    catalog.create_table(NS, {"name": "t", "schema": SCHEMA})
    table = Ident(NS, "t")
    before = catalog.load_table(table).metadata_json
    files = sorted((small_disk / "warehouse").rglob("*"))
    filler = fill(small_disk)
    writes: list[Callable[[], object]] = [
        partial(catalog.commit_table, table, set_property("a", "x" * 50_000)),
        partial(catalog.create_table, NS, {"name": "u", "schema": SCHEMA}),
    ]
    for write in writes:
        with pytest.raises(ResourceError) as caught:
            write()
        assert caught.value.code is ErrorCode.DISK_FULL
    assert catalog.load_table(table).metadata_json == before
    assert sorted((small_disk / "warehouse").rglob("*")) == files
    filler.unlink()
    assert catalog.commit_table(table, set_property("a", "1")).metadata["properties"]["a"] == "1"
    catalog.close()


def test_a_database_without_room_is_an_error_too(small_disk: Path, tmp_path: Path) -> None:
    catalog = EmbeddedCatalog(small_disk / "catalog.db", tmp_path / "warehouse")
    filler = fill(small_disk)
    with pytest.raises(ResourceError) as caught:
        for number in range(200):
            catalog.create_namespace((f"n{number}",), {"text": "x" * 900})
    assert caught.value.code is ErrorCode.DISK_FULL
    filler.unlink()
    catalog.create_namespace(("after",), {})
    catalog.close()
