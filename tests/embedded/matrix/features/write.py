"""Adding and replacing rows."""

from __future__ import annotations

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq

from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area

AREA = Area("Write")
ALL = (1, 2, 3)


@AREA.feature("INSERT INTO … VALUES", versions=ALL)
def values(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run("INSERT INTO t VALUES (1, 'a')", "INSERT INTO t VALUES (2, 'b')")
    bench.reads("SELECT * FROM t", [(1, "a"), (2, "b")])
    assert len(bench.snapshots()) == 2


@AREA.feature("INSERT INTO … SELECT")
def select(bench: Bench) -> None:
    bench.create("id BIGINT")
    bench.run("INSERT INTO t SELECT id FROM range(3)", "INSERT INTO t SELECT id + 10 FROM t")
    bench.reads("SELECT id FROM t", [(0,), (1,), (2,), (10,), (11,), (12,)])


@AREA.feature("INSERT with a column list")
def column_list(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run("INSERT INTO t (name, id) VALUES ('a', 1)", "INSERT INTO t (id) VALUES (2)")
    bench.reads("SELECT * FROM t", [(1, "a"), (2, None)])


@AREA.feature("INSERT … BY NAME")
def by_name(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run("INSERT INTO t BY NAME SELECT 'a' AS name, 1 AS id")
    bench.reads("SELECT * FROM t", [(1, "a")])


@AREA.feature("INSERT with a common table expression")
def with_cte(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("WITH s AS (SELECT 1 AS id) INSERT INTO t SELECT id FROM s")
    bench.reads("SELECT id FROM t", [(1,)])


@AREA.feature("INSERT OVERWRITE of the whole table")
def overwrite(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("INSERT INTO t VALUES (1), (2)", "INSERT OVERWRITE t VALUES (3)")
    bench.reads("SELECT id FROM t", [(3,)])


@AREA.feature("INSERT OVERWRITE of one partition (static)")
def overwrite_static(bench: Bench) -> None:
    bench.create("id INT, g STRING", "PARTITIONED BY (g)")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    bench.run("INSERT OVERWRITE t PARTITION (g = 'a') SELECT 9")
    bench.reads("SELECT * FROM t", [(9, "a"), (2, "b")])


@AREA.feature("INSERT OVERWRITE of the partitions it writes (dynamic)")
def overwrite_dynamic(bench: Bench) -> None:
    bench.create("id INT, g STRING", "PARTITIONED BY (g)")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    bench.run("SET SESSION sqe.partition_overwrite = 'dynamic'")
    bench.run("INSERT OVERWRITE t VALUES (9, 'a')")
    bench.reads("SELECT * FROM t", [(9, "a"), (2, "b")])


@AREA.feature("INSERT … REPLACE WHERE")
def replace_where(bench: Bench) -> None:
    bench.create("id INT, g STRING", "PARTITIONED BY (g)")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    bench.run("INSERT INTO t REPLACE WHERE g = 'a' VALUES (9, 'a')")
    bench.reads("SELECT * FROM t", [(9, "a"), (2, "b")])


@AREA.feature("INSERT of DEFAULT", versions=(3,))
def default(bench: Bench) -> None:
    bench.create("id INT, name STRING DEFAULT 'none'")
    bench.run("INSERT INTO t VALUES (1, DEFAULT)", "INSERT INTO t (id) VALUES (2)")
    bench.reads("SELECT * FROM t", [(1, "none"), (2, "none")])


@AREA.feature("rows written are counted")
def counted(bench: Bench) -> None:
    bench.create("id BIGINT")
    bench.run("INSERT INTO t SELECT id FROM range(5)")
    affected = bench.spark.last_record().affected
    assert affected is not None
    assert affected.inserted == 5


@AREA.feature("COPY INTO from Parquet")
def copy_parquet(bench: Bench) -> None:
    pq.write_table(pa.table({"id": [1, 2], "name": ["a", "b"]}), bench.files / "x.parquet")
    bench.create("id BIGINT, name STRING")
    bench.run(f"COPY INTO t FROM '{bench.files}/x.parquet' FILEFORMAT = PARQUET")
    bench.reads("SELECT * FROM t", [(1, "a"), (2, "b")])


@AREA.feature("COPY INTO from CSV")
def copy_csv(bench: Bench) -> None:
    with (bench.files / "x.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "name"), (1, "a"), (2, "b, c")])
    bench.create("id BIGINT, name STRING")
    bench.run(
        f"COPY INTO t FROM '{bench.files}/x.csv' FILEFORMAT = CSV "
        "FORMAT_OPTIONS ('header' = 'true')"
    )
    bench.reads("SELECT * FROM t", [(1, "a"), (2, "b, c")])


@AREA.feature("COPY INTO from JSON")
def copy_json(bench: Bench) -> None:
    lines = [json.dumps({"id": 1, "name": "a"}), json.dumps({"id": 2})]
    (bench.files / "x.json").write_text("\n".join(lines))
    bench.create("id BIGINT, name STRING")
    bench.run(f"COPY INTO t FROM '{bench.files}/x.json' FILEFORMAT = JSON")
    bench.reads("SELECT * FROM t", [(1, "a"), (2, None)])


@AREA.feature("TRUNCATE TABLE", versions=ALL)
def truncate(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("INSERT INTO t VALUES (1)", "TRUNCATE TABLE t")
    bench.reads("SELECT id FROM t", [])
    assert len(bench.snapshots()) == 2, "what was there can be travelled to"


@AREA.feature("a write that fails leaves the table as it was")
def failed_write(bench: Bench) -> None:
    from sqe.errors import ErrorCode

    bench.create("id INT")
    bench.run("INSERT INTO t VALUES (1)")
    bench.fails("INSERT INTO t SELECT CAST('x' AS INT) FROM range(3)", ErrorCode.INVALID_CAST)
    bench.reads("SELECT id FROM t", [(1,)])
    assert len(bench.snapshots()) == 1
