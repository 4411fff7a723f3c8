"""How long it takes to list a large schema."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.many_tables import COUNT, many_tables
from benchmarks.timing import in_ms, p50, timed
from sqe.model.query import QueryRequest


def list_10k_tables(bench: Bench) -> Measured:
    many = bench.once(many_tables)
    gateway = many.server.gateway

    def run() -> None:
        query_id = gateway.submit(QueryRequest(many.session.id, "SHOW TABLES"))
        with gateway.fetch(query_id) as result:
            rows = sum(batch.num_rows for batch in result)
        if rows != COUNT:
            raise AssertionError(f"SHOW TABLES gave {rows} rows, not {COUNT}")

    run()
    samples = in_ms([timed(run)[0] for _ in range(bench.repeats(20, 5))])
    return Measured(p50(samples), {"samples_ms": samples})
