"""TPC-H through SQE against the same queries sent to Spark directly, on the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import Lakehouse, lakehouse
from benchmarks.timing import timed
from benchmarks.tpch_queries import tpch_queries


def tpch_over_direct(bench: Bench) -> Measured:
    lake = bench.once(lakehouse)
    queries = {}
    for number, (name, text) in enumerate(tpch_queries().items()):
        took = _both(lake, name, text, sqe_first=number % 2 == 0)
        queries[name] = took
        bench.note(f"  {name}: {took['sqe_s']:.2f} s, directly {took['direct_s']:.2f} s")
    through = sum(took["sqe_s"] for took in queries.values())
    direct = sum(took["direct_s"] for took in queries.values())
    return Measured(
        through / direct,
        {
            "scale": bench.options.scale,
            "sqe_s": round(through, 2),
            "direct_s": round(direct, 2),
            "queries": queries,
        },
    )


def _both(lake: Lakehouse, name: str, text: str, *, sqe_first: bool) -> dict[str, float]:
    """Each side once to warm up, then once by the clock. The rows must be the same."""
    sides = {"sqe_s": lake.sqe.run, "direct_s": lake.direct.run}
    order = list(sides) if sqe_first else list(reversed(sides))
    rows = {side: _rows(sides[side](text)) for side in order}
    if rows["sqe_s"] != rows["direct_s"]:
        raise AssertionError(f"{name}: SQE and Spark gave different rows")
    took = {side: timed(partial(sides[side], text))[0] for side in order}
    return {side: round(took[side], 3) for side in sides}


def _rows(batches: Sequence[pa.RecordBatch]) -> list[str]:
    """In any order: an ORDER BY with ties leaves it open."""
    return sorted(repr(row) for batch in batches for row in batch.to_pylist())
