"""How long one small query takes as a process of its own."""

from __future__ import annotations

import subprocess

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import environment, sqe_command
from benchmarks.timing import p50, timed
from benchmarks.tpch_tables import SCHEMA, tpch_home

QUERY = f"SELECT n_name, n_regionkey FROM lake.{SCHEMA}.nation ORDER BY n_name"
_ROWS = 25


def cold_query(bench: Bench) -> Measured:
    """There is no Java where SQE looks for it: a start of Spark would be an error."""
    home = bench.once(tpch_home)
    env = environment({"SQE_HOME": str(home), "SQE_SPARK__JAVA": str(home / "no-java")})
    command = [sqe_command(), "sql", "--output", "csv", QUERY]

    def run() -> None:
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        if done.returncode or len(done.stdout.splitlines()) < _ROWS:
            raise AssertionError(f"sqe sql failed: {done.stdout}{done.stderr}")

    run()  # Python compiles what has changed since
    samples = [round(timed(run)[0], 3) for _ in range(bench.repeats(7, 2))]
    return Measured(p50(samples), {"query": QUERY, "samples_s": samples})
