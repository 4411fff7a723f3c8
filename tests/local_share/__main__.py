"""See the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.local_share.lake import open_lake
from tests.local_share.page import Share, most_common, page
from tests.local_share.suites import suites

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "local-share.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.local_share", description=__doc__)
    parser.add_argument("--show", help="print the statements of this suite that are Spark's")
    parser.add_argument("--why", default="", help="with --show: only where the reason holds this")
    parser.add_argument("--home", type=Path, help="keep the tables here for the next run")
    options = parser.parse_args()
    shares = []
    with tempfile.TemporaryDirectory() as other, open_lake(options.home or Path(other)) as lake:
        for suite in suites():
            if not options.show or suite.name.startswith(options.show):
                share = Share(suite, tuple(lake.outcomes(suite)))
                shares.append(share)
                _say(share.summary())
    if options.show:
        _show(shares, options.why)
    else:
        _PAGE.write_text(page(shares), encoding="utf-8")


def _show(shares: list[Share], why: str) -> None:
    for share in shares:
        for (name, text), outcome in zip(share.suite.statements, share.outcomes, strict=True):
            if not outcome.ran and why in outcome.message:
                _say(f"{share.suite.dialect} {name}: {outcome.message}\n    {text}")
    for reason, count in most_common(shares):
        _say(f"{count:5} {reason}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
