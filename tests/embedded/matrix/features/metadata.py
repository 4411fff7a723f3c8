"""Metadata tables and metadata columns."""

from __future__ import annotations

from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("Metadata")


def _table(bench: Bench) -> None:
    bench.create("id INT, g STRING", "PARTITIONED BY (g)", write__delete__mode="merge-on-read")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'b')", "DELETE FROM t WHERE id = 2")


def _metadata(name: str, count: int) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        _table(bench)
        found = bench.rows(f"SELECT * FROM t.{name}")
        assert len(found) == count, found

    return f"t.{name}", steps


AREA.rows(
    [
        _metadata("snapshots", 2),
        _metadata("history", 2),
        _metadata("refs", 1),
        _metadata("files", 3),
        _metadata("data_files", 2),
        _metadata("delete_files", 1),
        _metadata("manifests", 2),
        _metadata("entries", 3),
        _metadata("partitions", 2),
        _metadata("position_deletes", 1),
        _metadata("metadata_log_entries", 3),
        _metadata("all_data_files", 2),
        _metadata("all_delete_files", 1),
        _metadata("all_files", 3),
        _metadata("all_entries", 3),
        _metadata("all_manifests", 3),
    ]
)


@AREA.feature("a metadata table at an older snapshot")
def travelled(bench: Bench) -> None:
    _table(bench)
    first = bench.snapshots()[0]
    assert bench.value(f"SELECT count(*) FROM t.files VERSION AS OF {first}") == 2


@AREA.feature("metadata tables of a table of version 3", versions=(3,))
def version_3(bench: Bench) -> None:
    _table(bench)
    assert bench.value("SELECT count(*) FROM t.delete_files WHERE file_format = 'PUFFIN'") == 1


@AREA.feature("columns _file, _pos, _spec_id, _partition")
def columns(bench: Bench) -> None:
    _table(bench)
    found = bench.rows("SELECT _file, _pos, _spec_id, _partition FROM t WHERE id = 1")
    [(file, position, spec, partition)] = found
    assert file.endswith(".parquet")
    assert (position, spec, partition) == (0, 0, {"g": "a"})


@AREA.feature("changes between two snapshots")
def changes(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')", "DELETE FROM t WHERE id = 1")
    bench.run("INSERT INTO t VALUES (3, 'c')")
    first, _, last = bench.snapshots()
    bench.reads(
        f"SELECT id, _change_type FROM table_changes('t', {first}, {last})",
        [(1, "DELETE"), (3, "INSERT")],
    )


@AREA.feature("DESCRIBE and SHOW COLUMNS")
def describe(bench: Bench) -> None:
    _table(bench)
    assert [name for (name,) in bench.rows("SHOW COLUMNS IN t")] == ["id", "g"]
    assert ("id", "int", None) in bench.rows("DESCRIBE t")


@AREA.feature("SHOW CREATE TABLE makes the table again")
def show_create(bench: Bench) -> None:
    _table(bench)
    text = bench.value("SHOW CREATE TABLE t")
    bench.run("DROP TABLE t", text)
    bench.reads("SELECT * FROM t", [])
    assert bench.value("SHOW CREATE TABLE t") == text


@AREA.feature("information_schema")
def information_schema(bench: Bench) -> None:
    _table(bench)
    found = bench.rows(
        "SELECT column_name FROM information_schema.columns "
        f"WHERE table_schema = '{bench.schema}' ORDER BY ordinal_position"
    )
    assert found == [("id",), ("g",)]
