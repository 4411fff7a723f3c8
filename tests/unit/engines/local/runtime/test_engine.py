"""The engine itself: results, errors, locks, limits, faults."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.instance import Need
from sqe.engines.local.options import MB
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan import ScanPlanner
from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.results.cancellation import Cancellation
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.world import (
    ANN,
    World,
    loaded_of,
    new_run,
    new_session,
    scan_of,
)

NUMBER = pa.schema({"n": pa.int64()})


def series(count: int) -> str:
    return f"SELECT range AS n FROM range({count})"


def test_names_nullability_and_zones_are_the_plans(world: World) -> None:
    wanted = pa.schema(
        [
            pa.field("a", pa.list_(pa.field("element", pa.int32(), nullable=False))),
            pa.field("s", pa.struct([pa.field("X", pa.string()), pa.field("Y", pa.int64())])),
            pa.field("m", pa.map_(pa.string(), pa.list_(pa.field("element", pa.int32())))),
            pa.field("t", pa.timestamp("us", "Europe/Madrid"), nullable=False),
        ]
    )
    sql = (
        "SELECT CASE WHEN i < 3 THEN [i::INT, 7] END, {'x': 'u' || i, 'y': i},"
        " MAP {'k': [i::INT]}, TIMESTAMPTZ '2024-03-31 01:00:00+00' FROM range(5) AS r(i)"
    )
    in_tokyo = new_session()
    in_tokyo.set_property("sqe.time_zone", "Asia/Tokyo")
    table = world.query(sql, wanted, run=new_run(session=in_tokyo))
    table.validate(full=True)
    assert table.schema.equals(wanted, check_metadata=True)
    assert table.column("a").to_pylist()[2:4] == [[2, 7], None]
    assert table.column("s").to_pylist()[1] == {"X": "u1", "Y": 1}
    assert table.column("m").to_pylist()[4] == [("k", [4])]
    assert str(table.column("t")[0].as_py()) == "2024-03-31 03:00:00+02:00"


def test_a_result_of_another_type_is_the_engines_failure(world: World) -> None:
    with pytest.raises(LocalFailed, match="int32 for column n"):
        world.query("SELECT 1::INT", NUMBER)
    assert world.engine.instances.running_count == 0


def test_rows_stream_as_they_are_asked_for(world: World) -> None:
    statement = world.statement(series(10**12), NUMBER, ())
    with world.run(statement, new_run()) as result:
        first = next(iter(result))
        assert first.num_rows == world.options.batch_rows
        assert world.engine.instances.running_count == 1
    assert world.engine.instances.running_count == 0
    assert world.engine.instances.memory_used == 0


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT error('SQE:DIVISION_BY_ZERO:Division by zero.')", ErrorCode.DIVISION_BY_ZERO),
        ("SELECT (2147483647::INT + n::INT)::BIGINT FROM range(5) r(n)", "NUMERIC_OUT_OF_RANGE"),
        ("SELECT (n + 200)::TINYINT::BIGINT FROM range(5) r(n)", "NUMERIC_OUT_OF_RANGE"),
        ("SELECT (n + 2000)::DECIMAL(3, 0)::BIGINT FROM range(5) r(n)", "NUMERIC_OUT_OF_RANGE"),
        ("SELECT ('x' || n)::BIGINT FROM range(5) r(n)", "INVALID_CAST"),
        ("SELECT epoch(('2024-02-3' || n)::DATE)::BIGINT FROM range(5) r(n)", "INVALID_CAST"),
        ("SELECT (SELECT n FROM range(5) r(n))", "USER_ERROR"),
    ],
)
def test_a_users_mistake_is_told_as_on_spark(world: World, sql: str, code: ErrorCode | str) -> None:
    with pytest.raises(SqeError) as raised:
        world.query(sql, NUMBER)
    assert raised.value.code in (code, ErrorCode.__members__.get(str(code)))
    assert "Error:" not in raised.value.message


def test_a_mistake_late_in_the_stream_is_still_the_users(make: MakeWorld) -> None:
    # With several threads DuckDB sometimes says only that it interrupted the others.
    world = make(threads=1)
    sql = "SELECT CASE WHEN n < 500000 THEN n ELSE error('SQE:INVALID_CAST:bad') END FROM "
    statement = world.statement(sql + "range(1000000) r(n)", NUMBER, ())
    with world.run(statement, new_run()) as result:
        assert next(iter(result)).num_rows
        with pytest.raises(SqeError, match="bad"):
            result.read_all()
    assert world.engine.instances.running_count == 0


def test_where_any_row_may_be_sparks_none_is_sent_before_all_are_known(world: World) -> None:
    sql = "SELECT CASE WHEN n < 500000 THEN n ELSE error('SQE:LOCAL:too wide') END FROM "
    with pytest.raises(NotLocal, match="too wide"):
        world.run(world.statement(sql + "range(1000000) r(n)", NUMBER, ()), new_run())
    assert world.engine.instances.running_count == 0
    ordered = f"{sql} range(400000) r(n) ORDER BY n DESC"
    assert world.query(ordered, NUMBER)["n"].to_pylist() == list(range(399_999, -1, -1))


def test_what_duckdb_does_not_know_is_not_the_users_fault(world: World) -> None:
    for sql in ("SELECT no_such_function(1)", "SELECT * FROM nowhere", "SELEKT 1"):
        with pytest.raises(LocalFailed):
            world.query(sql, NUMBER)
    assert world.engine.instances.running_count == 0


@pytest.fixture
def locked(world: World, tmp_path: Path) -> World:
    (tmp_path / "other.csv").write_text("a\n1\n")
    return world


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM read_parquet('{other}')",
        "SELECT count(*) FROM read_csv('{folder}/other.csv')",
        "SELECT count(*) FROM '{folder}/other.csv'",
        "SELECT length(content) FROM read_text('/etc/passwd')",
        "SELECT count(*) FROM glob('{folder}/*')",
        "SELECT count(*) FROM read_parquet('{folder}/**/*.parquet')",
        "COPY (SELECT 1) TO '{folder}/out.parquet'",
        "ATTACH '{folder}/x.db'",
        "INSTALL spatial",
        "LOAD spatial",
        "SET threads = 8",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/etc/passwd']",
        "RESET lock_configuration",
        "PRAGMA enable_profiling = 'json'",
        "CREATE PERSISTENT SECRET s (TYPE s3)",
        "EXPORT DATABASE '{folder}/out'",
        "SELECT count(*) FROM read_parquet('s3://bucket/file.parquet')",
        "SELECT count(*) FROM read_parquet('https://example.com/file.parquet')",
        "SELECT count(*) FROM secret",
    ],
)
def test_nothing_else_can_be_reached(locked: World, tmp_path: Path, sql: str) -> None:
    secret = locked.create("secret", pa.table({"n": [1]}))
    mine = locked.create("mine", pa.table({"n": [2]}))
    other = locked.planned(scan_of(loaded_of(secret))).files[0]
    text = sql.format(other=other, folder=tmp_path)
    with pytest.raises(LocalFailed):
        locked.query(text, NUMBER, scan_of(loaded_of(mine)))
    files = locked.planned(scan_of(loaded_of(mine))).files
    lease = locked.engine.instances.take(Need(files), Cancellation())
    refused = "disabled|locked|not allowed|Cannot access|does not exist|no extension|not found"
    with pytest.raises(duckdb.Error, match=refused):
        lease.execute(text)  # by DuckDB itself, whatever SQE lets through
    lease.close()
    assert not (tmp_path / "out.parquet").exists()
    assert not (tmp_path / "out").exists()


def test_a_cancelled_query_says_so_and_leaves_nothing(world: World) -> None:
    cancellation = Cancellation()
    statement = world.statement(series(10**12), NUMBER, ())
    result = world.run(statement, new_run(cancellation))
    next(iter(result))
    cancellation.cancel()
    with pytest.raises(SqeError) as raised:
        result.read_all()
    assert raised.value.code is ErrorCode.CANCELLED
    assert world.engine.instances.running_count == 0


def test_too_little_memory_is_the_engines_failure_without_spill(make: MakeWorld) -> None:
    world = make(spill=0, memory=96 * MB, memory_floor=32 * MB, memory_per_query=32 * MB)
    sql = "SELECT max(n) FROM (SELECT n FROM range(20000000) r(n) ORDER BY hash(n) OFFSET 5)"
    with pytest.raises(LocalFailed, match="memory"):
        world.query(sql, NUMBER)
    assert world.engine.instances.running_count == 0


def test_what_does_not_fit_in_memory_is_spilled_and_removed(make: MakeWorld) -> None:
    world = make(memory=96 * MB, memory_floor=64 * MB, memory_per_query=64 * MB)
    sql = "SELECT n FROM range(10000000) r(n) ORDER BY hash(n)"
    statement = world.statement(sql, NUMBER, ())
    with world.run(statement, new_run()) as result:
        next(iter(result))
        assert list(world.options.folder.glob("process-*/query-*/*"))
    assert not list(world.options.folder.glob("process-*/query-*"))
    world.engine.close()
    assert not list(world.options.folder.iterdir())


def test_a_full_spill_folder_is_the_engines_failure(make: MakeWorld) -> None:
    world = make(memory=96 * MB, memory_floor=32 * MB, memory_per_query=32 * MB, spill=MB)
    with pytest.raises(LocalFailed):
        world.query("SELECT n FROM range(20000000) r(n) ORDER BY hash(n)", NUMBER)


def test_a_query_waits_for_memory_and_then_goes_elsewhere(make: MakeWorld) -> None:
    world = make(memory=64 * MB, memory_floor=48 * MB, wait_s=0.05)
    statement = world.statement(series(10**12), NUMBER, ())
    with world.run(statement, new_run()) as result:
        next(iter(result))
        with pytest.raises(LocalFailed, match="no memory was free"):
            world.query("SELECT 1::BIGINT", NUMBER)
    assert world.query("SELECT 1::BIGINT", NUMBER).num_rows == 1


def test_threads_are_shared_by_those_at_work(make: MakeWorld) -> None:
    world = make(threads=4)
    threads = "SELECT current_setting('threads')::BIGINT"
    assert world.query(threads, NUMBER)["n"].to_pylist() == [4]
    with world.run(world.statement(series(10**12), NUMBER, ()), new_run()) as at_work:
        next(iter(at_work))
        assert world.query(threads, NUMBER)["n"].to_pylist() == [2]
    with world.run(world.statement(series(5), NUMBER, ()), new_run()) as done:
        assert done.read_all().num_rows == 5
        assert world.query(threads, NUMBER)["n"].to_pylist() == [4]


def test_more_threads_than_are_prepared(make: MakeWorld) -> None:
    world = make(threads=11)
    threads = "SELECT current_setting('threads')::BIGINT"
    assert world.query(threads, NUMBER)["n"].to_pylist() == [11]


@pytest.mark.parametrize(
    ("total", "per_query", "wanted"), [(1024, 100, 100), (150, 100, 75), (1024, 150, 64)]
)
def test_a_querys_limit_is_the_memory_it_was_given(
    make: MakeWorld, total: int, per_query: int, wanted: int
) -> None:
    world = make(memory=total * MB, memory_floor=64 * MB, memory_per_query=per_query * MB)
    schema = pa.schema({"limit": pa.string()})
    limit = "SELECT current_setting('memory_limit') FROM range(2)"
    with world.run(world.statement(limit, schema, ()), new_run()) as result:
        given = world.engine.instances.memory_used // MB
        assert result.read_all()["limit"].to_pylist() == [f"{given}.0 MiB"] * 2
    assert given == wanted


def test_a_missing_data_file_is_the_engines_failure(world: World) -> None:
    table = world.create("t", pa.table({"n": [1]}))
    scan = scan_of(loaded_of(table))
    assert world.query("SELECT * FROM scan_1", NUMBER, scan).num_rows == 1
    Path(world.planned(scan).files[0]).unlink()
    with pytest.raises(LocalFailed):
        world.query("SELECT * FROM scan_1", NUMBER, scan)


def test_a_missing_manifest_is_the_engines_failure(world: World) -> None:
    table = world.create("t", pa.table({"n": [1]}))
    scan = scan_of(loaded_of(table))
    for manifest in Path(table.location().removeprefix("file://")).glob("metadata/*.avro"):
        manifest.unlink()
    with pytest.raises(LocalFailed, match="could not be listed"):
        world.query("SELECT * FROM scan_1", NUMBER, scan)


def test_a_damaged_page_is_found(world: World) -> None:
    table = world.create("t", pa.table({"n": list(range(100_000))}))
    scan = scan_of(loaded_of(table))
    path = Path(world.planned(scan).files[0])
    content = bytearray(path.read_bytes())
    for place in range(40, len(content) // 2):
        content[place] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises((LocalFailed, UpstreamError)):
        world.query("SELECT * FROM scan_1", NUMBER, scan)
    assert world.engine.instances.running_count == 0


def test_a_file_outside_the_tables_kind_of_storage_is_not_opened(world: World) -> None:
    table = world.create("t", pa.table({"n": [1]}))
    loaded = loaded_of(table)
    elsewhere = loaded.metadata_json.replace(b'"location":"file://', b'"location":"s3://b', 1)
    config = {"s3.access-key-id": "k", "s3.secret-access-key": "s"}
    moved = type(loaded)(elsewhere, "s3://b/m.json", config)
    with pytest.raises(NotLocal, match="not where its table is"):
        ScanPlanner(world.options).plan_scan(scan_of(moved), ANN)


def test_explain_says_what_is_read(world: World) -> None:
    table = world.create("t", pa.table({"n": [1, 2, 3]}))
    statement = world.statement("SELECT sum(n)::BIGINT FROM scan_1", NUMBER, ())
    statement = world.statement(
        "SELECT sum(n)::BIGINT FROM scan_1 WHERE n > 1", NUMBER, [scan_of(loaded_of(table))]
    )
    assert "lake.db.t: 1 files" in world.prepare(statement).explain(new_run()).plan
    plan = world.prepare(statement).analyze(new_run()).plan
    assert plan.startswith("1 rows returned in ")
    assert "READ_PARQUET  (rows 2, time" in plan
    assert world.prepare(statement).facts.files == 1
    assert world.prepare(statement).describe(new_run()).columns[0].name == "n"


def test_what_a_dead_process_left_is_removed(make: MakeWorld) -> None:
    world = make()
    script = (
        "import os, sys; from pathlib import Path; from sqe.engines.local.spill import SpillFolder;"
        "folder = SpillFolder(Path(sys.argv[1])); folder.new().mkdir(); os._exit(9)"
    )
    command = [sys.executable, "-c", script, str(world.options.folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, check=False, env=environment)
    assert len(list(world.options.folder.iterdir())) == 1
    world.engine.warm()
    (own,) = world.options.folder.iterdir()
    assert world.engine.instances.running_count == 0
    assert not list(own.glob("query-*"))
