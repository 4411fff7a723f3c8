"""What class data sharing saves at Spark's start."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.boot import boot_seconds, trained_home
from benchmarks.figure import Measured
from benchmarks.timing import p50


def spark_boot_cds(bench: Bench) -> Measured:
    """Alternating, so that a busy moment hits both."""
    home = bench.once(trained_home)
    shared, plain = [], []
    for _ in range(bench.repeats(2, 1)):
        shared.append(round(boot_seconds(bench, home, cds=True), 2))
        plain.append(round(boot_seconds(bench, home, cds=False), 2))
    return Measured(p50(shared) / p50(plain), {"with_s": shared, "without_s": plain})
