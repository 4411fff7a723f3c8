"""Maintenance procedures and statistics."""

from __future__ import annotations

from sqe.errors import ErrorCode
from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("Maintenance and statistics")
ROWS = [(value,) for value in range(6)]


def _small_files(bench: Bench, **properties: str) -> None:
    bench.create("id BIGINT, v BIGINT", **properties)
    for value in range(6):
        bench.run(f"INSERT INTO t VALUES ({value}, {value % 3})")


def _rewrite(name: str, arguments: str) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        _small_files(bench)
        bench.run(f"CALL system.rewrite_data_files(table => 't'{arguments})")
        assert bench.value("SELECT count(*) FROM t.files") < 6
        bench.reads("SELECT id FROM t", ROWS)

    return f"rewrite_data_files, {name}", steps


OPTIONS = ", options => map('min-input-files', '2')"
AREA.rows(
    [
        _rewrite("bin-pack", OPTIONS),
        _rewrite("sort", f", strategy => 'sort', sort_order => 'v DESC NULLS LAST'{OPTIONS}"),
        _rewrite("z-order", f", strategy => 'sort', sort_order => 'zorder(id, v)'{OPTIONS}"),
        _rewrite("where", f", where => 'id < 4'{OPTIONS}"),
    ]
)


@AREA.feature("rewrite_data_files applies deletes", versions=(2, 3))
def rewrite_deletes(bench: Bench) -> None:
    _small_files(bench, write__delete__mode="merge-on-read")
    bench.run("INSERT INTO t SELECT id + 10, 0 FROM range(4)", "DELETE FROM t WHERE id = 11")
    bench.run(
        "CALL system.rewrite_data_files(table => 't', "
        "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))"
    )
    assert bench.value("SELECT count(*) FROM t.delete_files") == 0
    bench.reads("SELECT id FROM t", [*ROWS, (10,), (12,), (13,)])


@AREA.feature("rewrite_manifests")
def manifests(bench: Bench) -> None:
    _small_files(bench)
    bench.run("CALL system.rewrite_manifests('t')")
    assert bench.value("SELECT count(*) FROM t.manifests") == 1
    bench.reads("SELECT id FROM t", ROWS)


@AREA.feature("rewrite_position_delete_files")
def position_deletes(bench: Bench) -> None:
    bench.create("id BIGINT", write__delete__mode="merge-on-read")
    bench.run("INSERT INTO t SELECT id FROM range(10)")
    bench.run("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 3")
    bench.run(
        "CALL system.rewrite_position_delete_files(table => 't', "
        "options => map('rewrite-all', 'true'))"
    )
    assert bench.value("SELECT count(*) FROM t.delete_files") == 1
    bench.reads("SELECT count(*) FROM t", [(8,)])


@AREA.feature("expire_snapshots")
def expire(bench: Bench) -> None:
    _small_files(bench)
    bench.run("CALL system.expire_snapshots(table => 't', older_than => now(), retain_last => 2)")
    assert len(bench.snapshots()) == 2
    bench.reads("SELECT id FROM t", ROWS)


@AREA.feature("expire_snapshots of one snapshot")
def expire_one(bench: Bench) -> None:
    _small_files(bench)
    first, *others = bench.snapshots()
    bench.run(f"CALL system.expire_snapshots(table => 't', snapshot_ids => array({first}))")
    assert bench.snapshots() == others


@AREA.feature("remove_orphan_files, dry run and real")
def orphans(bench: Bench) -> None:
    _small_files(bench)
    file = bench.value("SELECT file_path FROM t.files LIMIT 1").removeprefix("file:")
    orphan = file.replace(".parquet", "-orphan.parquet")
    _copy_old(file, orphan)
    found = bench.rows("CALL system.remove_orphan_files(table => 't', dry_run => true)")
    assert [path.removeprefix("file:") for (path,) in found] == [orphan]
    bench.run("CALL system.remove_orphan_files(table => 't')")
    assert bench.rows("CALL system.remove_orphan_files(table => 't', dry_run => true)") == []
    bench.reads("SELECT id FROM t", ROWS)


def _copy_old(source: str, target: str) -> None:
    """A file of last week that no snapshot knows."""
    import os
    import shutil
    import time

    shutil.copy(source, target)
    then = time.time() - 7 * 86400
    os.utime(target, (then, then))


@AREA.feature("remove_orphan_files younger than the floor is refused")
def orphan_floor(bench: Bench) -> None:
    _small_files(bench)
    bench.fails(
        "CALL system.remove_orphan_files(table => 't', older_than => now())",
        ErrorCode.INVALID_ARGUMENT,
    )


@AREA.feature("rewrite_table_path")
def table_path(bench: Bench) -> None:
    _small_files(bench)
    place = bench.value("SELECT file_path FROM t.files LIMIT 1").split("/data/")[0]
    place = place.removeprefix("file:")
    bench.run(
        f"CALL system.rewrite_table_path(table => 't', source_prefix => '{place}', "
        "target_prefix => 's3://elsewhere/t')"
    )
    bench.reads("SELECT id FROM t", ROWS)


@AREA.feature("register_table")
def register(bench: Bench) -> None:
    _small_files(bench)
    file = bench.value("SELECT file FROM t.metadata_log_entries ORDER BY timestamp DESC LIMIT 1")
    bench.run("DROP TABLE t")  # two tables may not share their files
    bench.run(f"CALL system.register_table(table => '{bench.schema}.u', metadata_file => '{file}')")
    bench.reads("SELECT id FROM u", ROWS)


@AREA.feature("compute_table_stats")
def table_stats(bench: Bench) -> None:
    _small_files(bench)
    [(file,)] = bench.rows("CALL system.compute_table_stats('t')")
    assert file.endswith(".stats")


@AREA.feature("compute_partition_stats")
def partition_stats(bench: Bench) -> None:
    bench.create("id INT, g STRING", "PARTITIONED BY (g)")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    [(file,)] = bench.rows("CALL system.compute_partition_stats('t')")
    assert file


@AREA.feature("ANALYZE TABLE")
def analyze(bench: Bench) -> None:
    _small_files(bench)
    bench.run("ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS")
    found = {row[0]: row[2] for row in bench.rows("SHOW STATS FOR t")}
    assert found == {"id": 6.0, "v": 3.0, None: None}


@AREA.feature("SHOW STATS FOR a table")
def show_stats(bench: Bench) -> None:
    _small_files(bench)
    found = {row[0]: row[3:] for row in bench.rows("SHOW STATS FOR t")}
    assert found["v"] == (0.0, None, "0", "2")
    assert found[None] == (None, 6.0, None, None)


@AREA.feature("SHOW STATS FOR a query")
def show_stats_query(bench: Bench) -> None:
    _small_files(bench)
    found = bench.rows("SHOW STATS FOR (SELECT v FROM t)")
    assert [row[0] for row in found] == ["v", None]


def _refused(procedure: str, arguments: str) -> Steps:
    def steps(bench: Bench) -> None:
        bench.create("id INT")
        bench.run(f"CALL system.{procedure}({arguments})")

    return steps


NO_SESSION_CATALOG = (
    "needs Spark's session catalog with tables that are not Iceberg's; SQE has none"
)
AREA.rows(
    [
        ("snapshot", _refused("snapshot", "source_table => 'x', table => 'y'")),
        ("migrate", _refused("migrate", "'x'")),
    ],
    upstream=NO_SESSION_CATALOG,
)
