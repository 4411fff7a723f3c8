"""How much memory statements take that wait for their turn."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import program


def queued_2000_mb(bench: Bench) -> Measured:
    """They come over Trino's protocol, and one statement on the local engine has the only place."""
    count = bench.repeats(2_000, 50)
    settings = {
        "SQE_HOME": str(bench.folder()),
        "SQE_SPARK__REMOTE": "sc://127.0.0.1:9",
        "SQE_LIMITS__RUNNING_QUERIES": "1",
        "SQE_LIMITS__QUEUED_QUERIES": "5000",
        "SQE_TRINO__PORT": "0",
    }
    answer = program("queued", settings, str(count))
    more_threads = answer["threads"] - answer["threads_before"]
    if more_threads > count // 10:
        raise AssertionError(f"{more_threads} threads more for {count} statements that wait")
    return Measured(round(answer["after_mb"] - answer["before_mb"], 1), answer)
