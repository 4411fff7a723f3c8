"""What a user waits for their Spark session, which is made when their first query needs it."""

from __future__ import annotations

from functools import partial

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.lakehouse import ThroughSqe, lakehouse
from benchmarks.timing import in_ms, p50, p95, timed
from benchmarks.tpch_tables import SCHEMA
from sqe.model.identity import Identity
from sqe.model.names import SchemaName

QUERY = "SELECT n_name FROM nation WHERE n_nationkey = 7"


def spark_session(bench: Bench) -> Measured:
    """The first query of a new session minus its third: Spark is warm, the session is not."""
    gateway = bench.once(lakehouse).sqe.gateway
    first, later = [], []
    warm, runs = bench.repeats(3, 1), bench.repeats(20, 3)
    for number in range(warm + runs):
        session = gateway.open_session(Identity(f"user{number}"), SchemaName("lake", (SCHEMA,)))
        session.set_property("sqe.engine", "spark")
        sqe = ThroughSqe(gateway, session)
        took = [timed(partial(sqe.run, QUERY))[0] for _ in range(3)]
        session.close()
        if number >= warm:
            first.append(took[0])
            later.append(took[2])
    made = in_ms([one - other for one, other in zip(first, later, strict=True)])
    return Measured(
        p50(made),
        {
            "query": QUERY,
            "p95_ms": p95(made),
            "first_p50_ms": p50(in_ms(first)),
            "later_p50_ms": p50(in_ms(later)),
            "samples_ms": made,
        },
    )
