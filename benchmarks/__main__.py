"""``python -m benchmarks``: measures the figures, prints a line for each, writes the result."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench import QUICK_SCALE, Bench, Options
from benchmarks.figure import Figure, NotMeasured
from benchmarks.figures import FIGURES
from benchmarks.machine import machine
from benchmarks.report import (
    RESULTS,
    FigurePart,
    absent_part,
    failed_part,
    measured_part,
    new_report,
)


def main(
    arguments: Sequence[str] | None = None,
    figures: Sequence[Figure] = FIGURES,
    results: Path = RESULTS,
) -> int:
    """0 also when a target is missed; 1 when a figure could not be measured."""
    given = _parser(figures).parse_args(arguments)
    if given.list:
        for figure in figures:
            print(f"{figure.name} {figure.target or '-'} {figure.unit}  {figure.meaning}")
        return 0
    scale = given.scale or (QUICK_SCALE if given.quick else 1.0)
    options = Options(scale=scale, quick=given.quick)
    wanted = [figure for figure in figures if not given.only or figure.name in given.only]
    where = machine()
    with Bench(options) as bench:
        parts = [_measure(figure, bench) for figure in wanted]
    complete = options.full and len(wanted) == len(figures)
    path = new_report(scale, complete, parts, where).write(results)
    _summary(parts)
    print(f"written to {path}", file=sys.stderr)
    return 1 if any(part.error for part in parts) else 0


def _parser(figures: Sequence[Figure]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [figure.name for figure in figures]
    parser.add_argument("--list", action="store_true", help="say what is measured, and stop")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, help="these figures")
    parser.add_argument("--scale", type=float, help="TPC-H scale factor; 1 unless --quick")
    parser.add_argument(
        "--quick", action="store_true", help="small data, few runs: does the harness work?"
    )
    return parser


def _measure(figure: Figure, bench: Bench) -> FigurePart:
    bench.note(f"measuring {figure.name}: {figure.meaning}")
    started = time.perf_counter()
    try:
        measured = figure.measure(bench)
    except NotMeasured as absent:
        bench.note(f"not measured {figure.name}: {absent}")
        return absent_part(figure, str(absent), time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001  the other figures are still worth having
        traceback.print_exc()
        bench.note(f"failed {figure.name} {error}")
        return failed_part(figure, error, time.perf_counter() - started)
    part = measured_part(figure, measured, time.perf_counter() - started)
    print(f"figure {part.name} {part.value} {part.unit}", flush=True)
    if not part.ok:
        bench.note(f"missed {part.name} {part.value} {figure.target}")
    return part


def _summary(parts: Sequence[FigurePart]) -> None:
    rows = [("figure", "value", "unit", "target", "", "took")]
    for part in parts:
        none = "failed" if part.error else "absent"
        value = none if part.value is None else f"{part.value:g}"
        target = f"{part.target.comparison}{part.target.limit:g}" if part.target else "-"
        verdict = "ok" if part.ok else "MISSED"
        rows.append((part.name, value, part.unit, target, verdict, f"{part.seconds:.1f} s"))
    print(file=sys.stderr)
    for name, value, unit, target, verdict, took in rows:
        line = f"{name:30} {value:>9} {unit:6} {target:>7} {verdict:7} {took:>8}"
        print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
