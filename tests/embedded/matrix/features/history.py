"""Snapshots, branches, tags, time travel."""

from __future__ import annotations

from sqe.errors import ErrorCode
from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("History")


def _table(bench: Bench, **properties: str) -> list[int]:
    bench.create("id INT", **properties)
    for value in (1, 2, 3):
        bench.run(f"INSERT INTO t VALUES ({value})")
    return bench.snapshots()


def _moment_of(bench: Bench, snapshot: int) -> str:
    rows = bench.rows("SELECT CAST(committed_at AS STRING) FROM t.snapshots ORDER BY committed_at")
    return str(rows[snapshot][0])


@AREA.feature("VERSION AS OF a snapshot", versions=(1, 2, 3))
def version(bench: Bench) -> None:
    second = _table(bench)[1]
    bench.reads(f"SELECT id FROM t VERSION AS OF {second}", [(1,), (2,)])


@AREA.feature("FOR SYSTEM_VERSION AS OF")
def system_version(bench: Bench) -> None:
    first = _table(bench)[0]
    bench.reads(f"SELECT id FROM t FOR SYSTEM_VERSION AS OF {first}", [(1,)])


@AREA.feature("TIMESTAMP AS OF")
def moment(bench: Bench) -> None:
    _table(bench)
    at = _moment_of(bench, 1)
    bench.reads(f"SELECT id FROM t TIMESTAMP AS OF '{at}'", [(1,), (2,)])
    bench.reads(f"SELECT id FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '{at}'", [(1,), (2,)])


@AREA.feature("a snapshot by name, t.snapshot_id_…")
def by_name(bench: Bench) -> None:
    first = _table(bench)[0]
    bench.reads(f"SELECT id FROM t.snapshot_id_{first}", [(1,)])


@AREA.feature("CREATE TAG, and reading it")
def tag(bench: Bench) -> None:
    second = _table(bench)[1]
    bench.run(f"ALTER TABLE t CREATE TAG audit AS OF VERSION {second} RETAIN 30 DAYS")
    bench.reads("SELECT id FROM t VERSION AS OF 'audit'", [(1,), (2,)])
    bench.reads("SELECT id FROM t.tag_audit", [(1,), (2,)])


@AREA.feature("REPLACE and DROP TAG")
def replace_tag(bench: Bench) -> None:
    first, second, _ = _table(bench)
    bench.run(f"ALTER TABLE t CREATE TAG x AS OF VERSION {first}")
    bench.run(f"ALTER TABLE t REPLACE TAG x AS OF VERSION {second}")
    bench.reads("SELECT id FROM t VERSION AS OF 'x'", [(1,), (2,)])
    bench.run("ALTER TABLE t DROP TAG x", "ALTER TABLE t DROP TAG IF EXISTS x")
    assert bench.rows("SELECT name FROM t.refs") == [("main",)]


@AREA.feature("CREATE BRANCH, and reading it")
def branch(bench: Bench) -> None:
    first = _table(bench)[0]
    bench.run(
        f"ALTER TABLE t CREATE BRANCH b AS OF VERSION {first} RETAIN 7 DAYS "
        "WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS"
    )
    bench.reads("SELECT id FROM t VERSION AS OF 'b'", [(1,)])
    bench.reads("SELECT id FROM t.branch_b", [(1,)])


@AREA.feature("REPLACE and DROP BRANCH")
def replace_branch(bench: Bench) -> None:
    first, second, _ = _table(bench)
    bench.run(f"ALTER TABLE t CREATE BRANCH IF NOT EXISTS b AS OF VERSION {first}")
    bench.run(f"ALTER TABLE t CREATE OR REPLACE BRANCH b AS OF VERSION {second}")
    bench.reads("SELECT id FROM t.branch_b", [(1,), (2,)])
    bench.run("ALTER TABLE t DROP BRANCH b")
    assert bench.rows("SELECT name FROM t.refs") == [("main",)]


def _branch_write(verb: str, statement: str, rows: list[tuple[int]]) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        _table(bench)
        bench.run("ALTER TABLE t CREATE BRANCH b", statement)
        bench.reads("SELECT id FROM t.branch_b", rows)
        bench.reads("SELECT id FROM t", [(1,), (2,), (3,)])

    return f"{verb} on a branch", steps


AREA.rows(
    [
        _branch_write("INSERT", "INSERT INTO t.branch_b VALUES (4)", [(1,), (2,), (3,), (4,)]),
        _branch_write("DELETE", "DELETE FROM t.branch_b WHERE id = 1", [(2,), (3,)]),
        _branch_write("UPDATE", "UPDATE t.branch_b SET id = 9 WHERE id = 1", [(9,), (2,), (3,)]),
        _branch_write(
            "MERGE",
            "MERGE INTO t.branch_b x USING (SELECT 1 AS id) s ON x.id = s.id "
            "WHEN MATCHED THEN DELETE",
            [(2,), (3,)],
        ),
        _branch_write("INSERT OVERWRITE", "INSERT OVERWRITE t.branch_b VALUES (7)", [(7,)]),
    ]
)


@AREA.feature("fast_forward")
def fast_forward(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t CREATE BRANCH b", "INSERT INTO t.branch_b VALUES (4)")
    bench.run(f"CALL system.fast_forward('{bench.schema}.t', 'main', 'b')")
    bench.reads("SELECT id FROM t", [(1,), (2,), (3,), (4,)])


@AREA.feature("cherrypick_snapshot")
def cherrypick(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t CREATE BRANCH b", "INSERT INTO t.branch_b VALUES (4)")
    picked = bench.value("SELECT snapshot_id FROM t.refs WHERE name = 'b'")
    bench.run(f"CALL system.cherrypick_snapshot('{bench.schema}.t', {picked})")
    bench.reads("SELECT id FROM t", [(1,), (2,), (3,), (4,)])


@AREA.feature("rollback_to_snapshot")
def rollback(bench: Bench) -> None:
    first = _table(bench)[0]
    bench.run(f"CALL system.rollback_to_snapshot(table => 't', snapshot_id => {first})")
    bench.reads("SELECT id FROM t", [(1,)])


@AREA.feature("rollback_to_timestamp")
def rollback_moment(bench: Bench) -> None:
    _table(bench)
    at = _moment_of(bench, 2)
    bench.run(f"CALL system.rollback_to_timestamp('t', TIMESTAMP '{at}')")
    bench.reads("SELECT id FROM t", [(1,), (2,)])


@AREA.feature("set_current_snapshot")
def set_current(bench: Bench) -> None:
    first, second, _ = _table(bench)
    bench.run(f"CALL system.set_current_snapshot('t', {first})")
    bench.reads("SELECT id FROM t", [(1,)])
    bench.run(f"ALTER TABLE t CREATE TAG x AS OF VERSION {second}")
    bench.run("CALL system.set_current_snapshot(table => 't', ref => 'x')")
    bench.reads("SELECT id FROM t", [(1,), (2,)])


@AREA.feature("ancestors_of")
def ancestors(bench: Bench) -> None:
    snapshots = _table(bench)
    found = [id_ for id_, _ in bench.rows("CALL system.ancestors_of('t')")]
    assert found == snapshots[::-1]


@AREA.feature("write-audit-publish on a branch")
def wap_branch(bench: Bench) -> None:
    _table(bench, write__wap__enabled="true")
    bench.run("SET SESSION sqe.wap_branch = 'audit'", "INSERT INTO t VALUES (4)")
    bench.run("RESET SESSION sqe.wap_branch")
    bench.reads("SELECT id FROM t", [(1,), (2,), (3,)])
    bench.run("CALL system.fast_forward('t', 'main', 'audit')")
    bench.reads("SELECT id FROM t", [(1,), (2,), (3,), (4,)])


@AREA.feature("write-audit-publish by id, publish_changes")
def wap_id(bench: Bench) -> None:
    _table(bench, write__wap__enabled="true")
    bench.run("SET SESSION sqe.wap_id = 'load-7'", "INSERT INTO t VALUES (4)")
    bench.run("RESET SESSION sqe.wap_id")
    bench.reads("SELECT id FROM t", [(1,), (2,), (3,)])
    bench.run("CALL system.publish_changes('t', 'load-7')")
    bench.reads("SELECT id FROM t", [(1,), (2,), (3,), (4,)])


@AREA.feature("an unknown snapshot is an error")
def unknown(bench: Bench) -> None:
    _table(bench)
    bench.fails("SELECT id FROM t VERSION AS OF 17", ErrorCode.SNAPSHOT_NOT_FOUND)
