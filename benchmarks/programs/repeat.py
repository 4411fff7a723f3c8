"""Asks one question again and again, to be looked at from outside.

python -m benchmarks.programs.repeat SCALE ENGINE SECONDS TEXT
"""

from __future__ import annotations

import sys
import time

from benchmarks.bench import Bench, Options
from benchmarks.lakehouse import ThroughSqe, lakehouse
from benchmarks.local_lake import local_tpch

_WARM = 20


def main(scale: str, engine: str, seconds: str, text: str) -> None:
    with Bench(Options(scale=float(scale))) as bench:
        sqe: ThroughSqe = lakehouse(bench).sqe if engine == "spark" else local_tpch(bench).local.sqe
        for _ in range(_WARM):
            sqe.run(text)
        print("ready", flush=True)
        count, started = 0, time.perf_counter()
        cpu = time.process_time()
        while time.perf_counter() - started < float(seconds):
            sqe.run(text)
            count += 1
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        stages = sqe.last_record().stage_seconds
        print(
            f"{count} times, {took / count * 1000:.1f} ms each, {cpu / count * 1000:.1f} ms of cpu"
        )
        print(", ".join(f"{name} {s * 1000:.1f} ms" for name, s in stages.items()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
