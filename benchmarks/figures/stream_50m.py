"""The memory of SQE's own process while 50 million rows pass through it."""

from __future__ import annotations

from typing import Any

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import lakehouse
from benchmarks.local_lake import NO_SPARK
from benchmarks.processes import program
from benchmarks.tpch_tables import SCHEMA, tpch_home

ROWS = 50_000_000
QUICK_ROWS = 500_000


def stream_50m_peak(bench: Bench) -> Measured:
    answer = bench.once(_stream)
    return Measured(answer["peak_mb"], answer)


def stream_50m_growth(bench: Bench) -> Measured:
    answer = bench.once(_stream)
    return Measured(answer["growth_mb"], {})


def _stream(bench: Bench) -> dict[str, Any]:
    """In a process that has only SQE in it; Spark is the lakehouse's, already warm."""
    lake = bench.once(lakehouse)
    return program(
        "stream",
        {"SQE_HOME": str(lake.home), "SQE_SPARK__REMOTE": lake.spark_url.reveal()},
        SCHEMA,
        str(QUICK_ROWS if bench.options.quick else ROWS),
        "spark",
    )


def stream_50m_local(bench: Bench) -> Measured:
    """The same rows from the local engine, which works in SQE's own process."""
    answer = program(
        "stream",
        {"SQE_HOME": str(bench.once(tpch_home)), "SQE_SPARK__REMOTE": NO_SPARK},
        SCHEMA,
        str(QUICK_ROWS if bench.options.quick else ROWS),
        "local",
    )
    return Measured(answer["peak_mb"], answer)
