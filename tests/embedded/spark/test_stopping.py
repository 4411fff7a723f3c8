"""SIGTERM ends ``sqe serve`` in its time, whatever Spark does, and Spark with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sqe.client
from sqe.engines.spark.activity import read_activity
from tests.embedded.pipe.lake import until
from tests.small_spark import small_spark_config

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

ENDLESS = "SELECT sum(hash(id)) FROM range(0, 10000000000000, 1, 1)"
# Its loop never looks whether it was killed.
DEAF = (
    "SELECT count(*) FROM range(1) LATERAL VIEW explode(sequence(1, 1000000)) AS x"
    " LATERAL VIEW explode(sequence(1, 1000000)) AS y WHERE x * y = -1"
)
BY_FORCE = "did not stop in time"


@contextmanager
def serving(
    folder: Path, jars: Path, drain_s: float = 0
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address of its Flight SQL."""
    environment = {
        **os.environ,
        **small_spark_config(folder / "sqe.toml", jars),
        "SQE_HOME": str(folder / "home"),
        "SQE_SERVE__DRAIN_S": str(drain_s),
    }
    ports = ["--port", "0", "--flight-port", "0", "--trino-port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "sqe", "serve", *ports],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stderr is not None
            said = "".join(line for line, _ in zip(process.stderr, range(2), strict=False))
            found = re.search(r"Flight SQL is at (\S+)", said)
            assert found is not None, said
            yield process, found[1]
        finally:
            process.kill()


def stop(process: subprocess.Popen[str]) -> str:
    """What it says from SIGTERM to its end, which is a clean one."""
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    return said


def below(pid: int) -> set[int]:
    """The processes that a process has started, and theirs."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in listed.splitlines()]
    found: set[int] = set()
    parents = {pid}
    while parents:
        parents = {int(row[0]) for row in rows if int(row[1]) in parents and row[2][0] != "Z"}
        found |= parents
    return found


def alive(processes: set[int]) -> set[int]:
    return {pid for pid in processes if Path(f"/proc/{pid}/cmdline").exists()}


def test_a_spark_that_is_starting_ends_with_sqe(tmp_path: Path, jar_cache: Path) -> None:
    with serving(tmp_path, jar_cache) as (process, _):
        assert until(lambda: len(below(process.pid)) == 2, 60), "the launcher and its JVM"
        spark = below(process.pid)
        assert BY_FORCE not in stop(process)
        assert not alive(spark)


def test_queries_that_do_not_end_end_with_sqe(tmp_path: Path, jar_cache: Path) -> None:
    """One that Spark cancels, and one that it cannot."""
    told: list[str] = []
    with serving(tmp_path, jar_cache, drain_s=1) as (process, address):
        connections = [sqe.client.connect(address) for _ in range(2)]
        cursors = [connection.cursor() for connection in connections]
        readers = [
            threading.Thread(target=run, args=(cursor, text, told.append))
            for cursor, text in zip(cursors, (ENDLESS, DEAF), strict=True)
        ]
        for reader in readers:
            reader.start()
        assert until(lambda: running_stages(process.pid) >= 2, 200)
        spark = below(process.pid)
        assert BY_FORCE not in stop(process)
        assert spark and not alive(spark)
        for reader in readers:
            reader.join(60)
    assert len(told) == 2 and set(told) <= {"CANCELLED", "SERVER_UNAVAILABLE", "SESSION_NOT_FOUND"}


def running_stages(pid: int) -> int:
    found = (read_activity(one) for one in below(pid))
    return sum(len(activity.stages) for activity in found if activity is not None)


def run(cursor: sqe.client.Cursor, text: str, tell: Callable[[str], None]) -> None:
    try:
        cursor.execute("SET SESSION sqe.engine = 'spark'")
        cursor.execute(text).fetchall()
    except sqe.client.Error as error:
        tell(str(error.code))
