"""See the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.bench import Bench, Options
from benchmarks.suites.contest import run_suite
from benchmarks.suites.page import write_page
from benchmarks.suites.sides import SIDES
from benchmarks.suites.suite import SUITES


def main(arguments: Sequence[str] | None = None) -> int:
    """1 where an engine gave other rows than SQE, or SQE none."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites", description=__doc__)
    parser.add_argument("suite", nargs="?", choices=SUITES, help="which queries")
    parser.add_argument("--scale", type=float, default=1.0, help="scale factor of the tables")
    peers = [name for name in SIDES if name != "sqe"]
    parser.add_argument("--against", nargs="*", default=peers, choices=peers, metavar="ENGINE")
    parser.add_argument("--rounds", type=int, default=3, help="warm runs of each query")
    parser.add_argument("--page", action="store_true", help="only write the page of all results")
    given = parser.parse_args(arguments)
    bad: list[str] = []
    if not given.page:
        if given.suite is None:
            parser.error("name a suite, or say --page")
        with Bench(Options(scale=given.scale)) as bench:
            result = run_suite(bench, SUITES[given.suite], given.against, given.rounds)
        print(f"written to {result.write()}", file=sys.stderr)
        bad = result.wrong + [
            f"{name}: {query.failed['sqe']}"
            for name, query in result.queries.items()
            if "sqe" in query.failed
        ]
    write_page()
    for what in bad:
        print(f"wrong {what}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
