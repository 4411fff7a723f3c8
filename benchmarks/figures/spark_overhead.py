"""What SQE adds to a small warm Spark query: parse, bind, broker, plan check."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import lakehouse
from benchmarks.timing import in_ms, p50, p95, timed

QUERY = "SELECT n_name, n_regionkey FROM nation WHERE n_regionkey = 2 ORDER BY n_name"


def spark_overhead(bench: Bench) -> Measured:
    """The difference of the medians, over pairs that take turns in going first."""
    lake = bench.once(lakehouse)
    sides = {"sqe": lake.sqe.run, "direct": lake.direct.run}
    seconds: dict[str, list[float]] = defaultdict(list)
    stages: dict[str, list[float]] = defaultdict(list)
    warm, runs = bench.repeats(20, 3), bench.repeats(30, 5)
    for number in range(warm + runs):
        order = list(sides) if number % 2 else list(reversed(sides))
        for side in order:
            took, _ = timed(partial(sides[side], QUERY))
            if number >= warm:
                seconds[side].append(took)
        if number >= warm:
            for stage, spent in lake.sqe.last_record().stage_seconds.items():
                stages[stage].append(spent)
    # What the plan check asks of Spark, by itself: the largest part of the difference.
    connection = lake.direct.connection
    explained = [timed(lambda: connection.explain(connection.plan(QUERY)))[0] for _ in range(10)]
    through, direct = in_ms(seconds["sqe"]), in_ms(seconds["direct"])
    return Measured(
        p50(through) - p50(direct),
        {
            "query": QUERY,
            "sqe_p50_ms": p50(through),
            "sqe_p95_ms": p95(through),
            "direct_p50_ms": p50(direct),
            "direct_p95_ms": p95(direct),
            "explain_p50_ms": p50(in_ms(explained)),
            "stages_p50_ms": {stage: p50(in_ms(spent)) for stage, spent in stages.items()},
            "sqe_ms": through,
            "direct_ms": direct,
        },
    )
