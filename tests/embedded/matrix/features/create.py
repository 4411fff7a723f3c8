"""Creating tables."""

from __future__ import annotations

from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("Create")
TWO_ROWS = "INSERT INTO t VALUES (1, 'a'), (2, 'b')"


@AREA.feature("CREATE TABLE", versions=(1, 2, 3))
def create_table(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run(TWO_ROWS)
    bench.reads("SELECT * FROM t", [(1, "a"), (2, "b")])
    properties = dict(bench.rows("SHOW TBLPROPERTIES t"))
    assert properties["format-version"] == str(bench.version)


@AREA.feature("CREATE TABLE IF NOT EXISTS")
def if_not_exists(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("CREATE TABLE IF NOT EXISTS t (other STRING)")
    bench.reads("SELECT id FROM t", [])


@AREA.feature("CREATE OR REPLACE TABLE")
def replace(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("INSERT INTO t VALUES (1)", "CREATE OR REPLACE TABLE t (name STRING)")
    bench.reads("SELECT name FROM t", [])
    assert len(bench.rows("SELECT * FROM t.snapshots")) == 1, "the history is kept"


@AREA.feature("CREATE TABLE AS SELECT", versions=(1, 2, 3))
def create_as(bench: Bench) -> None:
    bench.run(
        f"CREATE TABLE t TBLPROPERTIES ('format-version' = '{bench.version}') AS "
        "SELECT id, id * 2 AS twice FROM range(3)"
    )
    bench.reads("SELECT * FROM t", [(0, 0), (1, 2), (2, 4)])


@AREA.feature("CREATE TABLE AS SELECT, partitioned")
def create_as_partitioned(bench: Bench) -> None:
    bench.run("CREATE TABLE t PARTITIONED BY (g) AS SELECT id, id % 2 AS g FROM range(4)")
    bench.reads("SELECT id FROM t WHERE g = 1", [(1,), (3,)])
    assert len(bench.rows("SELECT * FROM t.partitions")) == 2


@AREA.feature("REPLACE TABLE AS SELECT")
def replace_as(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("CREATE OR REPLACE TABLE t AS SELECT 'x' AS name")
    bench.reads("SELECT * FROM t", [("x",)])


@AREA.feature("CREATE TABLE LIKE")
def like(bench: Bench) -> None:
    bench.create("id INT NOT NULL COMMENT 'the key', name STRING", "PARTITIONED BY (bucket(2, id))")
    bench.run("CREATE TABLE u LIKE t", "INSERT INTO u VALUES (1, 'a')")
    bench.reads("SELECT * FROM u", [(1, "a")])
    assert "bucket(2, id)" in bench.value("SHOW CREATE TABLE u")


@AREA.feature("comments on table and columns")
def comments(bench: Bench) -> None:
    bench.create("id INT COMMENT 'the key'", "COMMENT 'all of them'")
    assert "the key" in str(bench.rows("DESCRIBE t"))
    assert "all of them" in str(bench.rows("DESCRIBE EXTENDED t"))


@AREA.feature("table properties")
def properties(bench: Bench) -> None:
    bench.create("id INT", owner_team="sales")
    assert dict(bench.rows("SHOW TBLPROPERTIES t"))["owner_team"] == "sales"


@AREA.feature("NOT NULL columns")
def not_null(bench: Bench) -> None:
    from sqe.errors import ErrorCode

    bench.create("id INT NOT NULL, name STRING")
    bench.run(TWO_ROWS)
    bench.fails("INSERT INTO t VALUES (NULL, 'c')", ErrorCode.CONSTRAINT_VIOLATION)
    bench.reads("SELECT count(*) FROM t", [(2,)])


def _file_format(name: str) -> Steps:
    def steps(bench: Bench) -> None:
        bench.create("id INT, name STRING", write__format__default=name)
        bench.run(TWO_ROWS)
        bench.reads("SELECT * FROM t", [(1, "a"), (2, "b")])
        assert {row[0].lower() for row in bench.rows("SELECT file_format FROM t.files")} == {name}

    return steps


AREA.rows([(f"data files in {name}", _file_format(name)) for name in ("parquet", "orc", "avro")])


@AREA.feature("DROP TABLE")
def drop(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("DROP TABLE t", "DROP TABLE IF EXISTS t")
    assert bench.rows("SHOW TABLES") == []


@AREA.feature("DROP TABLE PURGE")
def drop_purge(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("INSERT INTO t VALUES (1)", "DROP TABLE t PURGE")
    assert bench.rows("SHOW TABLES") == []
