"""Thousands of queries cancelled or abandoned at any moment, several at a time.

SQE_CANCELS=20000 makes it a long run.
"""

from __future__ import annotations

import gc
import os
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.options import MB
from sqe.engines.local.plan import Scan
from sqe.errors import ErrorCode, SqeError
from sqe.results.cancellation import Cancellation
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.world import World, loaded_of, new_run, scan_of

CANCELS = int(os.environ.get("SQE_CANCELS", "2000"))
NUMBER = pa.schema({"n": pa.int64()})
QUERIES = (
    "SELECT n FROM scan_1",
    "SELECT count(*) FROM scan_1 a, scan_1 b, scan_1 c WHERE a.n + b.n = c.n",
    "SELECT a.n FROM scan_1 a, scan_1 b",
    "SELECT n FROM range(3000000) r(n) ORDER BY hash(n)",  # spills
    "SELECT count(*) FROM range(50000000) r(n)",
    "SELECT no_such_function(n) FROM scan_1",
    "SELECT error('SQE:DIVISION_BY_ZERO:x') FROM scan_1",
)
# Half of these run until they end, or until their reader goes away.
NEVER_CANCELLED = (QUERIES[0], QUERIES[2])


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident_mb() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // MB


class Storm:
    def __init__(self, world: World, scan: Scan) -> None:
        self.world = world
        self.scan = scan
        self.alarm = Alarm()

    def one(self, seed: int) -> str:
        chance = random.Random(seed)
        cancellation = Cancellation()
        sql = chance.choice(QUERIES)
        statement = self.world.statement(sql, NUMBER, [self.scan] if "scan_1" in sql else [])
        if sql not in NEVER_CANCELLED or chance.random() < 0.5:
            self.alarm.at(time.monotonic() + chance.random() ** 3 * 0.04, cancellation)
        try:
            with self.world.run(statement, new_run(cancellation)) as result:
                for batch in result:
                    assert batch.num_rows
                    if chance.random() < 0.02:
                        return "abandoned"
            return "finished"
        except LocalFailed:
            return "failed"
        except SqeError as error:
            assert error.code in (ErrorCode.CANCELLED, ErrorCode.DIVISION_BY_ZERO)
            return error.code.name
        finally:
            del self.world.plans[id(statement)]

    def blow(self, seeds: range) -> Counter[str]:
        with ThreadPoolExecutor(3) as pool:
            return Counter(pool.map(self.one, seeds))

    def settle(self) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            names = {thread.name for thread in threading.enumerate()}
            if not self.world.engine.instances.running_count and "local-interrupt" not in names:
                break
            time.sleep(0.01)
        gc.collect()


class Alarm:
    """Cancels in one thread of its own: a timer per query would be one more thread per query."""

    def __init__(self) -> None:
        self._due: list[tuple[float, Cancellation]] = []
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._ring, name="alarm")
        self._thread.start()

    def at(self, when: float, cancellation: Cancellation) -> None:
        with self._changed:
            self._due.append((when, cancellation))
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _ring(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                due = [one for one in self._due if one[0] <= now]
                self._due = [one for one in self._due if one[0] > now]
                if self._stopped and not self._due and not due:
                    return
                if not due:
                    waits = [when - now for when, _ in self._due]
                    self._changed.wait(min(waits, default=None))
            for _, cancellation in due:
                cancellation.cancel()


@pytest.mark.timeout(60 + CANCELS // 5)
def test_nothing_leaks(make: MakeWorld) -> None:
    world = make(memory=256 * MB, memory_floor=32 * MB, memory_per_query=32 * MB, pool=2, threads=2)
    table = world.create("t", pa.table({"n": list(range(20_000))}))
    storm = Storm(world, scan_of(loaded_of(table)))
    storm.blow(range(CANCELS // 10))
    storm.settle()
    threads, files, memory = threading.active_count(), open_files(), resident_mb()
    ends = storm.blow(range(CANCELS // 10, CANCELS + CANCELS // 10))
    storm.settle()
    assert ends["CANCELLED"] > CANCELS // 5
    assert ends["finished"] and ends["abandoned"] and ends["failed"]
    assert world.engine.instances.running_count == 0
    assert world.engine.instances.memory_used == 0
    assert threading.active_count() <= threads + 1
    assert open_files() <= files + 8
    assert resident_mb() <= memory + 150
    assert not list(world.options.folder.glob("process-*/query-*"))
    counted = world.query("SELECT count(*) FROM scan_1", NUMBER, storm.scan)
    assert counted.to_pydict() == {"n": [20_000]}
    storm.alarm.stop()
