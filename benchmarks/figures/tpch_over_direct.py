"""TPC-H through SQE against the same queries sent to Spark directly, on the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import Lakehouse, lakehouse
from benchmarks.timing import timed
from benchmarks.tpch_queries import tpch_queries


@dataclass
class OnSpark:
    """Seconds of both sides by query, and the rows, which are the same for both."""

    queries: dict[str, dict[str, float]] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)

    @property
    def through_s(self) -> float:
        return sum(took["sqe_s"] for took in self.queries.values())

    @property
    def direct_s(self) -> float:
        return sum(took["direct_s"] for took in self.queries.values())


def tpch_over_direct(bench: Bench) -> Measured:
    measured = bench.once(tpch_on_spark)
    return Measured(
        measured.through_s / measured.direct_s,
        {
            "scale": bench.options.scale,
            "sqe_s": round(measured.through_s, 2),
            "direct_s": round(measured.direct_s, 2),
            "queries": measured.queries,
        },
    )


def tpch_on_spark(bench: Bench) -> OnSpark:
    """Share it, for it takes a minute: ``bench.once(tpch_on_spark)``."""
    lake = bench.once(lakehouse)
    measured = OnSpark()
    for number, (name, text) in enumerate(tpch_queries().items()):
        measured.rows[name], took = _both(lake, name, text, sqe_first=number % 2 == 0)
        measured.queries[name] = took
        bench.note(f"  {name}: {took['sqe_s']:.2f} s, directly {took['direct_s']:.2f} s")
    return measured


def _both(
    lake: Lakehouse, name: str, text: str, *, sqe_first: bool
) -> tuple[list[str], dict[str, float]]:
    """Each side once to warm up, then once by the clock. The rows must be the same."""
    sides = {"sqe_s": lake.sqe.run, "direct_s": lake.direct.run}
    order = list(sides) if sqe_first else list(reversed(sides))
    rows = {side: rows_of(sides[side](text)) for side in order}
    if rows["sqe_s"] != rows["direct_s"]:
        raise AssertionError(f"{name}: SQE and Spark gave different rows")
    took = {side: timed(partial(sides[side], text))[0] for side in order}
    return rows["sqe_s"], {side: round(took[side], 3) for side in sides}


def rows_of(batches: Sequence[pa.RecordBatch]) -> list[str]:
    """In any order: an ORDER BY with ties leaves it open."""
    return sorted(repr(row) for batch in batches for row in batch.to_pylist())
