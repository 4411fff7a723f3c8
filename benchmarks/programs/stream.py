"""Streams lineitem over and over to nowhere, and watches this process's memory meanwhile."""

from __future__ import annotations

import json
import math
import sys
import time

from benchmarks.memory import Watch, rss_mb
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.settings import load_settings

COLUMNS = "l_orderkey, l_quantity, l_shipdate, l_shipmode"


def main(schema: str, wanted: int, engine: str) -> None:
    server = build(load_settings())
    gateway = server.gateway
    session = gateway.open_session(Identity("bench"), SchemaName("lake", (schema,)))
    session.set_property("sqe.engine", engine)
    text = over_and_over(gateway, session.id, wanted)
    watch, batches, size = Watch(), 0, 0
    before = rss_mb()
    started = time.perf_counter()
    with watch.running():
        query_id = gateway.submit(QueryRequest(session.id, text))
        with gateway.fetch(query_id) as result:
            for batch in result:
                watch.rows += batch.num_rows
                batches, size = batches + 1, size + batch.nbytes
    seconds = time.perf_counter() - started
    server.close()
    early, late = watch.peak(last=0.1), watch.peak(first=0.9)
    json.dump(
        {
            "peak_mb": round(watch.peak(), 1),
            "growth_mb": round(late - early, 1),
            "before_mb": round(before, 1),
            "first_tenth_mb": round(early, 1),
            "last_tenth_mb": round(late, 1),
            "rows": watch.rows,
            "batches": batches,
            "arrow_mb": round(size / 1024**2, 1),
            "columns": COLUMNS,
            "engine": engine,
            "seconds": round(seconds, 1),
            "rows_per_s": round(watch.rows / seconds),
        },
        sys.stdout,
    )


def over_and_over(gateway: Gateway, session_id: str, wanted: int) -> str:
    """Whole copies of lineitem, and as many of its orders as make up the rest."""
    query_id = gateway.submit(
        QueryRequest(session_id, "SELECT count(*), max(l_orderkey) FROM lineitem")
    )
    with gateway.fetch(query_id) as result:
        ((rows, last_order),) = (tuple(row.values()) for row in result.read_all().to_pylist())
    copies, rest = divmod(wanted, rows)
    select = f"SELECT {COLUMNS} FROM lineitem"
    parts = [select] * copies
    # A little more than the rest, as the number of lines differs between orders.
    parts.append(f"{select} WHERE l_orderkey <= {math.ceil(1.01 * rest / rows * last_order)}")
    return "\nUNION ALL\n".join(parts)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
