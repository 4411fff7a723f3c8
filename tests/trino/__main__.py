"""``python -m tests.trino functions --group string``: what is the same, refused, different."""

from __future__ import annotations

import argparse
import collections
import tempfile
from pathlib import Path

from tests.trino.corpus import CATALOGS, Verdict, chosen, judge
from tests.trino.serving import Served, serving


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", choices=["functions", "queries", "errors"])
    parser.add_argument("--group", default="")
    parser.add_argument("--id", default="")
    parser.add_argument("--engine", default="auto", choices=["auto", "local", "spark"])
    parser.add_argument("--show", type=int, default=15, help="cases shown of each verdict")
    parser.add_argument("--tpch", action="store_true", help="with tpch.tiny")
    parser.add_argument("--spark", default="", help="a file with the address of a running Spark")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        given: dict[str, object] = {"catalogs": CATALOGS}
        if options.spark:
            given["spark"] = {"remote": Path(options.spark).read_text().strip()}
        with serving(Path(home), given, Path(folder) if options.tpch else None) as served:
            _run(served, options)


def _run(served: Served, options: argparse.Namespace) -> None:
    verdicts: dict[Verdict, list[tuple[str, str, str]]] = collections.defaultdict(list)
    found = list(chosen(options.corpus, options.group, options.id))
    answers = served.answers([case["sql"] for case in found], options.engine)
    for case, answer in zip(found, answers, strict=True):
        verdict, why = judge(case, answer)
        verdicts[verdict].append((case["id"], case["sql"], why))
    total = sum(map(len, verdicts.values()))
    for verdict in (Verdict.REFUSED, Verdict.DIFFERENT):
        for name, sql, why in verdicts[verdict][: options.show]:
            print(f"{verdict.value:9} {name}: {sql}\n            {why[:300]}")
    for verdict in Verdict:
        print(f"{verdict.value:9} {len(verdicts[verdict]):5} of {total}")


if __name__ == "__main__":
    main()
