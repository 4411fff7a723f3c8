"""Files that are skipped are files that Spark finds nothing in, whatever the partitioning."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow.parquet as pq
import pytest

from sqe.engines.local.plan import Comparison, NotLocal
from tests.embedded.local.reader import Both
from tests.embedded.local.sides import Sides

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

# Strings around what bounds are cut at, in an order that UTF-16 would not give; decimals; times
# around 1970; floats at zero and beyond.
VALUES = """SELECT * FROM VALUES
    (1, -5L, '', CAST('-99999999.99' AS DECIMAL(12, 2)), DATE'1969-12-31',
     TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', TIMESTAMP'1969-12-31 23:59:59.999999', -1.5D),
    (2, 0L, 'aaaaaaaaaaaaaaaaa', 0.00, DATE'1970-01-01',
     TIMESTAMP_NTZ'1970-01-01 00:00:00', TIMESTAMP'1970-01-01 00:00:00', 0.5D),
    (3, 1L, 'aaaaaaaaaaaaaaaab', 0.01, DATE'1968-02-29',
     TIMESTAMP_NTZ'1968-02-29 12:00:00', TIMESTAMP'1968-02-29 12:00:00', 1e300D),
    (4, 9000000000L, 'ﬃ ligature', 12345.67, DATE'2024-02-29',
     TIMESTAMP_NTZ'2024-02-29 23:59:59', TIMESTAMP'2024-02-29 23:59:59', 2D),
    (5, NULL, '𝄞 clef', 99999999.99, DATE'9999-12-31',
     TIMESTAMP_NTZ'9999-12-31 23:59:59', TIMESTAMP'9999-12-31 23:59:59', 3D),
    (6, 7L, NULL, NULL, NULL, NULL, NULL, NULL),
    (7, -1L, '\\uD7FF', 1.00, DATE'0001-01-01',
     TIMESTAMP_NTZ'0001-01-01 00:00:00', TIMESTAMP'0001-01-01 00:00:00', -1e-300D)
    AS t(id, n, s, d, day, at, moment, f)"""
TRANSFORMS = (
    "",
    "PARTITIONED BY (n)",
    "PARTITIONED BY (s)",
    "PARTITIONED BY (d)",
    "PARTITIONED BY (day)",
    "PARTITIONED BY (bucket(3, n), bucket(2, s))",
    "PARTITIONED BY (bucket(3, d), bucket(3, day))",
    "PARTITIONED BY (truncate(10, n), truncate(2, s))",
    "PARTITIONED BY (truncate(50, d))",
    "PARTITIONED BY (years(day), months(moment))",
    "PARTITIONED BY (days(at), bucket(4, moment))",
    "PARTITIONED BY (hours(moment))",
)
UTC = dt.UTC


def cases() -> Iterator[tuple[str, str, Any, str]]:
    """(column, op, value, the value in SQL)"""
    literals: list[tuple[str, Any, str]] = [
        ("n", 0, "0"),
        ("n", -1, "-1"),
        ("n", 9_000_000_000, "9000000000"),
        ("s", "aaaaaaaaaaaaaaaaa", "'aaaaaaaaaaaaaaaaa'"),
        ("s", "aaaaaaaaaaaaaaaab", "'aaaaaaaaaaaaaaaab'"),
        ("s", "ﬃ ligature", "'ﬃ ligature'"),
        ("s", "𝄞 clef", "'𝄞 clef'"),
        ("d", Decimal("0.01"), "0.01"),
        ("d", Decimal("-99999999.99"), "-99999999.99"),
        ("day", dt.date(1969, 12, 31), "DATE'1969-12-31'"),
        ("day", dt.date(1968, 2, 29), "DATE'1968-02-29'"),
        ("day", dt.date(1970, 1, 1), "DATE'1970-01-01'"),
        ("at", dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
         "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'"),
        ("moment", dt.datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC),
         "TIMESTAMP'2024-02-29 23:59:59'"),
        ("moment", dt.datetime(1968, 2, 29, 12, tzinfo=UTC), "TIMESTAMP'1968-02-29 12:00:00'"),
    ]  # fmt: skip
    for column, value, text in literals:
        for op in ("=", "<", "<=", ">", ">=", "!="):
            yield column, op, value, text


@pytest.mark.parametrize("place", range(len(TRANSFORMS)))
def test_no_row_is_lost(both: Both, place: int) -> None:
    """Files of one row each: bounds that are as tight as they get."""
    name = f"pruned_{place}"
    spread = "TBLPROPERTIES ('write.distribution-mode'='none')"
    both.do(
        f"CREATE TABLE {name} USING iceberg {TRANSFORMS[place]} {spread} AS"
        f" SELECT /*+ REPARTITION(7, id) */ * FROM ({VALUES})"
    )
    whole = {row["id"]: row for row in both.lake.run(f"SELECT * FROM {name}").to_pylist()}
    stored = {
        file: set(pq.ParquetFile(file).read(["id"]).column("id").to_pylist())
        for file in both.planned(name).files
    }
    assert set().union(*stored.values()) == set(whole) == set(range(1, 8))
    skipped = 0
    for column, op, value, _ in cases():
        kept = both.planned(name, Comparison(column, op, value)).files
        wanted = {id for id, row in whole.items() if matches(row[column], op, value)}
        assert wanted <= set().union(*(stored[file] for file in kept)), (column, op, value)
        skipped += len(stored) - len(kept)
    assert skipped > 20


def matches(found: Any, op: str, value: Any) -> bool:
    if found is None:
        return False
    answers: dict[str, bool] = {
        "=": found == value, "!=": found != value, "<": found < value, "<=": found <= value,
        ">": found > value, ">=": found >= value,
    }  # fmt: skip
    return answers[op]


def test_both_engines_skip_alike(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE alike USING iceberg PARTITIONED BY (truncate(2, s), years(day)) AS " + VALUES,
        f"INSERT INTO alike {VALUES}",
    )
    for column, op, _, text in cases():
        if column in ("n", "s", "day") and op in ("=", "<", ">="):
            sides.same(f"SELECT id, {column} FROM alike WHERE {column} {op} {text}")


def test_partitions_that_come_and_go(both: Both) -> None:
    """Also those of a column that is dropped later."""
    both.do(
        "CREATE TABLE evolving (id INT, a INT, b STRING) USING iceberg PARTITIONED BY (a)"
        " TBLPROPERTIES ('format-version'='1')",
        "INSERT INTO evolving VALUES (1, 1, 'x'), (2, 2, 'y')",
    )
    specs = (
        [{"source-id": 2, "field-id": 1000, "transform": "void", "name": "a"},
         {"source-id": 3, "field-id": 1001, "transform": "bucket[2]", "name": "b_bucket"}],
        [{"source-id": 2, "field-id": 1000, "transform": "void", "name": "a"},
         {"source-id": 3, "field-id": 1001, "transform": "void", "name": "b_bucket"},
         {"source-id": 1, "field-id": 1002, "transform": "identity", "name": "id"}],
    )  # fmt: skip
    for place, fields in enumerate(specs):
        both.commit(
            "evolving",
            {"action": "add-spec", "spec": {"spec-id": place + 1, "fields": fields}},
            {"action": "set-default-spec", "spec-id": -1},
        )
        both.do(f"INSERT INTO evolving VALUES ({3 + 2 * place}, 1, 'x'), ({4 + 2 * place}, 9, 'z')")
    for comparison, where in (
        (Comparison("a", "=", 1), "a = 1"),
        (Comparison("b", "=", "x"), "b = 'x'"),
        (Comparison("id", ">", 4), "id > 4"),
        (Comparison("a", "isnull"), "a IS NULL"),
    ):
        both.same("evolving", comparison, where=where)


def test_floats_without_nan_or_zero_are_proven(both: Both) -> None:
    both.do(
        "CREATE TABLE proven USING iceberg AS SELECT id, double(id + 1) AS d FROM range(5)",
        "CREATE TABLE unproven USING iceberg AS SELECT id, double(id) AS d FROM range(5)",
        "INSERT INTO unproven SELECT 9, double('NaN')",
    )
    for proof in ({"without_nan": ("d",)}, {"without_zero": ("d",)}):
        fine, doubtful = both.scan("proven"), both.scan("unproven")
        assert both.world.planned(replace(fine, **proof)).files  # type: ignore[arg-type]
        with pytest.raises(NotLocal, match="column d may hold"):
            both.world.planned(replace(doubtful, **proof))  # type: ignore[arg-type]
        narrow = replace(doubtful, pruning=(Comparison("id", "<", 0),), **proof)  # type: ignore[arg-type]
        assert both.world.planned(narrow).files == ()
