"""Damaged and missing files, a full disk: the table is named, nothing is lost, the rest works."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode, ResourceError, UpstreamError
from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def whole(shared_lake: Lake) -> Path:
    """A table's folder, before anything is done to it."""
    shared_lake.all("CREATE SCHEMA faults", "CREATE TABLE faults.bad AS SELECT 1 AS a, 'x' AS b")
    return shared_lake.home / "warehouse" / "faults" / "bad"


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Iterator[Path]:
    """The table's folder, put back as it was when the test is over."""
    shutil.copytree(whole, tmp_path / "copy")
    yield whole
    shutil.rmtree(whole)
    shutil.copytree(tmp_path / "copy", whole)


def check(lake: Lake, sql: str = "SELECT * FROM faults.bad") -> str:
    error = lake.fails(sql)
    assert isinstance(error, UpstreamError)
    assert error.code is ErrorCode.CORRUPT_DATA, str(error)
    assert "faults.bad" in str(error) or "faults/bad" in str(error)
    assert "sqe." not in str(error)
    assert "org.apache" not in str(error)
    assert lake.value("SELECT 1") == 1
    return str(error)


def test_a_corrupt_parquet_file(lake: Lake, folder: Path) -> None:
    (file,) = (folder / "data").rglob("*.parquet")
    file.write_bytes(b"PAR1" + os.urandom(file.stat().st_size - 8) + b"PAR1")
    check(lake)


def test_a_parquet_file_cut_short(lake: Lake, folder: Path) -> None:
    (file,) = (folder / "data").rglob("*.parquet")
    file.write_bytes(file.read_bytes()[:-20])
    check(lake)


def test_a_missing_data_file(lake: Lake, folder: Path) -> None:
    (file,) = (folder / "data").rglob("*.parquet")
    file.unlink()
    check(lake)


def test_a_missing_manifest(lake: Lake, folder: Path) -> None:
    for manifest in (folder / "metadata").rglob("*.avro"):
        if not manifest.name.startswith("snap-"):
            manifest.unlink()
    check(lake)


def test_a_missing_manifest_list(lake: Lake, folder: Path) -> None:
    for manifest in (folder / "metadata").rglob("snap-*.avro"):
        manifest.unlink()
    check(lake)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"format-version": 2}'])
def test_metadata_that_does_not_parse(lake: Lake, folder: Path, content: bytes) -> None:
    for file in (folder / "metadata").glob("*.metadata.json"):
        file.write_bytes(content)
    assert "metadata" in check(lake)


def test_missing_metadata_and_what_still_works(lake: Lake, folder: Path) -> None:
    for file in (folder / "metadata").glob("*.metadata.json"):
        file.unlink()
    assert "is missing" in check(lake)
    check(lake, "INSERT INTO faults.bad VALUES (2, 'y')")
    check(lake, "DESCRIBE faults.bad")
    assert ("bad",) in [row[-2:-1] for row in lake.rows("SHOW TABLES FROM faults")]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Eight megabytes where the first of ``another``'s servers has its warehouse."""
    folder = tmp_path / "home 0" / "warehouse"
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small tmpfs needs root and the right to mount")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_the_table_as_it_was(small_disk: Path, another: Another) -> None:
    lake = another(Settings())
    lake.run("CREATE TABLE t AS SELECT 0 AS id, 'x' AS u")
    fill = "INSERT INTO t SELECT CAST(id AS INT), uuid() FROM range(0, 600000, 1, 1)"
    error = lake.fails(fill)
    assert isinstance(error, ResourceError)
    assert error.code is ErrorCode.DISK_FULL, str(error)
    assert lake.rows("SELECT * FROM t") == [(0, "x")]
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    lake.run(fill)
    assert lake.value("SELECT count(*) FROM t") == 600_001
