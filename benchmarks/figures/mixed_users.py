"""Twenty people with small queries of many kinds, all at once."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.local_lake import NO_SPARK
from benchmarks.processes import program
from benchmarks.tpch_tables import SCHEMA, tpch_home

USERS = 20


def mixed_users(bench: Bench) -> Measured:
    """In a process of its own, for its memory counts; a query that fails fails the figure."""
    answer = program(
        "mixed",
        {"SQE_HOME": str(bench.once(tpch_home)), "SQE_SPARK__REMOTE": NO_SPARK},
        SCHEMA,
        str(USERS),
        str(bench.repeats(30, 3)),
    )
    if answer["failed"]:
        raise AssertionError(f"{answer['failed']} queries failed: {answer['errors']}")
    if answer["peak_mb"] > answer["cap_mb"]:
        raise AssertionError(f"{answer['peak_mb']} MB of memory, the cap is {answer['cap_mb']}")
    return Measured(answer["p99_ms"], answer)
