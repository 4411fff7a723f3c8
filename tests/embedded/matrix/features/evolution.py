"""Changing a table's schema and properties; what was written before stays readable."""

from __future__ import annotations

from decimal import Decimal

from sqe.errors import ErrorCode
from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area

AREA = Area("Evolution")
ALL = (1, 2, 3)


def _table(bench: Bench) -> None:
    bench.create("id INT, name STRING, p STRUCT<x: INT, y: INT>")
    bench.run("INSERT INTO t VALUES (1, 'a', named_struct('x', 10, 'y', 20))")


@AREA.feature("ADD COLUMN", versions=ALL)
def add(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ADD COLUMN size BIGINT COMMENT 'in mm'")
    bench.run("INSERT INTO t VALUES (2, 'b', NULL, 7)")
    bench.reads("SELECT id, size FROM t", [(1, None), (2, 7)])


@AREA.feature("ADD COLUMNS, several")
def add_several(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ADD COLUMNS (a INT, b STRING)")
    bench.reads("SELECT id, a, b FROM t", [(1, None, None)])


@AREA.feature("ADD COLUMN FIRST and AFTER")
def add_placed(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ADD COLUMN z INT FIRST", "ALTER TABLE t ADD COLUMN b INT AFTER id")
    bench.reads("SELECT * FROM t", [(None, 1, None, "a", {"x": 10, "y": 20})])


@AREA.feature("ADD a field of a struct")
def add_nested(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ADD COLUMN p.z INT")
    bench.run("INSERT INTO t VALUES (2, 'b', named_struct('x', 1, 'y', 2, 'z', 3))")
    bench.reads("SELECT id, p.x, p.z FROM t", [(1, 10, None), (2, 1, 3)])


@AREA.feature("ADD a field of an array's elements")
def add_element(bench: Bench) -> None:
    bench.create("id INT, a ARRAY<STRUCT<x: INT>>")
    bench.run("INSERT INTO t VALUES (1, array(named_struct('x', 1)))")
    bench.run("ALTER TABLE t ADD COLUMN a.element.y INT")
    bench.reads("SELECT a[0].x, a[0].y FROM t", [(1, None)])


@AREA.feature("ADD a field of a map's values")
def add_value(bench: Bench) -> None:
    bench.create("id INT, m MAP<STRING, STRUCT<x: INT>>")
    bench.run("INSERT INTO t VALUES (1, map('k', named_struct('x', 1)))")
    bench.run("ALTER TABLE t ADD COLUMN m.value.y INT")
    bench.reads("SELECT m['k'].x, m['k'].y FROM t", [(1, None)])


@AREA.feature("ADD COLUMN with a default for the rows that are there", versions=(3,))
def add_default(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ADD COLUMN size INT DEFAULT 5", "INSERT INTO t (id) VALUES (2)")
    bench.reads("SELECT id, size FROM t", [(1, 5), (2, 5)])


@AREA.feature("ALTER COLUMN SET DEFAULT", versions=(3,))
def set_default(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ALTER COLUMN name SET DEFAULT 'none'", "INSERT INTO t (id) VALUES (2)")
    bench.reads("SELECT id, name FROM t", [(1, "a"), (2, "none")])


@AREA.feature("ALTER COLUMN DROP DEFAULT", versions=(3,))
def drop_default(bench: Bench) -> None:
    bench.create("id INT, name STRING DEFAULT 'none'")
    bench.run("ALTER TABLE t ALTER COLUMN name DROP DEFAULT", "INSERT INTO t (id) VALUES (1)")
    bench.reads("SELECT id, name FROM t", [(1, None)])


@AREA.feature("DROP COLUMN", versions=ALL)
def drop(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t DROP COLUMN name")
    bench.reads("SELECT * FROM t", [(1, {"x": 10, "y": 20})])


@AREA.feature("DROP a field of a struct")
def drop_nested(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t DROP COLUMN p.x")
    bench.reads("SELECT p FROM t", [({"y": 20},)])


@AREA.feature("a dropped name added again is another column", versions=ALL)
def drop_and_add(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t DROP COLUMN name", "ALTER TABLE t ADD COLUMN name STRING")
    bench.reads("SELECT id, name FROM t", [(1, None)])


@AREA.feature("RENAME COLUMN", versions=ALL)
def rename(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t RENAME COLUMN name TO title")
    bench.reads("SELECT title FROM t", [("a",)])


@AREA.feature("RENAME a field of a struct")
def rename_nested(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t RENAME COLUMN p.x TO first")
    bench.reads("SELECT p.first FROM t", [(10,)])


@AREA.feature("two columns exchange names")
def swap(bench: Bench) -> None:
    bench.create("a INT, b INT")
    bench.run("INSERT INTO t VALUES (1, 2)", "ALTER TABLE t RENAME COLUMN a TO c")
    bench.run("ALTER TABLE t RENAME COLUMN b TO a", "ALTER TABLE t RENAME COLUMN c TO b")
    bench.reads("SELECT a, b FROM t", [(2, 1)])


@AREA.feature("reorder columns")
def reorder(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ALTER COLUMN name FIRST", "ALTER TABLE t ALTER COLUMN id AFTER p")
    bench.reads("SELECT * FROM t", [("a", {"x": 10, "y": 20}, 1)])


@AREA.feature("reorder the fields of a struct")
def reorder_nested(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ALTER COLUMN p.y FIRST")
    bench.reads("SELECT p FROM t", [({"y": 20, "x": 10},)])


@AREA.feature("widen int to bigint", versions=ALL)
def widen_int(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    bench.run("INSERT INTO t (id) VALUES (5000000000)")
    bench.reads("SELECT id FROM t", [(1,), (5000000000,)])


@AREA.feature("widen float to double")
def widen_float(bench: Bench) -> None:
    bench.create("v FLOAT")
    bench.run("INSERT INTO t VALUES (1.5)", "ALTER TABLE t ALTER COLUMN v TYPE DOUBLE")
    bench.reads("SELECT v FROM t", [(1.5,)])


@AREA.feature("widen the precision of a decimal")
def widen_decimal(bench: Bench) -> None:
    bench.create("v DECIMAL(5, 2)")
    bench.run("INSERT INTO t VALUES (123.45)", "ALTER TABLE t ALTER COLUMN v TYPE DECIMAL(20, 2)")
    bench.reads("SELECT v FROM t", [(Decimal("123.45"),)])


@AREA.feature("widen a field of a struct")
def widen_nested(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ALTER COLUMN p.x TYPE BIGINT")
    bench.reads("SELECT p.x FROM t", [(10,)])


@AREA.feature("a narrowing change of type is refused")
def narrow(bench: Bench) -> None:
    bench.create("v BIGINT")
    error = bench.spark.fails("ALTER TABLE t ALTER COLUMN v TYPE INT")
    assert error.code in (ErrorCode.NOT_SUPPORTED, ErrorCode.TYPE_MISMATCH, ErrorCode.USER_ERROR)


@AREA.feature("comment of a column")
def comment(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t ALTER COLUMN name COMMENT 'what it is called'")
    assert "what it is called" in str(bench.rows("DESCRIBE t"))


@AREA.feature("COMMENT ON TABLE")
def comment_on(bench: Bench) -> None:
    _table(bench)
    bench.run("COMMENT ON TABLE t IS 'things'")
    assert "things" in str(bench.rows("DESCRIBE EXTENDED t"))


@AREA.feature("DROP NOT NULL")
def drop_not_null(bench: Bench) -> None:
    bench.create("id INT NOT NULL")
    bench.run("ALTER TABLE t ALTER COLUMN id DROP NOT NULL", "INSERT INTO t VALUES (NULL)")
    bench.reads("SELECT id FROM t", [(None,)])


@AREA.feature("identifier fields")
def identifier(bench: Bench) -> None:
    bench.create("id INT NOT NULL, name STRING")
    bench.run("ALTER TABLE t SET IDENTIFIER FIELDS id")
    assert dict(bench.rows("SHOW TBLPROPERTIES t")).get("identifier-fields") == "[id]"
    bench.run("ALTER TABLE t DROP IDENTIFIER FIELDS id")
    assert "identifier-fields" not in dict(bench.rows("SHOW TBLPROPERTIES t"))


@AREA.feature("SET and UNSET TBLPROPERTIES")
def properties(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t SET TBLPROPERTIES ('read.split.target-size' = '1048576')")
    assert dict(bench.rows("SHOW TBLPROPERTIES t"))["read.split.target-size"] == "1048576"
    bench.run("ALTER TABLE t UNSET TBLPROPERTIES ('read.split.target-size')")
    assert "read.split.target-size" not in dict(bench.rows("SHOW TBLPROPERTIES t"))


@AREA.feature("upgrade of the format version 1 to 2")
def upgrade_2(bench: Bench) -> None:
    bench.version = 1
    _table(bench)
    bench.run("ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2')")
    bench.run("ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    bench.run("INSERT INTO t (id) VALUES (2), (3)", "DELETE FROM t WHERE id = 3")
    bench.reads("SELECT id FROM t", [(1,), (2,)])


@AREA.feature("upgrade of the format version 2 to 3")
def upgrade_3(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    bench.run("INSERT INTO t (id) VALUES (2), (3)", "DELETE FROM t WHERE id = 3")
    bench.run("ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3')")
    bench.run("INSERT INTO t (id) VALUES (4), (5)", "DELETE FROM t WHERE id IN (2, 5)")
    bench.reads("SELECT id FROM t", [(1,), (4,)])


@AREA.feature("ALTER TABLE RENAME TO")
def rename_table(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t RENAME TO u")
    bench.reads("SELECT id FROM u", [(1,)])
    bench.fails("SELECT id FROM t", ErrorCode.TABLE_NOT_FOUND)


@AREA.feature("an old snapshot is read with its own schema")
def old_schema(bench: Bench) -> None:
    _table(bench)
    bench.run("ALTER TABLE t DROP COLUMN name", "INSERT INTO t (id) VALUES (2)")
    first = bench.snapshots()[0]
    bench.reads(f"SELECT id, name FROM t VERSION AS OF {first}", [(1, "a")])
