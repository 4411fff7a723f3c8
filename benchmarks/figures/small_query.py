"""A small warm query on the local engine: all of it, SQE's own share, and what it takes of the
processors."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.local_lake import LocalLake, local_tpch
from benchmarks.timing import in_ms, p50, p95, timed

# Another number each time: no text comes twice, so nobody's memory of texts helps.
QUERY = (
    "SELECT n_name, n_regionkey FROM nation"
    " WHERE n_regionkey = 2 AND n_nationkey < {} ORDER BY n_name"
)


# People do not ask the next question at once, and databases are prepared meanwhile.
_PAUSE_S = 0.05


@dataclass(frozen=True)
class Samples:
    through_ms: list[float]
    back_to_back_ms: list[float]
    duckdb_ms: list[float]
    stages_ms: dict[str, float]


def small_query(bench: Bench) -> Measured:
    samples = bench.once(_samples)
    return Measured(
        p50(samples.through_ms),
        {
            "query": QUERY,
            "p95_ms": p95(samples.through_ms),
            "back_to_back_p50_ms": p50(samples.back_to_back_ms),
            "stages_p50_ms": samples.stages_ms,
            "samples_ms": samples.through_ms,
        },
    )


def gateway_overhead(bench: Bench) -> Measured:
    """The median through the gateway minus the median of the same text in a plain DuckDB that is
    open and warm: parsing, binding, planning, locking a new database, and handing the rows over."""
    samples = bench.once(_samples)
    duckdb = p50(samples.duckdb_ms)
    return Measured(p50(samples.through_ms) - duckdb, {"duckdb_p50_ms": duckdb})


def small_query_cpu(bench: Bench) -> Measured:
    """Processor time of the whole process, all its threads, for each of a block of questions one
    after the other: the same text, as a dashboard asks it, and in the detail texts that never came
    before. The median of the blocks."""
    lake = bench.once(local_tpch)
    blocks, size = bench.repeats(15, 3), bench.repeats(40, 5)
    numbers = itertools.count(20_000)
    _cpu_ms(lake, [QUERY.format(0) for _ in range(bench.repeats(60, 3))])
    again, new = [], []
    for _ in range(blocks):
        again.append(_cpu_ms(lake, [QUERY.format(20_000)] * size))
        new.append(_cpu_ms(lake, [QUERY.format(next(numbers)) for _ in range(size)]))
    return Measured(p50(again), {"never_asked_before_ms": p50(new), "samples_ms": again})


def _cpu_ms(lake: LocalLake, texts: list[str]) -> float:
    started = time.process_time()
    for text in texts:
        lake.local.sqe.run(text)
    return (time.process_time() - started) * 1000 / len(texts)


def _samples(bench: Bench) -> Samples:
    lake = bench.once(local_tpch)
    sides = {"through": lake.local.sqe.run, "duckdb": lake.plain.run}
    seconds: dict[str, list[float]] = defaultdict(list)
    stages: dict[str, list[float]] = defaultdict(list)
    warm, runs = bench.repeats(50, 3), bench.repeats(200, 5)
    for number in range(warm + runs):
        text = QUERY.format(1_000 + number)
        for side in sides if number % 2 else reversed(sides):
            time.sleep(_PAUSE_S)
            took, batches = timed(partial(sides[side], text))
            if sum(batch.num_rows for batch in batches) != 5:
                raise AssertionError(f"not five rows: {text}")
            if number >= warm:
                seconds[side].append(took)
        if number >= warm:
            for stage, spent in lake.local.sqe.last_record().stage_seconds.items():
                stages[stage].append(spent)
    later = [QUERY.format(5_000 + number) for number in range(runs)]
    back_to_back = [timed(partial(lake.local.sqe.run, text))[0] for text in later]
    return Samples(
        in_ms(seconds["through"]),
        in_ms(back_to_back),
        in_ms(seconds["duckdb"]),
        {stage: p50(in_ms(spent)) for stage, spent in stages.items()},
    )
