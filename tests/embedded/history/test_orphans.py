"""remove_orphan_files finds what no snapshot knows, and never takes a file that is in use."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode
from tests.embedded.history.conftest import Table
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

OLD = time.time() - 7 * 86_400


@pytest.fixture
def busy(shared_lake: Lake) -> Iterator[Table]:
    """A partitioned table with odd folder names, deletes, a branch, a tag and statistics."""
    name = "history.`busy one`"
    shared_lake.all(
        "CREATE SCHEMA IF NOT EXISTS history",
        f"CREATE TABLE {name} (id INT, p STRING) PARTITIONED BY (p)"
        " TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
        f"INSERT INTO {name} VALUES (1, 'a b'), (2, 'c%d'), (3, 'é+&=/x'), (4, NULL), (5, 'a b')",
        f"INSERT INTO {name} SELECT id, 'many' FROM range(10, 20)",
        f"DELETE FROM {name} WHERE id = 15",
        f"ALTER TABLE {name} CREATE TAG t",
        f"ALTER TABLE {name} CREATE BRANCH b",
        f"INSERT INTO {name}.branch_b VALUES (6, 'branch')",
        f"CALL system.compute_table_stats('{name}')",
        f"DELETE FROM {name} WHERE p = 'many'",
    )
    yield Table(shared_lake, name)
    shared_lake.run(f"DROP TABLE {name} PURGE")


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and path.suffix != ".crc"}


def make_old(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (OLD, OLD))


def test_no_live_file_is_ever_taken(busy: Table) -> None:
    lake, name = busy.lake, busy.name
    folder = Path(lake.value(f"SELECT file FROM {name}.metadata_log_entries LIMIT 1")).parent.parent
    live = files_of(folder)
    strays = {
        folder / "data" / "stray one.parquet",
        folder / "data" / "p=a+b" / "00000-1-stray.parquet",
        folder / "metadata" / "stray-m0.avro",
        folder / "deeper" / "down" / "stray%20x.parquet",
    }
    for stray in strays:
        stray.parent.mkdir(parents=True, exist_ok=True)
        stray.write_text("left behind")
    make_old(folder)
    young = folder / "data" / "being-written.parquet"
    young.write_text("not committed yet")

    states = [f"SELECT * FROM {name}{way} ORDER BY id" for way in ("", ".tag_t", ".branch_b")]
    before = [lake.rows(sql) for sql in states]
    found = lake.rows(f"CALL system.remove_orphan_files('{name}', dry_run => true)")
    assert {Path(path.removeprefix("file:")) for (path,) in found} == strays
    assert files_of(folder) == live | strays | {young}

    removed = lake.rows(
        f"CALL system.remove_orphan_files('{name}', older_than => now() - INTERVAL 25 HOURS)"
    )
    assert len(removed) == len(strays)
    assert files_of(folder) == live | {young}
    assert [lake.rows(sql) for sql in states] == before
    for (snapshot,) in lake.rows(f"SELECT snapshot_id FROM {name}.snapshots"):
        lake.rows(f"SELECT * FROM {name} VERSION AS OF {snapshot}")


def test_another_table_in_the_folder_is_not_taken_for_orphans(table: Table) -> None:
    lake, inner = table.lake, f"{table.name}.nested"
    lake.all(f"CREATE SCHEMA {table.name}", f"CREATE TABLE {inner} AS SELECT 1 AS id")
    location = table.metadata["location"]
    make_old(Path(location))
    error = lake.fails(f"CALL system.remove_orphan_files('{table.name}')")
    assert error.code is ErrorCode.NOT_SUPPORTED
    assert "Another table" in error.message and "nested" not in error.message
    lake.run(f"CALL system.remove_orphan_files('{table.name}', location => '{location}/data')")
    assert lake.value(f"SELECT id FROM {inner}") == 1
    lake.run(f"DROP SCHEMA {table.name} CASCADE")
