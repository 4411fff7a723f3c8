"""Files that vanish or are damaged, memory and disk that run out: before the first row Spark can
still step in, after it the reader is told; rows that look complete never are not."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.options import MB
from sqe.engines.local.plan import NotLocal, Scan
from sqe.errors import ErrorCategory, ErrorCode, SqeError
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.world import (
    World,
    loaded_of,
    new_run,
    new_session,
    scan_of,
)

NUMBER = pa.schema({"n": pa.int64()})
ROWS = 60_000
ALL = "SELECT n FROM scan_1"


def many_files(world: World, count: int = 12) -> Scan:
    """More rows than fit in what DuckDB reads ahead."""
    table = world.catalog.create_table("db.t", NUMBER)
    for place in range(count):
        table.append(pa.table({"n": list(range(place * ROWS, (place + 1) * ROWS))}))
    return scan_of(loaded_of(table))


def files_of(world: World, scan: Scan) -> list[Path]:
    return [Path(file) for file in world.planned(scan).files]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def wrong_footer(path: Path) -> None:
    content = bytearray(path.read_bytes())
    (size,) = struct.unpack("<I", content[-8:-4])
    content[-8 - size : -8] = bytes(reversed(content[-8 - size : -8]))
    path.write_bytes(content)


def footer_too_long(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-8:-4] = struct.pack("<I", 2**30)
    path.write_bytes(content)


def damage_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    (size,) = struct.unpack("<I", content[-8:-4])
    for place in range(4, len(content) - size - 8):
        content[place] ^= 0xFF
    path.write_bytes(content)


def vanish(path: Path) -> None:
    path.unlink()


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = [truncate, empty, wrong_footer, footer_too_long, damage_pages, vanish, unreadable]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("known", [False, True])
def test_before_the_first_row_spark_can_step_in(
    make: MakeWorld, damage: Callable[[Path], None], known: bool
) -> None:
    world = make(threads=1)
    scan = many_files(world, 1)
    if known:  # its footer is remembered from an earlier query
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    statement = world.statement(ALL, NUMBER, [scan])
    prepared = world.prepare(statement)
    damage(files_of(world, scan)[0])
    with pytest.raises(LocalFailed):
        prepared.run(new_run(session=new_session())).read_all()
    assert world.engine.instances.running_count == 0
    assert world.engine.instances.memory_used == 0


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_used_instance_gives_all_rows_or_none(
    make: MakeWorld, damage: Callable[[Path], None]
) -> None:
    """It knows the footers, so what is wrong with them now does not matter to it."""
    world = make(threads=1)
    scan = many_files(world, 1)
    assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    damage(files_of(world, scan)[0])
    try:
        rows = world.query(ALL, NUMBER, scan)["n"].to_pylist()
    except LocalFailed:
        assert world.engine.figures.idle == 0
    else:
        assert rows == list(range(ROWS))
        assert damage in (wrong_footer, footer_too_long)


@pytest.mark.parametrize("damage", DAMAGES)
def test_after_the_first_row_the_reader_is_told(
    make: MakeWorld, damage: Callable[[Path], None]
) -> None:
    world = make(threads=1, batch_rows=10_000)
    scan = many_files(world)
    counted = world.query("SELECT count(n) FROM scan_1", NUMBER, scan)
    assert counted.to_pydict() == {"n": [12 * ROWS]}
    statement = world.statement(ALL, NUMBER, [scan])
    with world.run(statement, new_run(session=new_session())) as result:
        assert next(iter(result)).num_rows
        for path in files_of(world, scan)[-4:]:
            damage(path)
        for path in files_of(world, scan)[:4]:
            damage(path)
        with pytest.raises(SqeError) as raised:
            result.read_all()
    assert raised.value.code is ErrorCode.CORRUPT_DATA
    assert world.engine.instances.running_count == 0
    assert world.engine.instances.memory_used == 0


def metadata_files(scan: Scan, pattern: str) -> list[Path]:
    loaded = scan.table.loaded
    assert loaded is not None and loaded.metadata_location is not None
    folder = Path(loaded.metadata_location.removeprefix("file://")).parent
    return sorted(folder.glob(pattern))


def damage_blocks(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 2, len(content)):
        content[place] ^= 0xFF
    path.write_bytes(content)


def without_blocks(path: Path) -> None:
    """Cut where the header ends: what is left is an Avro file of nothing."""
    content = path.read_bytes()
    mark = content[-16:]
    path.write_bytes(content[: content.index(mark) + len(mark)])


@pytest.mark.parametrize(
    "damage", [truncate, empty, vanish, unreadable, damage_blocks, without_blocks]
)
@pytest.mark.parametrize("pattern", ["snap-*.avro", "*-m0.avro"])
def test_a_manifest_that_is_damaged_is_never_half_a_list(
    world: World, damage: Callable[[Path], None], pattern: str
) -> None:
    scan = many_files(world, 2)
    found = metadata_files(scan, pattern)
    assert found
    for path in found:
        damage(path)
    with pytest.raises((LocalFailed, NotLocal)):
        world.query(ALL, NUMBER, scan)
    assert world.engine.instances.running_count == 0


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_manifest_cut_anywhere_is_never_half_a_list(world: World, cut: int) -> None:
    scan = many_files(world, 1)
    (path,) = metadata_files(scan, "*-m0.avro")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - cut * len(content) // 42])
    with pytest.raises((LocalFailed, NotLocal)):
        world.query(ALL, NUMBER, scan)


def test_a_snapshot_that_expired_is_named(world: World) -> None:
    scan = many_files(world, 1)
    loaded = scan.table.loaded
    assert loaded is not None
    metadata = {**json.loads(loaded.metadata_json), "snapshots": []}
    expired = type(loaded)(json.dumps(metadata).encode(), loaded.metadata_location)
    with pytest.raises(NotLocal, match="snapshot is not in the table's metadata"):
        world.query(ALL, NUMBER, scan_of(expired))


SMALL = {"memory": 96 * MB, "memory_floor": 48 * MB, "memory_per_query": 48 * MB, "threads": 1}
SORT = "SELECT n FROM range(12000000) r(n) ORDER BY hash(n)"


@pytest.mark.parametrize("spill", [0, MB])
def test_memory_or_disk_that_runs_out_early_is_the_engines_failure(
    make: MakeWorld, spill: int
) -> None:
    world = make(spill=spill, **SMALL)
    with pytest.raises(LocalFailed, match=r"memory|max_temp_directory_size"):
        world.query(SORT, NUMBER)
    assert world.engine.instances.memory_used == 0
    assert not list(world.options.folder.glob("process-*/query-*"))
    assert world.query("SELECT 1::BIGINT", NUMBER).num_rows == 1


def test_what_is_spilled_comes_back_whole(make: MakeWorld) -> None:
    world = make(**SMALL)
    sql = "SELECT sum(n)::BIGINT FROM (SELECT n FROM range(6000000) r(n) ORDER BY hash(n) OFFSET 0)"
    assert world.query(sql, NUMBER).to_pydict() == {"n": [17_999_997_000_000]}
    assert not list(world.options.folder.glob("process-*/query-*"))


def test_a_spill_folder_that_cannot_be_written_is_the_engines_failure(make: MakeWorld) -> None:
    world = make(**SMALL)
    world.engine.warm()
    (own,) = world.options.folder.iterdir()
    for place in range(1, 4):  # a file stands where DuckDB wants a folder
        (own / f"query-{place}").write_bytes(b"")
    with pytest.raises(LocalFailed):
        world.query(SORT, NUMBER)
    assert world.engine.instances.memory_used == 0


def test_a_user_error_in_damaged_company_is_still_the_users(world: World) -> None:
    scan = many_files(world, 1)
    for sql, code in (
        ("SELECT error('SQE:DIVISION_BY_ZERO:Division by zero.') FROM scan_1", "DIVISION_BY_ZERO"),
        ("SELECT ('x' || n)::BIGINT FROM scan_1", "INVALID_CAST"),
        ("SELECT ('HTTP 403 IO Error: ' || n)::BIGINT FROM scan_1", "INVALID_CAST"),
        ("SELECT (n + 9223372036854775807)::BIGINT FROM scan_1", "NUMERIC_OUT_OF_RANGE"),
    ):
        with pytest.raises(SqeError) as raised:
            world.query(sql, NUMBER, scan)
        assert raised.value.code is ErrorCode[code]
        assert raised.value.category is ErrorCategory.USER


def test_text_that_is_not_utf8_is_left_to_spark(world: World, tmp_path: Path) -> None:
    text = pa.schema({"s": pa.string()})
    table = world.create("texts", pa.table({"s": ["abc", "abd"]}))
    scan = scan_of(loaded_of(table))
    (path,) = files_of(world, scan)
    stored = pq.read_schema(path)
    bad = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(struct.pack("<2i", 0, 2)), pa.py_buffer(b"\xff\xfe")]
    )
    pq.write_table(pa.Table.from_arrays([bad], schema=stored), path)
    with pytest.raises(LocalFailed):
        world.query("SELECT s FROM scan_1", text, scan)


def test_footers_are_not_mixed_up_when_a_table_is_made_again(world: World) -> None:
    """Another table, another file, the same name."""
    first = scan_of(loaded_of(world.create("t", pa.table({"n": [1]}))))
    (path,) = files_of(world, first)
    assert world.query(ALL, NUMBER, first).to_pydict() == {"n": [1]}
    world.catalog.drop_table("db.t")
    second = scan_of(loaded_of(world.create("t", pa.table({"n": [2, 3]}))))
    (other,) = files_of(world, second)
    os.replace(other, path)
    pq.write_table(pa.table({"other": ["x"]}), other)
    with pytest.raises(NotLocal, match="no field ids"):
        world.query(ALL, NUMBER, second)
