"""``python -m tests.trino functions --group string``: what is the same, refused, different."""

from __future__ import annotations

import argparse
import collections
import tempfile
from pathlib import Path

from sqe.model.identity import Identity
from sqe.server.build import build
from sqe.settings import Settings
from tests.trino.asking import Asker
from tests.trino.corpus import CATALOGS, Verdict, chosen, judge
from tests.trino.tpch import make_tiny


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
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as loadable:
        spark = {"remote": Path(options.spark).read_text()} if options.spark else {}
        settings = Settings(
            home=Path(folder),
            spark=spark,
            catalogs=CATALOGS,
            load={"folders": [loadable]},
        )
        server = build(settings)
        try:
            session = server.gateway.open_session(Identity(user="lab"))
            asker = Asker(server.gateway, session.id)
            if options.tpch:
                make_tiny(asker, Path(loadable))
            if options.engine != "auto":
                session.set_property("sqe.engine", options.engine)
            _run(asker, options)
        finally:
            server.close()


def _run(asker: Asker, options: argparse.Namespace) -> None:
    verdicts: dict[Verdict, list[tuple[str, str, str]]] = collections.defaultdict(list)
    for case in chosen(options.corpus, options.group, options.id):
        answer = asker.trino(case["sql"])
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
