"""A user's error late in an answer, where DuckDB says only that it was interrupted."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sqe.engines.local.batches import Batches
from sqe.engines.local.instance import Need
from sqe.engines.local.lease import Lease
from sqe.engines.local.loopback import Loopback
from sqe.engines.local.objects import Objects
from sqe.engines.local.plan import LocalPlan
from sqe.engines.local.storage_access import StorageAccess
from sqe.errors import ErrorCode, SqeError
from sqe.model.query import Column
from sqe.results.cancellation import Cancellation
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.world import World, loaded_of, scan_of

NUMBER = pa.schema({"n": pa.int64()})
LATE = """
SELECT CASE WHEN range = 4_900_000 THEN error('SQE:DIVISION_BY_ZERO:by nothing')::BIGINT
            ELSE range END AS n
FROM range(5_000_000)
"""
NEVER = "SELECT range AS n FROM range(5_000_000)"


def started(world: World, sql: str, cancellation: Cancellation) -> tuple[Lease, Batches]:
    lease = world.engine.instances.take(Need(files=()), cancellation)
    reach = StorageAccess((), Loopback(Objects(1.0)), 0)
    batches = Batches(lease, reach, NUMBER, cancellation)
    batches.start(LocalPlan(sql, (), (Column("n", "bigint"),), NUMBER), 10_000)
    return lease, batches


@pytest.mark.parametrize("sent", [1, 20])
def test_the_reader_is_told_the_error_and_not_the_interruption(world: World, sent: int) -> None:
    """DuckDB interrupts its other threads when one fails. It is done by hand here: by itself it
    shows once in a hundred times."""
    lease, batches = started(world, LATE, Cancellation())
    assert sum(next(batches).num_rows for _ in range(sent))
    lease.connection.interrupt()
    with pytest.raises(SqeError, match="by nothing") as raised:
        for _ in batches:
            pass
    assert raised.value.code is ErrorCode.DIVISION_BY_ZERO
    assert world.engine.instances.running_count == 0


def test_an_interruption_without_an_error_is_never_an_end(world: World) -> None:
    """The rows are not complete, so the reader must not take them for all."""
    lease, batches = started(world, NEVER, Cancellation())
    assert next(batches).num_rows
    lease.connection.interrupt()
    with pytest.raises(SqeError) as raised:
        for _ in batches:
            pass
    assert raised.value.code is ErrorCode.ENGINE_LOST


def test_who_cancels_is_told_that(world: World) -> None:
    cancellation = Cancellation()
    lease, batches = started(world, LATE, cancellation)
    assert next(batches).num_rows
    cancellation.cancel()
    lease.connection.interrupt()
    with pytest.raises(SqeError) as raised:
        for _ in batches:
            pass
    assert raised.value.code is ErrorCode.CANCELLED


def test_many_answers_that_end_in_an_error(make: MakeWorld) -> None:
    """As it happens: with several threads, and nobody's hand in it."""
    world = make(threads=4)
    table = world.create("t", pa.table({"n": list(range(400_000))}))
    for _ in range(3):
        table.append(pa.table({"n": list(range(400_000))}))
    scan = scan_of(loaded_of(table))
    failing = "SELECT CASE WHEN n > 390_000 THEN error('SQE:INVALID_CAST:x')::BIGINT ELSE n END"
    codes = set()
    for _ in range(100):
        with pytest.raises(SqeError) as raised:
            world.query(f"{failing} AS n FROM {scan.relation}", NUMBER, scan)
        codes.add(raised.value.code)
    assert codes == {ErrorCode.INVALID_CAST}
