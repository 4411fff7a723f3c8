"""How much memory SQE takes while it has nothing to do with Spark."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import program


def idle_rss(bench: Bench) -> Measured:
    # A Spark that cannot be reached: a query that needs it fails instead of starting one.
    nowhere = "sc://127.0.0.1:9"
    answer = program("idle", {"SQE_HOME": str(bench.folder()), "SQE_SPARK__REMOTE": nowhere})
    return Measured(answer["rss_mb"], answer)
