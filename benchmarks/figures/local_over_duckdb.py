"""TPC-H and TPC-DS on the local engine: how many queries it takes, and how fast it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.figures.tpch_over_direct import rows_of, tpch_on_spark
from benchmarks.local_lake import LocalLake, local_tpcds, local_tpch
from benchmarks.timing import p50, timed
from benchmarks.tpcds import tpcds_queries
from benchmarks.tpch_queries import tpch_queries


@dataclass
class Compared:
    """Both sides of every query that ran locally, and why the others did not."""

    queries: dict[str, dict[str, float]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)

    def total(self, side: str) -> float:
        return sum(took[side] for took in self.queries.values())

    @property
    def ratio(self) -> float:
        return self.total("local_s") / self.total("duckdb_s")

    def detail(self, bench: Bench) -> dict[str, object]:
        return {
            "scale": bench.options.scale,
            "local_s": round(self.total("local_s"), 3),
            "duckdb_s": round(self.total("duckdb_s"), 3),
            "not_local": self.refused,
            "queries": self.queries,
        }


def tpch_local_over_duckdb(bench: Bench) -> Measured:
    compared = _all_of_tpch(bench)
    return Measured(compared.ratio, compared.detail(bench))


def tpch_spark_over_local(bench: Bench) -> Measured:
    """The rows of both must be the same; Spark's times are those of the figure over `direct`."""
    compared = _all_of_tpch(bench)
    spark = bench.once(tpch_on_spark)
    for name, rows in compared.rows.items():
        if rows != spark.rows[name]:
            raise AssertionError(f"{name}: Spark and the local engine gave different rows")
    local = compared.total("local_s")
    return Measured(
        spark.through_s / local,
        {"spark_s": round(spark.through_s, 2), "local_s": round(local, 3)},
    )


def tpcds_local_share(bench: Bench) -> Measured:
    compared = bench.once(_tpcds)
    ran = len(compared.queries)
    asked = ran + len(compared.refused)
    return Measured(ran / asked, {"local": ran, "asked": asked, "not_local": compared.refused})


def tpcds_local_over_duckdb(bench: Bench) -> Measured:
    """Over the queries that ran locally; the share has a figure of its own."""
    compared = bench.once(_tpcds)
    return Measured(compared.ratio, compared.detail(bench))


def _all_of_tpch(bench: Bench) -> Compared:
    compared = bench.once(_tpch)
    if compared.refused:
        raise AssertionError(f"not local: {compared.refused}")
    return compared


def _tpch(bench: Bench) -> Compared:
    texts = {name: (text, text) for name, text in tpch_queries().items()}
    return _compare(bench, bench.once(local_tpch), texts, rounds=bench.repeats(5, 1))


def _tpcds(bench: Bench) -> Compared:
    return _compare(bench, bench.once(local_tpcds), tpcds_queries(), rounds=bench.repeats(3, 1))


def _compare(
    bench: Bench, lake: LocalLake, texts: Mapping[str, tuple[str, str]], rounds: int
) -> Compared:
    compared = Compared()
    for name, (spark_text, duckdb_text) in texts.items():
        refusal = lake.local.refusal(spark_text)
        if refusal:
            compared.refused[name] = refusal
            bench.note(f"  {name}: not local: {refusal}")
            continue
        compared.rows[name] = _same_count(lake, name, spark_text, duckdb_text)
        took = _both(lake, spark_text, duckdb_text, rounds)
        compared.queries[name] = took
        bench.note(f"  {name}: {took['local_s']:.3f} s, DuckDB {took['duckdb_s']:.3f} s")
    return compared


def _same_count(lake: LocalLake, name: str, spark_text: str, duckdb_text: str) -> list[str]:
    """The local side's rows. Values are compared elsewhere: plain DuckDB has other types."""
    rows = rows_of(lake.local.run(spark_text))
    plain = _count(lake.plain.run(duckdb_text))
    if len(rows) != plain:
        raise AssertionError(f"{name}: {len(rows)} rows locally, {plain} from DuckDB")
    return rows


def _both(lake: LocalLake, spark_text: str, duckdb_text: str, rounds: int) -> dict[str, float]:
    """Medians of a few rounds in which the sides take turns in going first."""
    sides = {
        "local_s": partial(lake.local.run, spark_text),
        "duckdb_s": partial(lake.plain.run, duckdb_text),
    }
    seconds: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        for side in sides if number % 2 else reversed(sides):
            seconds[side].append(timed(sides[side])[0])
    return {side: round(p50(seconds[side]), 4) for side in sides}


def _count(batches: Sequence[pa.RecordBatch]) -> int:
    return sum(batch.num_rows for batch in batches)
