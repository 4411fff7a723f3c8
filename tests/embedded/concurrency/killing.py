"""Kills SQE, or Spark, in the middle of a write, and says whether the table is whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqe.errors import ErrorCode, SqeError
from tests.embedded.concurrency.history import rows
from tests.embedded.concurrency.operations import create, operation, state_after, table_properties
from tests.embedded.pipe.lake import Lake, until

_SWEEPS = 5
_OLD_S = 4 * 24 * 3600  # a day more than what remove_orphan_files spares
_START_S = 240


@dataclass
class Table:
    """A table with one writer, and the numbers of the operations that are in it."""

    reader: Lake  # on an engine that no test kills
    name: str
    seed: int
    numbers: list[int] = field(default_factory=list)
    next: int = 1

    @classmethod
    def made(cls, lake: Lake, reader: Lake, name: str, seed: int) -> Table:
        rng = random.Random(seed)
        version, mode = rng.choice((2, 3)), rng.choice(("copy-on-write", "merge-on-read"))
        lake.run(create(table_properties(version, mode)).format(t=name))
        return cls(reader, name, seed)

    def settle(self, acknowledged: list[int], begun: int | None) -> None:
        """Before or after the write that was under way; all acknowledged ones are there."""
        self.numbers += acknowledged
        seen = rows(self.reader, self.name)
        if seen != self.expected() and begun is not None:
            self.numbers.append(begun)
        assert seen == self.expected(), f"neither before nor after operation {begun}"

    def expected(self, *more: int) -> list[tuple[int, int, int]]:
        return [tuple(row) for row in sorted(state_after(self.seed, [*self.numbers, *more]))]  # type: ignore[misc]


class Victim:
    """A process of SQE's that writes until it is killed."""

    def __init__(self, table: Table, home: Path, spark: str) -> None:
        self.done: list[int] = []
        self.begun: int | None = None
        self.failed = ""
        self.jvm = 0
        self._table = table
        self._ready = threading.Event()
        words = (home, spark, table.name, table.seed, table.next)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.embedded.concurrency.victim", *map(str, words)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            stdout=subprocess.PIPE,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._hear(*line.split(maxsplit=1))
        self._ready.set()

    def _hear(self, word: str, rest: str) -> None:
        if word == "ready":
            self.jvm = int(rest)
            self._ready.set()
        elif word == "begun":
            self.begun = int(rest)
        elif word == "done":
            self.done.append(int(rest))
        else:
            self.failed = rest

    def watch_and_kill(self, writes: int, seconds: float) -> None:
        """Reads the table all the time, and ends the process the hard way: ``seconds`` after the
        given number of writes."""
        try:
            assert self._ready.wait(_START_S), "it did not start"
            latest = time.monotonic() + _START_S
            self._watch(lambda: len(self.done) < writes and time.monotonic() < latest)
            deadline = time.monotonic() + seconds
            self._watch(lambda: time.monotonic() < deadline)
        finally:
            self._process.kill()
            self._process.wait()
            self._listener.join()
        assert not self.failed, self.failed
        under_way = self.begun if self.begun not in self.done else None
        self._table.settle(self.done, under_way)
        self._table.next = (self.begun or self._table.next) + 1
        if self.jvm:
            assert until(lambda: not running(self.jvm), 20), "Spark outlived SQE"

    def _watch(self, go_on: Callable[[], bool]) -> None:
        while go_on() and self._process.poll() is None:
            earliest = len(self.done)
            seen = rows(self._table.reader, self._table.name)
            # What it says comes a little later than it happens.
            latest = len(self.done) + 3
            numbers = range(self._table.next, self._table.next + latest)
            possible = [self._table.expected(*numbers[:count]) for count in range(earliest, latest)]
            assert [tuple(row) for row in seen] in possible, "a reader saw half of a write"


def kill_spark_during(lake: Lake, table: Table, rng: random.Random) -> SqeError | None:
    """One operation, with Spark killed somewhere in it. What is answered must be true."""
    number, table.next = table.next, table.next + 1
    spark = lake.server.spark
    assert spark is not None
    spark.start()
    pid = spark.pid
    assert pid is not None
    query_id = lake.submit(operation(table.seed, number).on(table.name))
    if rng.random() < 0.7:
        until(lambda: lake.record(query_id).state.ended or lake.record(query_id).progress.tasks, 60)
    time.sleep(rng.uniform(0, 1))
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: spark.pid != pid, 20), "nobody noticed that Spark is gone"
    try:
        with lake.server.gateway.fetch(query_id) as result:
            result.read_all()
    except SqeError as error:
        assert error.code in (ErrorCode.ENGINE_LOST, ErrorCode.ENGINE_UNAVAILABLE), error
        table.settle([], None)
        return error
    table.settle([number], None)
    return None


def running(pid: int) -> bool:
    """A zombie counts as gone."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:4]
    except OSError:
        return False


def orphans(lake: Lake, table: Table) -> set[str]:
    """Files in the table's folder that none of its snapshots names."""
    known = set()
    for relation in ("all_data_files", "all_delete_files"):
        known |= {path for (path,) in lake.rows(f"SELECT file_path FROM {table.name}.{relation}")}
    folder = next(lake.home.glob(f"warehouse/*/{table.name}"))
    found = {str(path) for path in folder.glob("data/**/*") if path.is_file()}
    return {path for path in found - known if not path.endswith(".crc")}


def remove_orphans(lake: Lake, table: Table) -> int:
    """By maintenance, once they are old enough for it. The table stays as it is."""
    removed: set[str] = set()
    for _ in range(_SWEEPS):  # a job of a killed SQE may still be writing where Spark lives on
        found = orphans(lake, table)
        for path in found:
            old = time.time() - _OLD_S
            os.utime(path, (old, old))
        lake.run(f"CALL lake.system.remove_orphan_files(table => 'default.{table.name}')")
        left = orphans(lake, table)
        assert not found & left, f"not removed: {found & left}"
        removed |= found
        if not left:
            break
    assert not left, f"still appearing: {left}"
    assert [tuple(row) for row in rows(lake, table.name)] == table.expected()
    return len(removed)
