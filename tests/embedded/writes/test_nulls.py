"""Rows of which a condition is neither true nor false stay, and are not found.

Iceberg alone takes NULL for less than, and different from, every value; see decision 0014.
"""

from __future__ import annotations

from contextlib import closing
from itertools import count

import pytest

from sqe.errors import ErrorCode
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

_NUMBERS = count(1)
_ROWS = """VALUES
    (1, 5, 'a', TIMESTAMP'2024-01-01 00:00:00'), (2, NULL, NULL, NULL),
    (3, 7, 'b', TIMESTAMP'2024-01-05 00:00:00') AS v(k, i, s, ts)"""
CONDITIONS = [
    "i <> 99",
    "i < 50",
    "NOT (i > 50)",
    "s NOT LIKE 'x%'",
    "i <> 99 OR i = 98",
    "i < 6 OR i > 6",
    "NOT (i = 99 AND k = 3)",
    "(i < 50) = TRUE",
    "ts < TIMESTAMP'2024-01-03 00:00:00' OR ts > TIMESTAMP'2025-01-01 00:00:00'",
    "ts < TIMESTAMP'2024-01-03 00:00:00'",
]
PARTITIONS = pytest.mark.parametrize(
    "partitions", ["", "PARTITIONED BY (i)", "PARTITIONED BY (days(ts))"]
)


class Tables:
    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self._kept: dict[str, list[int]] = {}

    def new(self, partitions: str, mode: str = "merge-on-read") -> str:
        name = f"nulls.t{next(_NUMBERS)}"
        modes = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update"))
        made = f"CREATE TABLE {name} {partitions} TBLPROPERTIES ({modes})"
        self.lake.run(f"{made} AS SELECT * FROM {_ROWS}")
        return name

    def kept(self, condition: str) -> list[int]:
        """Those that it is not true of: asked where nothing is handed to a table."""
        if condition not in self._kept:
            found = self.lake.rows(f"SELECT k, ({condition}) AS c FROM {_ROWS} ORDER BY k")
            self._kept[condition] = [k for k, holds in found if not holds]
        return self._kept[condition]


@pytest.fixture(scope="module")
def tables(shared_lake: Lake) -> Tables:
    shared_lake.all("CREATE SCHEMA nulls")
    return Tables(shared_lake)


@PARTITIONS
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_rows_that_a_condition_is_not_true_of_are_not_deleted(
    tables: Tables, partitions: str, mode: str
) -> None:
    wrong = {}
    for condition in CONDITIONS:
        name = tables.new(partitions, mode)
        tables.lake.run(f"DELETE FROM {name} WHERE {condition}")
        left = [k for (k,) in tables.lake.rows(f"SELECT k FROM {name} ORDER BY k")]
        if left != tables.kept(condition):
            wrong[condition] = left
    assert not wrong


@PARTITIONS
def test_nor_are_they_found_or_changed(tables: Tables, partitions: str) -> None:
    name = tables.new(partitions)
    spark = tables.lake.another_session("spark")
    spark.session.set_property("sqe.engine", "spark")
    for condition in CONDITIONS:
        found = {k for (k,) in spark.rows(f"SELECT k FROM {name} WHERE {condition}")}
        assert sorted({1, 2, 3} - found) == tables.kept(condition), condition
    for condition in CONDITIONS[4:6]:
        tables.lake.run(f"UPDATE {name} SET s = 'changed' WHERE {condition}")
        changed = {k for (k,) in spark.rows(f"SELECT k FROM {name} WHERE s = 'changed'")}
        assert sorted({1, 2, 3} - changed) == tables.kept(condition)
        tables.lake.run(f"UPDATE {name} SET s = 'as before' WHERE s = 'changed'")
    spark.close()


def test_nor_are_they_replaced(tables: Tables) -> None:
    name = tables.new("PARTITIONED BY (i)")
    tables.lake.run(f"INSERT INTO {name} REPLACE WHERE i < 6 SELECT 9, 5, 'new', NULL")
    assert tables.lake.rows(f"SELECT k FROM {name} ORDER BY k") == [(2,), (3,), (9,)]
    error = tables.lake.fails(
        f"INSERT INTO {name} REPLACE WHERE i < 6 OR i > 6 SELECT 9, 5, 'new', NULL"
    )
    assert error.code is ErrorCode.NOT_SUPPORTED
    assert tables.lake.rows(f"SELECT k FROM {name} ORDER BY k") == [(2,), (3,), (9,)]


def test_whole_partitions_still_go_without_being_read(tables: Tables) -> None:
    """Where the condition says enough: no file is rewritten."""
    name = tables.new("PARTITIONED BY (i)", "copy-on-write")
    tables.lake.run(f"DELETE FROM {name} WHERE i < 6")
    [(operation, deleted, added)] = tables.lake.rows(
        "SELECT operation, summary['deleted-data-files'], summary['added-data-files']"
        f" FROM {name}.snapshots ORDER BY committed_at DESC LIMIT 1"
    )
    assert (operation, deleted, added) == ("delete", "1", None)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("dialect", ["spark", "trino"])
def test_nothing_is_known_not_to_be_in_a_list_with_null(
    tables: Tables, trino_address: str, dialect: str, mode: str
) -> None:
    name = tables.new("", mode)

    def do(sql: str) -> None:
        if dialect == "spark":
            tables.lake.run(sql)
            return
        with closing(Client(trino_address, "lake", "nulls")) as trino:
            assert not trino.ask(sql).error, sql

    def kept() -> list[int]:
        return [k for (k,) in tables.lake.rows(f"SELECT k FROM {name} WHERE k < 10 ORDER BY k")]

    seven = f"(SELECT CASE WHEN k = 3 THEN 7 END FROM {name})"  # with two NULLs
    for where, left in (
        (f"i NOT IN {seven}", [1, 2, 3]),
        (f"NOT (i IN {seven}) AND k > 0", [1, 2, 3]),
        (f"i NOT IN {seven} OR k = 1", [2, 3]),
        (f"i IN {seven}", [2]),
        (f"i NOT IN (SELECT k FROM {name})", [2]),
    ):
        do(f"UPDATE {name} SET k = k + 10 WHERE {where}")
        assert kept() == left, where
        do(f"UPDATE {name} SET k = k - 10 WHERE k > 10")
        do(f"DELETE FROM {name} WHERE {where}")
        assert kept() == left, where
