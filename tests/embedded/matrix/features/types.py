"""Every type of Iceberg's that Spark has, written and read back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area, Steps

AREA = Area("Types")
LONG = "12345678901234567890.0123456789"
NOON = dt.datetime(2024, 5, 1, 12, 0, 0, 123456)


def _type(kind: str, literal: str, value: Any) -> tuple[str, Steps]:
    def steps(bench: Bench) -> None:
        bench.create(f"id INT, v {kind}")
        bench.run(f"INSERT INTO t VALUES (1, {literal}), (2, NULL)")
        bench.reads("SELECT id, v FROM t", [(1, value), (2, None)])

    return kind.lower(), steps


AREA.rows(
    [
        _type("BOOLEAN", "true", True),
        _type("INT", "2147483647", 2147483647),
        _type("BIGINT", "9223372036854775807", 9223372036854775807),
        _type("FLOAT", "CAST(1.5 AS FLOAT)", 1.5),
        _type("DOUBLE", "1.5D", 1.5),
        _type("DECIMAL(38, 10)", LONG, Decimal(LONG)),
        _type("DATE", "DATE'1582-10-15'", dt.date(1582, 10, 15)),
        _type("TIMESTAMP_NTZ", "TIMESTAMP_NTZ'2024-05-01 12:00:00.123456'", NOON),
        _type("STRING", "'grüße'", "grüße"),
        _type("BINARY", "X'00FF'", b"\x00\xff"),
        _type("ARRAY<INT>", "array(1, NULL, 3)", [1, None, 3]),
        _type("MAP<STRING, INT>", "map('a', 1)", [("a", 1)]),
        _type("STRUCT<a: INT, b: STRING>", "named_struct('a', 1, 'b', 'x')", {"a": 1, "b": "x"}),
        _type(
            "ARRAY<STRUCT<a: MAP<STRING, ARRAY<INT>>>>",
            "array(named_struct('a', map('k', array(1, 2))))",
            [{"a": [("k", [1, 2])]}],
        ),
    ]
)  # fmt: skip


@AREA.feature("timestamp (with zone)")
def timestamp(bench: Bench) -> None:
    bench.create("v TIMESTAMP")
    bench.run("INSERT INTO t VALUES (TIMESTAMP'2024-05-01 12:00:00 Europe/Berlin')")
    moment = dt.datetime(2024, 5, 1, 10, tzinfo=dt.UTC)
    bench.reads("SELECT v FROM t", [(moment,)])


@AREA.feature("char and varchar are strings")
def varchar(bench: Bench) -> None:
    bench.create("v VARCHAR(10)")
    bench.run("INSERT INTO t VALUES ('abc')")
    bench.reads("SELECT v FROM t", [("abc",)])


@AREA.feature("tinyint and smallint are int")
def small(bench: Bench) -> None:
    bench.create("a TINYINT, b SMALLINT")
    bench.run("INSERT INTO t VALUES (1, 2)")
    bench.reads("SELECT a, b FROM t", [(1, 2)])


def made_elsewhere(bench: Bench, kind: str) -> None:
    """By another engine, over the catalog: Spark's SQL has no name for the type."""
    catalog = bench.spark.server.catalogs.open("lake", bench.spark.session.identity)
    fields = [{"id": 1, "name": "v", "type": kind, "required": False}]
    catalog.create_table(
        (bench.schema,),
        {
            "name": "t",
            "schema": {"type": "struct", "schema-id": 0, "fields": fields},
            "properties": {"format-version": str(bench.version)},
        },
    )


@AREA.feature("uuid (of a table made by another engine)")
def uuid(bench: Bench) -> None:
    made_elsewhere(bench, "uuid")
    bench.run("INSERT INTO t VALUES ('f79c3e09-677c-4bbd-a479-3f349cb785e7')")
    bench.reads("SELECT v FROM t", [("f79c3e09-677c-4bbd-a479-3f349cb785e7",)])


@AREA.feature("fixed (of a table made by another engine)")
def fixed(bench: Bench) -> None:
    made_elsewhere(bench, "fixed[2]")
    bench.run("INSERT INTO t VALUES (X'00FF')")
    bench.reads("SELECT v FROM t", [(b"\x00\xff",)])


@AREA.feature(
    "time (of a table made by another engine)",
    upstream="Iceberg 1.12 has no mapping of its time type to a type of Spark 4.1",
)
def time(bench: Bench) -> None:
    made_elsewhere(bench, "time")
    bench.reads("SELECT v FROM t", [])
