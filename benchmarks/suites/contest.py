"""All sides in turns, on the same files, and their rows compared."""

from __future__ import annotations

import datetime
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks.bench import Bench
from benchmarks.figure import NotMeasured
from benchmarks.machine import machine
from benchmarks.process_tree import cpu_s, peak_mb
from benchmarks.suites.result import QueryPart, SidePart, SuiteResult, Took
from benchmarks.suites.rows import difference
from benchmarks.suites.sides import SIDES, Side
from benchmarks.suites.suite import Suite
from benchmarks.timing import timed


@dataclass
class _Side:
    side: Side
    texts: dict[str, str]
    cpu_s: float = 0.0


@dataclass
class _Query:
    cold: dict[str, float] = field(default_factory=dict)
    warm: dict[str, list[float]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    rows: int = 0


def run_suite(bench: Bench, suite: Suite, peers: Sequence[str], rounds: int) -> SuiteResult:
    where = machine()
    sides = [side for name in ("sqe", *peers) if (side := _open(bench, suite, name)) is not None]
    queries = {}
    for name in sides[0].texts:
        queries[name] = query = _cold(sides, name)
        for number in range(rounds):
            order = sides if number % 2 else list(reversed(sides))
            for side in order:
                if side.side.name not in query.failed:
                    _warm(side, query, name)
        bench.note(f"  {name}: {_line(query)}")
    return SuiteResult(
        suite=suite.name,
        title=suite.title,
        scale=bench.options.scale,
        rounds=rounds,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        command=shlex.join(["python", "-m", "benchmarks.suites", *sys.argv[1:]]),
        machine=where,
        sides={one.side.name: _part_of(one) for one in sides},
        queries={name: _query_part(query) for name, query in queries.items()},
    )


def _open(bench: Bench, suite: Suite, name: str) -> _Side | None:
    try:
        side = SIDES[name](bench, suite)
    except NotMeasured as absent:
        bench.note(f"{name} is not asked: {absent}")
        return None
    return _Side(side, suite.texts_in(side.dialect))


def _cold(sides: Sequence[_Side], name: str) -> _Query:
    """Everybody's first look at the query; the rows of the first side are what the others must
    have."""
    query, expected = _Query(), None
    for one in sides:
        side = one.side
        try:
            query.cold[side.name], rows = timed(partial(side.ask, one.texts[name]))
        except Exception as error:  # noqa: BLE001  the other queries are still worth having
            query.failed[side.name] = f"{type(error).__name__}: {error}"[:300]
            continue
        if expected is None:
            expected, query.rows = rows, len(rows)
        elif what := difference(expected, rows):
            query.wrong[side.name] = what
    return query


def _warm(one: _Side, query: _Query, name: str) -> None:
    side = one.side
    before = _cpu_s(side)
    seconds, _ = timed(partial(side.ask, one.texts[name]))
    one.cpu_s += _cpu_s(side) - before
    query.warm.setdefault(side.name, []).append(seconds)


def _cpu_s(side: Side) -> float:
    return time.process_time() if side.shares_process else cpu_s(side.pid)


def _part_of(one: _Side) -> SidePart:
    side = one.side
    peak = None if side.shares_process else round(peak_mb(side.pid), 1)
    return SidePart(version=side.version, cpu_s=round(one.cpu_s, 2), peak_mb=peak)


def _query_part(query: _Query) -> QueryPart:
    took = {
        name: Took(cold_s=round(query.cold[name], 4), warm_s=[round(s, 4) for s in warm])
        for name, warm in query.warm.items()
    }
    return QueryPart(rows=query.rows, took=took, failed=query.failed, wrong=query.wrong)


def _line(query: _Query) -> str:
    took = ", ".join(f"{name} {min(warm):.3f} s" for name, warm in query.warm.items())
    bad = [f"{name}: {what}" for name, what in {**query.failed, **query.wrong}.items()]
    return "; ".join([took, *bad])
