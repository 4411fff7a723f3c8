"""The long form: ``python -m tests.policy --cases 20000 --seed 1``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from sqe.server.build import build
from sqe.settings import Settings
from sqe.settings.settings import LogSettings, default_home
from tests.differential.sides import QUICK_CONF
from tests.policy.hashing import POLICY
from tests.policy.oracle import ENGINES, SHARES, Oracle
from tests.policy.worlds import Generated
from tests.small_spark import small_spark


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.policy", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=ENGINES, help="only this one")
    options = parser.parse_args(arguments)
    rules = Generated()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        server = build(
            Settings(
                home=Path(home) / "sqe",
                spark=small_spark(
                    Path(os.environ.get("SQE_JARS") or default_home() / "jars"),
                    driver_memory="2g",
                    server_conf={},  # a long run: what Java compiles well pays
                    session_conf=QUICK_CONF,
                ),
                log=LogSettings(audit=False),
                policy=POLICY,
            ),
            (rules,),
        )
        shares = dict(zip(ENGINES, SHARES, strict=True))
        engines = {options.engine: 1} if options.engine else shares
        oracle = Oracle(server, rules, options.seed, engines, heard=lambda one: _say(f"{one}\n"))
        try:
            tally = oracle.run(options.cases)
            _say(f"local engine: {server.state.local.figures}")
        finally:
            server.close()
    _say(f"seed {options.seed}, {time.monotonic() - started:.0f} s, {tally.left.most_common(5)}")
    sys.stdout.write(f"{tally.summary()}\n")
    return 1 if tally.differences else 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
