"""The long form: ``python -m tests.differential --cases 50000 --seed 1``.

It goes on where an interrupted run with the same seed ended; ``--fresh`` starts again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from sqe.settings.settings import default_home
from tests.differential import delicate, order_names, third, tpc
from tests.differential.cached import Answers, CachedSide, fingerprint
from tests.differential.clauses import EVERY_CLAUSE
from tests.differential.expressions import EVERYTHING
from tests.differential.judge import Judge
from tests.differential.palettes import accepted
from tests.differential.relations import with_their_past
from tests.differential.runner import Tally, run_cases, run_generated
from tests.differential.sides import LOCAL, SPARK, Lakehouse, open_lakehouse, pair
from tests.differential.sweep import sweep

# Time zones take turns: most differences in moments show only where clocks change.
ZONES = ("UTC", "Europe/Berlin", "America/New_York")


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    folder = Path(options.folder).absolute()  # Spark works in a folder of its own
    folder.mkdir(parents=True, exist_ok=True)
    jars = Path(os.environ.get("SQE_JARS") or default_home() / "jars")
    lakehouse = open_lakehouse(folder / f"home-{fingerprint()}", jars, memory="2g", quick=True)
    try:
        lakehouse.load()
        lakehouse.side(LOCAL).must("SELECT id FROM one")
        return _run(lakehouse, options, folder)
    finally:
        lakehouse.close()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time budget")
    parser.add_argument("--folder", default="build/differential", help="lakehouse and checkpoints")
    parser.add_argument("--zone", choices=ZONES, help="only this one; otherwise they take turns")
    parser.add_argument("--all", action="store_true", help="draw from what is refused, too")
    parser.add_argument("--fresh", action="store_true", help="forget checkpoint and answers")
    return parser.parse_args(arguments)


def _run(lakehouse: Lakehouse, options: argparse.Namespace, folder: Path) -> int:
    spark = lakehouse.side(SPARK)
    tables = with_their_past(spark)
    everything = replace(EVERYTHING, tables=tables)
    palette = everything if options.all else accepted(lakehouse.side(LOCAL).takes, tables)
    _say(f"refused clauses: {', '.join(sorted(EVERY_CLAUSE - palette.clauses)) or 'none'}")
    opinion = third.DataFusion(spark)
    answers = Answers(folder, fresh=options.fresh)
    zones = (options.zone,) if options.zone else ZONES
    turns = [
        [
            Judge(
                CachedSide(lakehouse.side(SPARK, zone), answers, zone),
                lakehouse.side(LOCAL, zone),
                opinion,
            )
            for _ in range(2)
        ]
        for zone in zones
    ]
    saved = folder / f"seed-{options.seed}-{(options.zone or 'all').replace('/', '-')}.json"
    report = saved.with_suffix(".md")
    tally = Tally(heard=lambda found: _say(f"{found}\n"))
    if saved.exists() and not options.fresh:
        tally.next_case = int(json.loads(saved.read_text())["next_case"])
    else:
        report.unlink(missing_ok=True)
        for judges in turns:
            known = [*delicate.cases(), *order_names.cases()]
            run_cases([*known, *sweep(options.seed, palette)], judges, tally)
        _run_benchmarks(lakehouse, tally)
    started = time.monotonic()

    def checkpoint(so_far: Tally) -> None:
        saved.write_text(json.dumps({"next_case": so_far.next_case}))
        report.write_text("\n\n".join(map(str, [*so_far.causes(), *so_far.nullability])) + "\n")
        _say(f"{so_far.summary()} ({time.monotonic() - started:.0f} s)")

    run_generated(
        turns, palette, options.seed, options.cases,
        tally=tally, seconds=options.minutes * 60, checkpoint=checkpoint,
    )  # fmt: skip
    _say(f"local engine: {lakehouse.server.state.local.figures}")
    sys.stdout.write("".join(f"{difference}\n\n" for difference in tally.causes()))
    sys.stdout.write(f"{tally.summary()}\n")
    return 0 if tally.passed else 1


def _run_benchmarks(lakehouse: Lakehouse, tally: Tally) -> None:
    for benchmark in (tpc.TPCH, tpc.TPCDS):
        tpc.load(benchmark, lakehouse)
        judges = [Judge(*pair(lakehouse, schema=benchmark.name)) for _ in range(2)]
        run_cases(tpc.cases(benchmark), judges, tally)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
