"""What format version 3 adds."""

from __future__ import annotations

import datetime as dt

from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area
from tests.embedded.matrix.features.types import made_elsewhere

AREA = Area("Format version 3")


@AREA.feature("variant: write and read", versions=(3,))
def variant(bench: Bench) -> None:
    bench.create("id INT, v VARIANT")
    bench.run("""INSERT INTO t SELECT 1, parse_json('{"a": {"b": [1, 2]}, "s": "x"}')""")
    bench.reads("SELECT to_json(v) FROM t", [('{"a":{"b":[1,2]},"s":"x"}',)])


@AREA.feature("variant: paths in SQL", versions=(3,))
def variant_path(bench: Bench) -> None:
    bench.create("id INT, v VARIANT")
    bench.run("""INSERT INTO t SELECT 1, parse_json('{"a": {"b": [1, 2]}, "s": "x"}')""")
    bench.reads("SELECT variant_get(v, '$.a.b[1]', 'int') FROM t", [(2,)])
    bench.reads("SELECT try_variant_get(v, '$.nothing', 'int') FROM t", [(None,)])


@AREA.feature("variant: paths with a colon", versions=(3,))
def variant_colon(bench: Bench) -> None:
    bench.create("id INT, v VARIANT")
    bench.run("""INSERT INTO t SELECT 1, parse_json('{"a": {"b": [1, 2]}, "s": "x"}')""")
    bench.reads("SELECT v:s::string FROM t", [("x",)])


@AREA.feature("variant: filters and grouping on a path", versions=(3,))
def variant_filter(bench: Bench) -> None:
    bench.create("id INT, v VARIANT")
    bench.run(
        """INSERT INTO t SELECT id, parse_json(concat('{"k": ', id % 2, '}')) FROM range(4)"""
    )
    bench.reads(
        "SELECT variant_get(v, '$.k', 'int') AS k, count(*) FROM t GROUP BY 1 ORDER BY 1",
        [(0, 2), (1, 2)],
    )


@AREA.feature("variant: shredded files", versions=(3,))
def shredded(bench: Bench) -> None:
    bench.create("id INT, v VARIANT")
    bench.run("ALTER TABLE t SET TBLPROPERTIES ('write.parquet.shred-variants' = 'true')")
    bench.run("""INSERT INTO t SELECT id, parse_json(concat('{"k": ', id, '}')) FROM range(4)""")
    bench.reads("SELECT sum(variant_get(v, '$.k', 'int')) FROM t", [(6,)])


@AREA.feature("row lineage: _row_id and _last_updated_sequence_number", versions=(3,))
def lineage(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run("INSERT INTO t VALUES (1, 'a')", "INSERT INTO t VALUES (2, 'b')")
    bench.reads("SELECT id, _row_id, _last_updated_sequence_number FROM t", [(1, 0, 1), (2, 1, 2)])


@AREA.feature("row lineage survives updates", versions=(3,))
def lineage_update(bench: Bench) -> None:
    bench.create("id INT, name STRING", write__update__mode="merge-on-read")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')", "UPDATE t SET name = 'x' WHERE id = 2")
    bench.reads("SELECT id, _row_id, _last_updated_sequence_number FROM t", [(1, 0, 1), (2, 1, 2)])


@AREA.feature("row lineage survives compaction", versions=(3,))
def lineage_rewrite(bench: Bench) -> None:
    bench.create("id INT")
    bench.run("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    bench.run("CALL system.rewrite_data_files(table => 't', options => map('rewrite-all', 'true'))")
    bench.reads("SELECT id, _row_id, _last_updated_sequence_number FROM t", [(1, 0, 1), (2, 1, 2)])


@AREA.feature("default values of every kind", versions=(3,))
def defaults(bench: Bench) -> None:
    bench.create("id INT")
    bench.run(
        "INSERT INTO t VALUES (1)",
        "ALTER TABLE t ADD COLUMNS (b BOOLEAN DEFAULT true, n BIGINT DEFAULT 7, "
        "x DOUBLE DEFAULT 1.5D, s STRING DEFAULT 'x', d DATE DEFAULT DATE'2024-01-01')",
    )
    bench.reads("SELECT * FROM t", [(1, True, 7, 1.5, "x", dt.date(2024, 1, 1))])


@AREA.feature(
    "timestamps in nanoseconds",
    versions=(3,),
    upstream="Spark 4.1's timestamps have microseconds; Iceberg 1.12 refuses timestamp_ns in Spark",
)
def nanoseconds(bench: Bench) -> None:
    made_elsewhere(bench, "timestamp_ns")
    bench.reads("SELECT v FROM t", [])


POINT = bytes.fromhex("0101000000000000000000f03f0000000000000040")


@AREA.feature("geometry: write and read", versions=(3,))
def geometry(bench: Bench) -> None:
    bench.create("id INT, v GEOMETRY(4326)")
    bench.run(f"INSERT INTO t SELECT 1, ST_SetSrid(ST_GeomFromWKB(X'{POINT.hex()}'), 4326)")
    bench.reads("SELECT id, ST_AsBinary(v), ST_Srid(v) FROM t", [(1, POINT, 4326)])


@AREA.feature("geography: write and read", versions=(3,))
def geography(bench: Bench) -> None:
    bench.create("id INT, v GEOGRAPHY(4326)")
    bench.run(f"INSERT INTO t SELECT 1, ST_GeogFromWKB(X'{POINT.hex()}')")
    bench.run("UPDATE t SET id = 2")
    bench.reads("SELECT id, ST_AsBinary(v), ST_Srid(v) FROM t", [(2, POINT, 4326)])


@AREA.feature("geometry and geography (of a table made by another engine)", versions=(3,))
def shapes(bench: Bench) -> None:
    made_elsewhere(bench, "geometry")
    assert bench.rows("DESCRIBE t")[0][:2] == ("v", "geometry(4326)")
    bench.reads("SELECT v FROM t", [])


@AREA.feature("unknown (a column of NULLs, made by another engine)", versions=(3,))
def unknown(bench: Bench) -> None:
    made_elsewhere(bench, "unknown")
    bench.reads("SELECT v FROM t", [])
