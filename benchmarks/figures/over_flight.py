"""What Flight SQL costs, and what it spares."""

from __future__ import annotations

from typing import Any

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.local_lake import NO_SPARK
from benchmarks.processes import program
from benchmarks.tpch_tables import SCHEMA, tpch_home

ROWS = 10_000_000
QUICK_ROWS = 100_000


def flight_over_inprocess(bench: Bench) -> Measured:
    answer = bench.once(_answer)
    return Measured(answer["flight_over_inprocess"], answer)


def flight_over_json(bench: Bench) -> Measured:
    answer = bench.once(_answer)
    return Measured(answer["flight_over_json"], answer["json"])


def flight_small_query(bench: Bench) -> Measured:
    small = bench.once(_answer)["small_ms"]
    return Measured(small["flight"] - small["in_process"], small)


def _answer(bench: Bench) -> dict[str, Any]:
    return program(
        "flight",
        {"SQE_HOME": str(bench.once(tpch_home)), "SQE_SPARK__REMOTE": NO_SPARK},
        SCHEMA,
        str(QUICK_ROWS if bench.options.quick else ROWS),
        str(bench.repeats(100, 5)),
    )
