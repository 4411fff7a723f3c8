"""How much memory SQE takes while it has nothing to do with Spark."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import program


def idle_rss(bench: Bench) -> Measured:
    answer = program("idle", {"SQE_HOME": str(bench.folder())})
    return Measured(answer["rss_mb"], answer)
