"""Tables that Spark changed in many steps, asked through the gateway."""

from __future__ import annotations

import pytest

from tests.embedded.local.sides import Sides

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
MERGE_ON_READ = (
    "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read',"
    " 'write.delete.granularity'='partition'"
)


def test_columns_by_all_their_changes(sides: Sides) -> None:
    table = "changed_columns"
    sides.do(
        f"CREATE TABLE {table} (id INT, a INT, b FLOAT, c DECIMAL(5, 2), d STRING) USING iceberg",
        f"INSERT INTO {table} VALUES (1, 10, 1.1, 1.25, 'one'), (2, NULL, NULL, NULL, NULL)",
    )
    changes = (
        "ALTER COLUMN a TYPE BIGINT",
        "ALTER COLUMN b TYPE DOUBLE",
        "ALTER COLUMN c TYPE DECIMAL(20, 2)",
        "RENAME COLUMN d TO e",
        "ADD COLUMN d INT AFTER id",
        "DROP COLUMN a",
        "ADD COLUMN a STRING FIRST",
        "RENAME COLUMN e TO filename",
        "RENAME COLUMN d TO file_row_number",
    )
    for place, change in enumerate(changes):
        sides.do(f"ALTER TABLE {table} {change}")
        sides.same(f"SELECT * FROM {table}")
        if place % 4 == 2:
            sides.do(f"INSERT INTO {table} (id, b, c) VALUES (3, 0.1, 99.5)")
            sides.same(f"SELECT * FROM {table}")
            sides.same(f"SELECT count(*), sum(c), max(c) FROM {table} WHERE c > 0")


def test_names_that_differ_by_case_or_quote(sides: Sides) -> None:
    sides.do(
        'CREATE TABLE named (`a b` INT, `c"d` STRING, `e.f` INT, `ü` INT) USING iceberg',
        "INSERT INTO named VALUES (1, 'x', 2, 3)",
    )
    sides.same('SELECT `a b`, `c"d`, `ü` FROM named')


def test_nested_fields_that_change(sides: Sides) -> None:
    """The column itself is Spark's; the others go on being read here."""
    sides.do(
        "CREATE TABLE nested (id INT, s STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<z: INT>>)"
        " USING iceberg",
        "INSERT INTO nested VALUES (1, named_struct('x', 1, 'y', 'u'),"
        " array(named_struct('z', 5)))",
        "ALTER TABLE nested ADD COLUMN s.w BIGINT",
        "ALTER TABLE nested RENAME COLUMN s.x TO v",
        "ALTER TABLE nested ALTER COLUMN l.element.z TYPE BIGINT",
        "INSERT INTO nested VALUES (2, named_struct('v', 1, 'y', 'u', 'w', 5L),"
        " array(named_struct('z', 5L)))",
    )
    assert sides.same("SELECT id FROM nested") == ["(1,)", "(2,)"]
    assert sides.local.fails("SELECT s FROM nested").message
    assert sides.local.fails("SELECT s.v FROM nested").message


@pytest.mark.parametrize("version", [2, 3])
def test_deletes_among_changes(sides: Sides, version: int) -> None:
    table = f"deleted_among_{version}"
    sides.do(
        f"CREATE TABLE {table} (id INT, p DOUBLE, v STRING) USING iceberg PARTITIONED BY (p)"
        f" TBLPROPERTIES ('format-version'='{version}', {MERGE_ON_READ})",
        f"INSERT INTO {table} SELECT CAST(id AS INT), CASE id % 4 WHEN 0 THEN double('NaN')"
        " WHEN 1 THEN -0.0D WHEN 2 THEN NULL ELSE 1.5D END, 'v' FROM range(40)",
        f"INSERT INTO {table} SELECT id + 40, p, v FROM {table}",
        f"DELETE FROM {table} WHERE id % 3 = 0",
    )
    assert len(sides.same(f"SELECT id, v FROM {table}")) == 53
    sides.do(
        f"DELETE FROM {table} WHERE id % 7 = 1",
        f"UPDATE {table} SET v = 'w' WHERE id % 5 = 2",
        f"ALTER TABLE {table} RENAME COLUMN v TO w",
    )
    sides.same(f"SELECT id, w FROM {table}")
    sides.same(f"SELECT w, count(*) FROM {table} GROUP BY w")


def test_time_travel_and_branches(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE travelled USING iceberg AS SELECT 1 AS id, 'a' AS name",
        "INSERT INTO travelled VALUES (2, 'b')",
    )
    first, second = (entry.snapshot_id for entry in sides.table("travelled").history())
    with sides.table("travelled").manage_snapshots() as manage:
        manage.create_branch(first, "side").create_tag(second, "both")
    sides.do(
        "INSERT INTO travelled.branch_side VALUES (7, 'side')",
        "ALTER TABLE travelled ADD COLUMN more INT",
        "DELETE FROM travelled WHERE id = 1",
    )
    for source, rows in (
        (f"travelled VERSION AS OF {first}", 1),
        (f"travelled VERSION AS OF {second}", 2),
        ("travelled VERSION AS OF 'both'", 2),
        ("travelled VERSION AS OF 'side'", 2),
        ("travelled", 1),
    ):
        assert len(sides.same(f"SELECT id, name FROM {source}")) == rows


def test_tables_of_nothing(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE never_written (id INT, name STRING) USING iceberg",
        "CREATE TABLE emptied USING iceberg AS SELECT 1 AS id",
        "DELETE FROM emptied",
        "CREATE TABLE written_empty USING iceberg AS SELECT 1 AS id WHERE false",
    )
    for table in ("never_written", "emptied", "written_empty"):
        assert sides.same(f"SELECT * FROM {table}") == []
        assert sides.same(f"SELECT count(*), max(id) FROM {table}") == ["(0, None)"]
        assert sides.same(f"SELECT * FROM {table} WHERE id > 5") == []
