"""How long it takes to understand a query in a large catalog."""

from __future__ import annotations

import random
from functools import partial

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.many_tables import ManyTables, many_tables
from benchmarks.timing import in_ms, p50, p95, timed
from sqe.binding.binder import Binder
from sqe.errors import UserError
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits

_RUNS = 200


def bind_10k_tables(bench: Bench) -> Measured:
    """Each run another table, so that nothing about it has been read before."""
    many = bench.once(many_tables)
    binder = _Binding(many)
    names = random.Random(3).sample(many.names, _RUNS)
    binder.bind(names[0])
    samples = in_ms([timed(partial(binder.bind, name))[0] for name in names])
    unknown = in_ms([timed(binder.refuse)[0] for _ in range(5)])
    return Measured(
        p50(samples),
        {"p95_ms": p95(samples), "samples_ms": samples, "unknown_table_p50_ms": p50(unknown)},
    )


class _Binding:
    """The first two stages of the pipe, as the gateway calls them."""

    def __init__(self, many: ManyTables) -> None:
        limits = many.server.settings.limits
        self._limits = TextLimits(limits.statement_bytes, limits.nesting)
        self._binder = Binder(many.server.catalogs, self._limits, limits.view_depth)
        self._session = many.session

    def bind(self, table: str) -> None:
        text = f"SELECT c1, count(*) FROM {table} WHERE c2 > 10 GROUP BY c1 ORDER BY 2 DESC"
        self._binder.bind(parse(text, self._limits), self._session)

    def refuse(self) -> None:
        """The error names the nearest of 10,000 tables."""
        try:
            self.bind("t0000x")
        except UserError:
            return
        raise AssertionError("there is no such table")
