"""Whoever writes, and whatever becomes of a table: the next local query sees it as Spark does."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sqe.errors import ErrorCode
from tests.embedded.local.sides import Sides
from tests.embedded.pipe.lake import until

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def test_writes_through_spark_are_seen_at_once(sides: Sides) -> None:
    sides.do("CREATE TABLE fresh (id INT, name STRING) USING iceberg")
    assert sides.same("SELECT * FROM fresh") == []
    steps = (
        ("INSERT INTO fresh VALUES (1, 'a'), (2, 'b')", 2),
        ("INSERT INTO fresh VALUES (3, 'c')", 3),
        ("DELETE FROM fresh WHERE id = 1", 2),
        ("UPDATE fresh SET name = 'B' WHERE id = 2", 2),
        ("MERGE INTO fresh t USING (SELECT 9 AS id) s ON t.id = s.id"
         " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'n')", 3),
        ("INSERT OVERWRITE fresh VALUES (7, 'only')", 1),
        ("TRUNCATE TABLE fresh", 0),
        ("INSERT INTO fresh VALUES (8, NULL)", 1),
    )  # fmt: skip
    for statement, rows in steps:
        sides.do(statement)
        assert len(sides.same("SELECT * FROM fresh")) == rows
        sides.same("SELECT count(*), max(id) FROM fresh")


def test_writes_by_another_engine_are_seen_at_once(sides: Sides) -> None:
    sides.do("CREATE TABLE foreign_writes (id INT, name STRING) USING iceberg")
    assert sides.same("SELECT * FROM foreign_writes") == []
    rows = pa.table({"id": pa.array([1, 2], pa.int32()), "name": ["x", "y"]})
    sides.table("foreign_writes").append(rows)
    assert len(sides.same("SELECT * FROM foreign_writes")) == 2
    sides.table("foreign_writes").delete("id = 1")
    assert sides.same("SELECT id FROM foreign_writes") == ["(2,)"]
    sides.table("foreign_writes").overwrite(rows.slice(0, 1))
    assert sides.same("SELECT id FROM foreign_writes") == ["(1,)"]
    with sides.table("foreign_writes").transaction() as change:
        change.append(rows)
        change.append(rows)
    assert len(sides.same("SELECT id FROM foreign_writes")) == 5


def test_a_schema_that_changes_between_two_queries(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE reshaped (id INT, a STRING) USING iceberg",
        "INSERT INTO reshaped VALUES (1, 'one')",
    )
    sides.same("SELECT * FROM reshaped")
    sides.do("ALTER TABLE reshaped RENAME COLUMN a TO b")
    sides.same("SELECT * FROM reshaped")
    assert "has no column a" in sides.local.fails("SELECT a FROM reshaped").message
    sides.do("ALTER TABLE reshaped ADD COLUMN a BIGINT", "ALTER TABLE reshaped DROP COLUMN b")
    assert sides.same("SELECT a FROM reshaped") == ["(None,)"]
    with sides.table("reshaped").update_schema() as update:
        update.rename_column("a", "z")
        update.move_first("a")
    sides.same("SELECT * FROM reshaped")
    sides.do("ALTER TABLE reshaped ALTER COLUMN id TYPE BIGINT")
    assert sides.same("SELECT id + 5000000000 FROM reshaped") == ["(5000000001,)"]


def test_a_table_that_is_dropped_and_made_again(sides: Sides) -> None:
    for round in range(3):
        kind = ("INT", "STRING", "DOUBLE")[round]
        sides.do(
            f"CREATE TABLE again (v {kind}, n INT) USING iceberg",
            f"INSERT INTO again SELECT CAST(id AS {kind}), {round} FROM range(3)",
        )
        assert len(sides.same("SELECT * FROM again")) == 3
        assert sides.same("SELECT max(n) FROM again") == [f"({round},)"]
        sides.do("DROP TABLE again")
        assert sides.local.fails("SELECT * FROM again").code is ErrorCode.TABLE_NOT_FOUND


def test_a_table_that_is_replaced_or_renamed(sides: Sides) -> None:
    sides.do("CREATE TABLE replaced USING iceberg AS SELECT 1 AS a")
    sides.same("SELECT * FROM replaced")
    sides.do("CREATE OR REPLACE TABLE replaced USING iceberg AS SELECT 'x' AS a, 2 AS b")
    assert sides.same("SELECT * FROM replaced") == ["('x', 2)"]
    sides.rest.rename_table("default.replaced", "default.moved")
    sides.do("CREATE TABLE replaced (other INT) USING iceberg")
    assert sides.same("SELECT * FROM replaced") == []
    assert sides.same("SELECT * FROM moved") == ["('x', 2)"]


def test_a_rollback_is_seen(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE rolled USING iceberg AS SELECT 1 AS id",
        "INSERT INTO rolled VALUES (2)",
        "INSERT INTO rolled VALUES (3)",
    )
    assert len(sides.same("SELECT * FROM rolled")) == 3
    first = sides.table("rolled").history()[0].snapshot_id
    with sides.table("rolled").manage_snapshots() as manage:
        manage.rollback_to_snapshot(first)
    assert sides.same("SELECT * FROM rolled") == ["(1,)"]
    sides.do("INSERT INTO rolled VALUES (4)")
    assert sides.same("SELECT * FROM rolled") == ["(1,)", "(4,)"]


def test_snapshots_that_expire(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE expiring USING iceberg AS SELECT 1 AS id",
        "INSERT OVERWRITE expiring VALUES (2)",
    )
    first = sides.table("expiring").history()[0].snapshot_id
    old = f"SELECT * FROM expiring VERSION AS OF {first}"
    assert sides.same(old) == ["(1,)"]
    then = sides.table("expiring").scan(snapshot_id=first)
    files = [task.file.file_path for task in then.plan_files()]
    sides.table("expiring").maintenance.expire_snapshots().by_id(first).commit()
    for path in files:
        Path(path.removeprefix("file:")).unlink()
    assert sides.same("SELECT * FROM expiring") == ["(2,)"]
    assert "snapshot is not in the table's metadata" in sides.local.fails(old).message
    assert sides.spark.fails(old).code is ErrorCode.SNAPSHOT_NOT_FOUND


def test_a_reader_keeps_its_snapshot_while_others_write(sides: Sides) -> None:
    sides.do("CREATE TABLE steady USING iceberg AS SELECT id FROM range(200000)")
    query = sides.local.submit("SELECT id FROM steady")
    with sides.local.server.gateway.fetch(query) as result:
        rows = next(iter(result)).num_rows
        sides.do("DELETE FROM steady WHERE id % 2 = 0")
        rows += sum(batch.num_rows for batch in result)
    assert rows == 200_000
    assert sides.same("SELECT count(*) FROM steady") == ["(100000,)"]
    assert until(lambda: sides.local.last_record().ended is not None)
