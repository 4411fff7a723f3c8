"""DELETE, UPDATE and MERGE, copy-on-write and merge-on-read."""

from __future__ import annotations

from sqe.errors import ErrorCode
from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("Row-level changes")
FOUR = "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')"
MODES = ("copy-on-write", "merge-on-read")


def _table(bench: Bench, mode: str = "copy-on-write") -> None:
    bench.create(
        "id INT, name STRING",
        write__delete__mode=mode,
        write__update__mode=mode,
        write__merge__mode=mode,
    )
    bench.run(FOUR)


def _source(bench: Bench, rows: str = "(2, 'B'), (5, 'E')") -> None:
    bench.create("id INT, name STRING", table="s")
    bench.run(f"INSERT INTO s VALUES {rows}")


def _has_deletes(bench: Bench, mode: str) -> None:
    found = bench.value("SELECT count(*) FROM t.delete_files")
    assert (found > 0) is (mode == "merge-on-read")


def _delete(mode: str) -> Steps:
    def steps(bench: Bench) -> None:
        _table(bench, mode)
        bench.run("DELETE FROM t WHERE id IN (2, 3)")
        bench.reads("SELECT id FROM t", [(1,), (4,)])
        _has_deletes(bench, mode)

    return steps


def _update(mode: str) -> Steps:
    def steps(bench: Bench) -> None:
        _table(bench, mode)
        bench.run("UPDATE t SET name = upper(name) WHERE id > 2")
        bench.reads("SELECT * FROM t", [(1, "a"), (2, "b"), (3, "C"), (4, "D")])
        _has_deletes(bench, mode)

    return steps


def _merge(mode: str) -> Steps:
    def steps(bench: Bench) -> None:
        _table(bench, mode)
        _source(bench)
        bench.run(
            "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name "
            "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
        )
        bench.reads("SELECT * FROM t", [(1, "a"), (2, "B"), (3, "c"), (4, "d"), (5, "E")])
        _has_deletes(bench, mode)

    return steps


for _verb, _steps in (("DELETE", _delete), ("UPDATE", _update), ("MERGE", _merge)):
    AREA.rows([(f"{_verb}, copy-on-write", _steps("copy-on-write"))], versions=(1, 2, 3))
    AREA.rows([(f"{_verb}, merge-on-read", _steps("merge-on-read"))], versions=(2, 3))


@AREA.feature("deletion vectors are written", versions=(3,))
def vectors(bench: Bench) -> None:
    _table(bench, "merge-on-read")
    bench.run("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 3")
    formats = bench.rows("SELECT file_format FROM t.delete_files")
    assert {name for (name,) in formats} == {"PUFFIN"}
    bench.reads("SELECT id FROM t", [(2,), (4,)])


@AREA.feature("DELETE of whole partitions writes no files")
def metadata_delete(bench: Bench) -> None:
    bench.create("id INT, g STRING", "PARTITIONED BY (g)")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')", "DELETE FROM t WHERE g = 'a'")
    bench.reads("SELECT * FROM t", [(2, "b")])
    assert (
        bench.value(
            "SELECT summary['added-data-files'] FROM t.snapshots ORDER BY committed_at DESC LIMIT 1"
        )
        is None
    )


@AREA.feature("DELETE with a subquery over another table")
def delete_subquery(bench: Bench) -> None:
    _table(bench)
    _source(bench)
    bench.run("DELETE FROM t WHERE id IN (SELECT id FROM s)")
    bench.reads("SELECT id FROM t", [(1,), (3,), (4,)])


@AREA.feature("UPDATE with a subquery over another table")
def update_subquery(bench: Bench) -> None:
    _table(bench)
    _source(bench)
    bench.run("UPDATE t SET name = 'x' WHERE EXISTS (SELECT 1 FROM s WHERE s.id = t.id)")
    bench.reads("SELECT name FROM t WHERE id = 2", [("x",)])


@AREA.feature("UPDATE of a nested field")
def update_nested(bench: Bench) -> None:
    bench.create("id INT, p STRUCT<x: INT, y: INT>")
    bench.run("INSERT INTO t VALUES (1, named_struct('x', 1, 'y', 2))", "UPDATE t SET p.x = 9")
    bench.reads("SELECT p.x, p.y FROM t", [(9, 2)])


def _merge_clause(name: str, clauses: str, rows: list[tuple[int, str]]) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        _table(bench)
        _source(bench)
        bench.run(f"MERGE INTO t USING s ON t.id = s.id {clauses}")
        bench.reads("SELECT * FROM t", rows)

    return f"MERGE: {name}", steps


A, B, C, D = (1, "a"), (2, "b"), (3, "c"), (4, "d")
AREA.rows(
    [
        _merge_clause("WHEN MATCHED DELETE", "WHEN MATCHED THEN DELETE", [A, C, D]),
        _merge_clause("UPDATE SET *", "WHEN MATCHED THEN UPDATE SET *", [A, (2, "B"), C, D]),
        _merge_clause("INSERT *", "WHEN NOT MATCHED THEN INSERT *", [A, B, C, D, (5, "E")]),
        _merge_clause(
            "NOT MATCHED BY SOURCE DELETE", "WHEN NOT MATCHED BY SOURCE THEN DELETE", [B]
        ),
        _merge_clause(
            "NOT MATCHED BY SOURCE UPDATE",
            "WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET name = 'gone'",
            [A, B, C, (4, "gone")],
        ),
        _merge_clause(
            "several conditional clauses",
            "WHEN MATCHED AND s.name = 'B' THEN UPDATE SET name = 'bee' WHEN MATCHED THEN DELETE "
            "WHEN NOT MATCHED AND s.id > 4 THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE",
            [(2, "bee"), C, D, (5, "E")],
        ),
    ]
)


@AREA.feature("MERGE from a query")
def merge_query(bench: Bench) -> None:
    _table(bench)
    bench.run(
        "MERGE INTO t USING (SELECT 2 AS id, 'two' AS name) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET t.name = s.name"
    )
    bench.reads("SELECT name FROM t WHERE id = 2", [("two",)])


@AREA.feature("MERGE WITH SCHEMA EVOLUTION")
def merge_evolution(bench: Bench) -> None:
    _table(bench)
    bench.create("id INT, name STRING, size INT", table="s")
    bench.run("INSERT INTO s VALUES (2, 'B', 20), (5, 'E', 50)")
    bench.run(
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    bench.reads("SELECT id, size FROM t WHERE id IN (1, 2, 5)", [(1, None), (2, 20), (5, 50)])


@AREA.feature("MERGE of two source rows into one is refused")
def merge_cardinality(bench: Bench) -> None:
    _table(bench)
    _source(bench, "(2, 'B'), (2, 'BB')")
    bench.fails(
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
        ErrorCode.CONSTRAINT_VIOLATION,
    )
    bench.reads("SELECT name FROM t WHERE id = 2", [("b",)])


@AREA.feature("rows updated and deleted are counted")
def counted(bench: Bench) -> None:
    _table(bench, "merge-on-read")
    bench.run("UPDATE t SET name = 'x' WHERE id < 3")
    affected = bench.spark.last_record().affected
    assert affected is not None and affected.updated == 2
    bench.run("DELETE FROM t WHERE id = 4")
    affected = bench.spark.last_record().affected
    assert affected is not None and affected.deleted == 1
