"""Concurrent histories and kills for as long as one likes: ``python -m tests.soak --minutes 30``.

The same tests as in ``tests/embedded/concurrency``, with other seeds each round. A round that
fails says its seed: ``--seed`` with ``--rounds 1`` runs that one again.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.settings.settings import default_home
from tests.embedded.concurrency.history import History
from tests.embedded.concurrency.killing import Table, Victim, kill_spark_during, remove_orphans
from tests.embedded.concurrency.victim import spark_settings
from tests.embedded.pipe.lake import Lake

_KILLS = 4


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    deadline = time.monotonic() + options.minutes * 60
    failures = rounds = 0
    while rounds < options.rounds and (rounds == 0 or time.monotonic() < deadline):
        for step in (histories, spark_kills, sqe_kills):
            failures += not _step(step, options.seed + rounds, options.jars)
        rounds += 1
    print(f"{rounds} rounds, {failures} failures")  # noqa: T201
    return 1 if failures else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="no new round after that")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=float, default=float("inf"))
    jars = os.environ.get("SQE_JARS") or default_home() / "jars"
    parser.add_argument("--jars", type=Path, default=Path(jars))
    return parser.parse_args(arguments)


def _step(step: Callable[[Path, Path, int], str], seed: int, jars: Path) -> bool:
    """One kind of test in a home of its own, which is kept if it fails."""
    home = Path(tempfile.mkdtemp(prefix=f"sqe-soak-{seed}-"))
    began = time.monotonic()
    try:
        told, passed = step(home, jars, seed), True
    except Exception as error:  # noqa: BLE001  a round that fails must not end the others
        told, passed = f"{type(error).__name__}: {error} (home: {home})", False
    seconds = time.monotonic() - began
    verdict = "ok" if passed else "FAILED"
    print(f"seed {seed} {step.__name__}: {verdict} in {seconds:.0f} s: {told}", flush=True)  # noqa: T201
    if passed:
        shutil.rmtree(home, ignore_errors=True)
    return passed


def histories(home: Path, jars: Path, seed: int) -> str:
    """Several sessions on each kind of table."""
    with _Opened(home, jars) as lake:
        rerun = lost = made = 0
        for version in (2, 3):
            for mode in ("copy-on-write", "merge-on-read"):
                history = History.of(lake, f"t{version}_{mode[:4]}", version, mode)
                history.run(seed, sessions=4, each=8)
                history.check(reader=lake.another_session(engine="auto"))
                made += len(history.done)
                lost += sum(1 for done in history.done if done.error)
                routes = [lake.record(done.query_id).route for done in history.done]
                rerun += sum(1 for route in routes if route and "run again" in route.reason)
        return f"{made} statements, {rerun} run again, {lost} told of a conflict"


def spark_kills(home: Path, jars: Path, seed: int) -> str:
    rng = random.Random(seed)
    with _Opened(home, jars) as lake:
        table = Table.made(lake, lake.another_session(engine="auto"), "lost", seed)
        errors = [kill_spark_during(lake, table, rng) for _ in range(_KILLS)]
        orphans = remove_orphans(lake, table)
        done = errors.count(None)
        return f"{_KILLS} kills, {done} writes committed all the same, {orphans} orphans removed"


def sqe_kills(home: Path, jars: Path, seed: int) -> str:
    """Each SQE has a Spark of its own, which must die with it."""
    rng = random.Random(seed)
    with _Opened(home, jars) as lake:
        table = Table.made(lake, lake.another_session(engine="auto"), "killed", seed)
    # No second Spark beside the victim's: this one only reads, with the local engine.
    with _Opened(home, jars) as lake:
        table.reader = lake.another_session(engine="local")
        for _ in range(_KILLS):
            Victim(table, home, str(jars)).watch_and_kill(rng.randint(0, 4), rng.uniform(0, 2))
        orphans = remove_orphans(lake, table)
        return f"{_KILLS} kills, {len(table.numbers)} writes, {orphans} orphans removed"


class _Opened:
    """A server on a home, closed at the end."""

    def __init__(self, home: Path, jars: Path) -> None:
        self._server: Server = build(Settings(home=home, spark=spark_settings(str(jars))))

    def __enter__(self) -> Lake:
        return Lake.open(self._server)

    def __exit__(self, *_: object) -> None:
        self._server.close()


if __name__ == "__main__":
    sys.exit(main())
