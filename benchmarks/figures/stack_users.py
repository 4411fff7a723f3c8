"""People with tokens of a real issuer and tables in a catalog of somebody else's."""

from __future__ import annotations

from typing import Any

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.local_lake import NO_SPARK
from benchmarks.processes import program
from benchmarks.stack_lake import stack_settings

USERS = 100


def new_session(bench: Bench) -> Measured:
    answer = bench.once(_crowd)
    return Measured(answer["new_session_ms"], answer)


def users_p50(bench: Bench) -> Measured:
    answer = bench.once(_crowd)
    return Measured(answer["p50_ms"], answer)


def users_p99(bench: Bench) -> Measured:
    answer = bench.once(_crowd)
    return Measured(answer["p99_ms"], answer)


def _crowd(bench: Bench) -> dict[str, Any]:
    """A query that fails, or is answered with another's rows, fails the figures."""
    settings = {**stack_settings(bench), "SQE_SPARK__REMOTE": NO_SPARK}
    each = bench.repeats(10, 2)
    answer = program("crowd", settings, str(USERS), str(each))
    if answer["wrong"]:
        raise AssertionError(f"wrong answers: {answer['wrong']}")
    return answer
