"""How long ``sqe --help`` takes."""

from __future__ import annotations

import subprocess

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import environment, sqe_command
from benchmarks.timing import in_ms, p50, timed


def cli_help(bench: Bench) -> Measured:
    env = environment()

    def run() -> None:
        subprocess.run([sqe_command(), "--help"], env=env, stdout=subprocess.DEVNULL, check=True)

    run()  # Python compiles what has changed since
    samples = in_ms([timed(run)[0] for _ in range(5)])
    return Measured(p50(samples), {"samples_ms": samples})
