"""Spark and Iceberg without SQE's repairs: wrong still.

Where one of these passes, the defect is mended upstream and its repair can go: see the file in
``engines/spark/repairs`` that the reason names.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest

from sqe.engines.protocol import Run
from sqe.engines.spark.engine import SparkConnectEngine
from sqe.engines.spark.repairs.repairs import Repairs
from sqe.errors import ErrorCode, SqeError
from sqe.model.query import EngineKind, QueryRequest
from sqe.model.stages import do_not_time
from tests.embedded.pipe.lake import Lake
from tests.embedded.writes.conftest import NewTable

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

_NULLS = "VALUES (1, 5), (2, NULL), (3, 7)"


class Unrepaired:
    """The shared Spark, which gets statements and tables as they are."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._pipeline = lake.server.gateway._pipeline
        engine = self._pipeline.runner.engines[EngineKind.SPARK]
        assert isinstance(engine, SparkConnectEngine)
        self._engine = copy(engine)
        self._engine.repairs = Repairs()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        request = QueryRequest(self._lake.session.id, sql)
        planned = self._pipeline.plan(request, self._lake.session, do_not_time)
        run = Run("unrepaired", self._lake.session)
        with self._engine.run(planned.guarded_statement, run) as result:
            table = result.read_all()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture
def unrepaired(writes: Lake) -> Unrepaired:
    return Unrepaired(writes)


def defect(file: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=f"repairs/{file}")


@defect("null_conditions.py")
def test_a_file_with_null_is_not_removed_whole(
    unrepaired: Unrepaired, writes: Lake, new_table: NewTable
) -> None:
    table = new_table("k INT, i INT", rows=_NULLS)
    unrepaired.rows(f"DELETE FROM {table} WHERE i <> 99")
    assert writes.rows(f"SELECT k FROM {table}") == [(2,)]


@defect("null_conditions.py")
def test_a_partition_of_null_is_not_replaced(
    unrepaired: Unrepaired, writes: Lake, new_table: NewTable
) -> None:
    table = new_table("k INT, i INT", rows=_NULLS, partition="i")
    unrepaired.rows(f"INSERT INTO {table} REPLACE WHERE i < 6 SELECT 9, 5")
    assert writes.rows(f"SELECT k FROM {table} ORDER BY k") == [(2,), (3,), (9,)]


@defect("null_partitions.py")
def test_a_partition_of_null_is_not_found(unrepaired: Unrepaired, new_table: NewTable) -> None:
    table = new_table("k INT, i INT", rows=_NULLS, partition="i")
    rows = unrepaired.rows(f"SELECT k FROM {table} WHERE i <> 99 OR i = 98 ORDER BY k")
    assert rows == [(1,), (3,)]


@defect("merge_matches.py")
def test_a_row_that_matches_twice_is_not_written_twice(
    unrepaired: Unrepaired, writes: Lake, new_table: NewTable
) -> None:
    table = new_table("id INT, v STRING", rows="VALUES (1, 'a'), (2, 'b')")
    twice = new_table("id INT, v STRING", rows="VALUES (1, 'x'), (1, 'z')")
    try:
        unrepaired.rows(
            f"MERGE INTO {table} t USING {twice} s ON t.id = s.id"
            " WHEN NOT MATCHED BY SOURCE THEN DELETE"
        )
    except SqeError as error:
        assert error.code is ErrorCode.CONSTRAINT_VIOLATION  # refused: as good
        return
    assert writes.rows(f"SELECT id FROM {table}") == [(1,)]
