"""Starts of the Spark child, in a home of the cache that has its class archive already."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.timing import timed
from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.engines.spark.connection import Connection, new_operation_id
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.server import SparkServer
from sqe.model.query import Progress


def trained_home(bench: Bench) -> Path:
    """A home whose archive fits this Java and these jars. Share it: ``bench.once``.

    The run that is not measured writes the archive where there is none, and otherwise brings it
    and the jars into the page cache, so that every measured start finds them there.
    """
    home = bench.cache / "boot"
    boot_seconds(bench, home, cds=True)
    return home


def boot_seconds(bench: Bench, home: Path, *, cds: bool) -> float:
    """From nothing until SELECT 1 is answered."""
    server = SparkServer(SparkServerOptions(home=home, jar_cache=bench.jars, cds=cds))
    try:
        return timed(lambda: _select_one(server))[0]
    finally:
        server.stop()


def _select_one(server: SparkServer) -> None:
    connection = Connection(EmbeddedAddress(server).reach().url, "bench")
    plan = connection.plan("SELECT 1")
    deque(connection.execute(plan, new_operation_id(), _ignore_progress), maxlen=0)
    connection.close(server_alive=False)


def _ignore_progress(progress: Progress) -> None:
    """Nobody watches."""
