"""Cancelled and abandoned queries leave no instance, thread or open file behind."""

from __future__ import annotations

import os
import random
import threading
import time

import pyarrow as pa
import pytest

from sqe.engines.local.failures import LocalFailed
from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.results.cancellation import Cancellation
from tests.unit.engines.local.runtime.world import World, loaded_of, new_run, scan_of

NUMBER = pa.schema({"n": pa.int64()})
QUERIES = (
    "SELECT n FROM scan_1",
    "SELECT count(*) FROM scan_1 a, scan_1 b, scan_1 c WHERE a.n + b.n = c.n",
    "SELECT a.n FROM scan_1 a, scan_1 b, range(1000)",
    "SELECT n FROM scan_1 ORDER BY hash(n)",
)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def settle(world: World) -> None:
    """Interrupting threads notice within a moment that their instance is closed."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        names = [thread.name for thread in threading.enumerate()]
        if not world.engine.instances.running_count and "local-interrupt" not in names:
            return
        time.sleep(0.01)


def run_and_cancel(world: World, seed: int, table: pa.Table) -> str:
    chance = random.Random(seed)
    cancellation = Cancellation()
    statement = world.statement(chance.choice(QUERIES), NUMBER, [scan_of(table)])
    timer = threading.Timer(chance.random() * 0.03, cancellation.cancel)
    timer.start()
    started = time.monotonic()
    try:
        with world.run(statement, new_run(cancellation)) as result:
            for batch in result:
                assert batch.num_rows
        return "finished"
    except SqeError as error:
        assert error.code is ErrorCode.CANCELLED
        assert time.monotonic() - started < 5
        return "cancelled"
    finally:
        timer.join()


@pytest.mark.timeout(300)
def test_cancelling_at_any_moment_leaves_nothing_behind(world: World) -> None:
    table = loaded_of(world.create("t", pa.table({"n": list(range(20_000))})))
    run_and_cancel(world, 0, table)
    settle(world)
    threads, files = threading.active_count(), open_files()
    ends = [run_and_cancel(world, seed, table) for seed in range(200)]
    settle(world)
    assert ends.count("cancelled") > 50
    assert world.engine.instances.running_count == 0
    assert world.engine.instances.memory_used == 0
    assert threading.active_count() <= threads + 1
    assert open_files() <= files + 8
    assert world.query("SELECT count(*) FROM scan_1", NUMBER, scan_of(table)).num_rows == 1


def test_closing_from_another_thread_ends_the_reading(world: World) -> None:
    for _ in range(20):
        statement = world.statement("SELECT a.n FROM range(100000000000) a(n)", NUMBER, ())
        result = world.run(statement, new_run())
        closer = threading.Timer(0.01, result.close)
        closer.start()
        for batch in result:
            assert batch.num_rows
        closer.join()
    assert world.engine.instances.running_count == 0


def test_closing_the_engine_ends_running_queries(world: World) -> None:
    before = set(threading.enumerate())
    statement = world.statement("SELECT a.n FROM range(100000000000) a(n)", NUMBER, ())
    result = world.run(statement, new_run())
    closer = threading.Timer(0.05, world.engine.close)
    closer.start()
    with pytest.raises(UpstreamError):  # not an end: the rows are not complete
        for batch in result:
            assert batch.num_rows
    closer.join()
    with pytest.raises(LocalFailed):
        world.query("SELECT 1::BIGINT", NUMBER)
    names = [thread.name for thread in threading.enumerate() if thread not in before]
    assert "local-instances" not in names


def test_many_at_once_share_the_memory(world: World) -> None:
    table = loaded_of(world.create("t", pa.table({"n": list(range(1000))})))
    failures: list[Exception] = []

    def work() -> None:
        try:
            for _ in range(5):
                scan = scan_of(table)
                found = world.query("SELECT sum(n)::BIGINT FROM scan_1", NUMBER, scan)
                assert found.column("n").to_pylist() == [499500]
                assert world.engine.instances.memory_used <= world.options.memory
        except Exception as error:  # noqa: BLE001  told by the test itself
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
