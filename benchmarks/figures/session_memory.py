"""How much memory an idle session takes."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.processes import program


def session_mb(bench: Bench) -> Measured:
    # A Spark that cannot be reached: a session of Spark's cannot hide in the figure.
    settings = {"SQE_HOME": str(bench.folder()), "SQE_SPARK__REMOTE": "sc://127.0.0.1:9"}
    answer = program("sessions", settings, str(bench.repeats(100, 10)))
    return Measured(answer["session_mb"], answer)
