"""A full disk is told as what it is, and the next query finds room and a server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode, ResourceError
from sqe.server.build import build
from sqe.settings import Settings
from tests.embedded.pipe.lake import Lake, until
from tests.small_spark import small_spark

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
_SIZES_MB = {"spark": 16, "warehouse": 8}  # where Spark keeps what it spills, and where tables are


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, jar_cache: Path) -> Iterator[Lake]:
    home = tmp_path_factory.mktemp("small disks")
    mounted = []
    for name, size in _SIZES_MB.items():
        (home / name).mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(home / name)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("mounting a small tmpfs needs root and the right to mount")
        mounted.append(home / name)
    server = build(Settings(home=home, spark=small_spark(jar_cache)))
    yield Lake.open(server)
    server.close()
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def check_full(lake: Lake, text: str) -> None:
    assert lake.server.spark is not None
    error = lake.fails(text)
    assert isinstance(error, ResourceError) and error.code is ErrorCode.DISK_FULL, error
    assert "Free some space" in error.hint
    assert lake.value("SELECT count(*) FROM range(10)") == 10
    assert lake.server.spark.generation == 1, "it is the disk's fault, not the server's"


def test_what_spark_spills_fills_its_disk(lake: Lake) -> None:
    texts = "SELECT sha2(CAST(id AS STRING), 512) AS u FROM range(600000)"
    check_full(lake, f"SELECT max(u) FROM (SELECT u FROM ({texts}) DISTRIBUTE BY u)")


def test_what_is_written_fills_the_warehouse_and_the_room_comes_back(lake: Lake) -> None:
    lake.run("CREATE TABLE t AS SELECT 0 AS id, 'x' AS u")
    fill = "INSERT INTO t SELECT CAST(id AS INT), sha2(CAST(id AS STRING), 512) FROM range(200000)"
    check_full(lake, fill)
    assert until(lambda: shutil.disk_usage(lake.home / "warehouse").free > 7 * 2**20, 10)
    lake.run("INSERT INTO t VALUES (1, 'y')")
    assert sorted(lake.rows("SELECT * FROM t")) == [(0, "x"), (1, "y")]
