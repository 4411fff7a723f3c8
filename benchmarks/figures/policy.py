"""What a policy costs: to understand a statement with it, and to run it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial

import sqlglot
from sqlglot import exp

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.figures.tpch_over_direct import rows_of
from benchmarks.lakehouse import ThroughSqe
from benchmarks.local_lake import NO_SPARK, Local
from benchmarks.timing import p50, p95, timed
from benchmarks.tpcds import SCHEMA as TPCDS
from benchmarks.tpcds import tpcds_home, tpcds_queries
from benchmarks.tpch_queries import tpch_queries
from benchmarks.tpch_tables import SCHEMA as TPCH
from benchmarks.tpch_tables import tpch_home
from sqe.model.decision import Allow, Decision, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import BucketMask, ConstantMask, Mask, PartialMask
from sqe.model.names import SchemaName
from sqe.model.query import QueryRequest
from sqe.policy.source import AllowAll, PolicySource
from sqe.server.build import Server, build
from sqe.settings import Settings, SparkSettings

_QUERY = "q64"  # names 20 tables, some of them more than once
_STAGES = ("parse", "decide", "guard")
_USERS = 4


class _InPart(AllowAll):
    """Every table; the texts are about who asks, so that each user has others."""

    name = "bench"

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        first, last = table.columns[0].name, table.columns[-1]
        masks: dict[str, Mask] = {last.name: PartialMask(1, 1)} if last.type == "string" else {}
        condition = f"{first} IS NOT NULL AND current_user() <> 'nobody' OR in_group('all')"
        return Restrict("bench", (RowFilter(condition),), masks)


def policy_overhead(bench: Bench) -> Measured:
    """Every run has a text of its own; users come back, as they do, and the first time of each is
    in the details."""
    text = tpcds_queries()[_QUERY][0]
    (_, free), (first, limited) = (
        _planned(bench, source, text) for source in (AllowAll(), _InPart())
    )
    tables = list(sqlglot.parse_one(text, read="spark").find_all(exp.Table))
    return Measured(
        max(p50(limited) - p50(free), 0.0),
        {
            "without_p50_ms": p50(free),
            "with_p50_ms": p50(limited),
            "with_p95_ms": p95(limited),
            "with_first_of_a_user_p50_ms": p50(first),
            "tables": len([table for table in tables if table.name in _tables(bench)]),
        },
    )


def _tables(bench: Bench) -> set[str]:
    with closing(build(_settings(bench))) as server:
        catalog = server.catalogs.open("lake", Identity("bench"))
        return set(catalog.list_tables((TPCDS,)))


def _settings(bench: Bench) -> Settings:
    spark = SparkSettings.model_validate({"remote": NO_SPARK})
    return Settings(home=bench.once(tpcds_home), spark=spark)


def _planned(bench: Bench, source: PolicySource, text: str) -> tuple[list[float], list[float]]:
    """Milliseconds in the stages that read the text, decide on it and put guards in place: of each
    user's first statement, and of the others."""
    samples = []
    with closing(build(_settings(bench), (source,))) as server:
        pipeline = server.gateway._pipeline
        for number in range(_USERS * (1 + bench.repeats(10, 2))):
            user = Identity(f"user{number % _USERS}", groups=frozenset({"some"}))
            session = server.gateway.open_session(user, SchemaName("lake", (TPCDS,)))
            clock = _Clock()
            pipeline.plan(
                QueryRequest(session.id, f"{text} -- {source.name} {number}"), session, clock.stage
            )
            session.close()
            samples.append(round(1000 * sum(clock.seconds[name] for name in _STAGES), 2))
    return samples[1:_USERS], samples[_USERS:]  # the very first one only warms up


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - started


# What is seen of TPC-H, and the same written by hand.
_LIMITS: Mapping[str, Restrict] = {
    "lineitem": Restrict(
        "bench",
        (RowFilter("l_shipdate >= DATE'1993-01-01' AND l_returnflag <> 'R'"),),
        {"l_comment": ConstantMask("hidden")},
    ),
    "orders": Restrict("bench", (RowFilter("o_orderpriority <> '5-LOW'"),)),
    "customer": Restrict(
        "bench", (RowFilter("c_mktsegment <> 'FURNITURE'"),), {"c_address": ConstantMask("hidden")}
    ),
    "part": Restrict("bench", (RowFilter("p_size > 1"),), {"p_size": BucketMask(2)}),
}
_BY_HAND = {
    ("lineitem", "l_comment"): "'hidden'",
    ("customer", "c_address"): "'hidden'",
    ("part", "p_size"): "p_size - pmod(p_size, 2)",
}


class _Limited(AllowAll):
    name = "bench"

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        return _LIMITS.get(table.name.name) or Allow("all of it")


def guarded_over_handwritten(bench: Bench) -> Measured:
    """The 22 queries of TPC-H on the local engine, the rows of both sides the same."""
    guarded, free = (_local(bench, source) for source in (_Limited(), AllowAll()))
    took: dict[str, dict[str, float]] = {}
    refused: dict[str, str] = {}
    for name, text in tpch_queries().items():
        refusal = guarded.refusal(text)
        if refusal:
            refused[name] = refusal
            continue
        by_hand = _by_hand(text, guarded)
        if rows_of(guarded.run(text)) != rows_of(free.run(by_hand)):
            raise AssertionError(f"{name}: not the rows of the same query by hand")
        seconds = _in_turn(guarded, text, free, by_hand, bench.repeats(5, 1))
        took[name] = seconds
        bench.note(f"  {name}: {seconds['guarded_s']:.3f} s, by hand {seconds['by_hand_s']:.3f} s")
    total = {side: sum(one[side] for one in took.values()) for side in ("guarded_s", "by_hand_s")}
    detail: dict[str, object] = {"scale": bench.options.scale, "not_local": refused, **total}
    return Measured(total["guarded_s"] / total["by_hand_s"], {**detail, "queries": took})


def _local(bench: Bench, source: PolicySource) -> Local:
    spark = SparkSettings.model_validate({"remote": NO_SPARK})
    settings = Settings(home=bench.once(tpch_home), spark=spark)
    server: Server = bench.enter(closing(build(settings, (source,))))
    session = server.gateway.open_session(Identity("bench"), SchemaName("lake", (TPCH,)))
    session.set_property("sqe.engine", "local")
    return Local(ThroughSqe(server.gateway, session))


def _in_turn(guarded: Local, text: str, free: Local, by_hand: str, rounds: int) -> dict[str, float]:
    sides = {"guarded_s": partial(guarded.run, text), "by_hand_s": partial(free.run, by_hand)}
    seconds: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        for side in sides if number % 2 else reversed(sides):
            seconds[side].append(timed(sides[side])[0])
    return {side: round(p50(samples), 4) for side, samples in seconds.items()}


def _by_hand(text: str, lake: Local) -> str:
    """Each table in part as a query in its place, as somebody would write it."""
    tree = sqlglot.parse_one(text, read="spark")
    for table in list(tree.find_all(exp.Table)):
        limits = _LIMITS.get(table.name)
        if limits is None:
            continue
        columns = lake.sqe.gateway.describe(
            QueryRequest(lake.sqe.session.id, f"SELECT * FROM {table.name}")
        ).columns
        items = ", ".join(
            f"{_BY_HAND[table.name, column.name]} AS {column.name}"
            if (table.name, column.name) in _BY_HAND
            else column.name
            for column in columns
        )
        query = f"SELECT {items} FROM {table.name} WHERE {limits.filters[0].sql}"
        alias = table.alias or table.name
        table.replace(exp.Subquery(this=sqlglot.parse_one(query, read="spark"), alias=alias))
    return tree.sql(dialect="spark")
