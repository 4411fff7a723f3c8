"""``make bench-gate``: ratios of processor times inside one run, held against a stored baseline.

Both sides of a ratio are measured in turns in one process, so that it does not matter how quick the
machine is or who else works on it. A ratio fails that is worse by more than its noise, which is
estimated from the repeats. ``--keep`` stores what was measured as the baseline.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from benchmarks import profile
from benchmarks.bench import Bench, Options
from benchmarks.figures.small_query import QUERY
from benchmarks.local_lake import LocalLake, local_tpch
from benchmarks.report import RESULTS
from benchmarks.tpch_queries import tpch_queries

BASELINE = RESULTS.parent / "gate_baseline.json"
_SCALE = 0.01
_LEAST_NOISE = 0.05  # two runs of the same code differ by that
_NOISES = 3.0


class Ratio(BaseModel):
    """``noise``: half of the middle half of the repeats, relative to their median."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    median: float
    noise: float


_Ratios = TypeAdapter(dict[str, Ratio])
Samples = Callable[[Bench], list[float]]


def ratio_of(samples: Sequence[float]) -> Ratio:
    low, median, high = statistics.quantiles(samples, n=4)
    return Ratio(median=round(median, 3), noise=round((high - low) / 2 / median, 3))


def is_worse(measured: Ratio, baseline: Ratio) -> bool:
    noise = max(measured.noise, baseline.noise, _LEAST_NOISE)
    return measured.median > baseline.median * (1 + _NOISES * noise)


def _small_query(bench: Bench) -> list[float]:
    """A repeated small question through the gateway, over ten of the same on a plain DuckDB."""
    lake, text = bench.once(local_tpch), QUERY.format(7)
    return [_in_turns(lake, [text] * 60, [[text] * 10] * 60) for _ in range(11)]


def _tpch(bench: Bench) -> list[float]:
    """All 22 queries through the gateway, over the same on a plain DuckDB."""
    lake, texts = bench.once(local_tpch), list(tpch_queries().values())
    return [_in_turns(lake, texts, [[text] for text in texts]) for _ in range(9)]


MEASURES: Mapping[str, Samples] = {
    "small_query_over_ten_of_duckdb": _small_query,
    "tpch_over_duckdb": _tpch,
}


def _in_turns(lake: LocalLake, through: Sequence[str], plain: Sequence[Sequence[str]]) -> float:
    """One text after the other, so that both sides have the same neighbours."""
    mine = theirs = 0.0
    for text, texts in zip(through, plain, strict=True):
        mine += _cpu_s(lambda text: lake.local.sqe.run(text), [text])
        theirs += _cpu_s(lambda text: lake.plain.run(text), texts)
    return mine / theirs


def _cpu_s(ask: Callable[[str], object], texts: Sequence[str]) -> float:
    started = time.process_time()
    for text in texts:
        ask(text)
    return time.process_time() - started


def main(arguments: Sequence[str] | None = None, baseline: Path = BASELINE) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="store the ratios as the baseline")
    given = parser.parse_args(arguments)
    with Bench(Options(scale=_SCALE)) as bench:
        measured = {}
        for name, measure in MEASURES.items():
            measure(bench)  # the first round warms up
            measured[name] = ratio_of(measure(bench))
    if given.keep:
        baseline.write_bytes(_Ratios.dump_json(measured, indent=1) + b"\n")
    return compare(measured, _Ratios.validate_json(baseline.read_bytes()))


def compare(measured: Mapping[str, Ratio], baseline: Mapping[str, Ratio]) -> int:
    """1 where a ratio is worse, with the profile of the small question."""
    worse = [name for name, ratio in measured.items() if is_worse(ratio, baseline[name])]
    for name, ratio in measured.items():
        verdict = "WORSE" if name in worse else "ok"
        was = baseline[name]
        print(
            f"{name} {ratio.median:.3f} (noise {ratio.noise:.1%}),"
            f" baseline {was.median:.3f} (noise {was.noise:.1%}): {verdict}"
        )
    if worse:
        profile.main([])
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
