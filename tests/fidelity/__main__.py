"""The whole corpus in shares: ``python -m tests.fidelity --minutes 7``, again until it is done.

It goes on where the run before it ended, prints what is not Spark's, and writes the page with
the engines that were given every file. ``--fresh`` forgets what was run.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fidelity.corpus import CorpusFile, corpus_root, read_corpus
from tests.fidelity.gateway_target import AUTO, ENGINES, EngineTarget, GatewayTarget
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.page import page
from tests.fidelity.report import Report, describe
from tests.fidelity.runner import run_file
from tests.small_spark import JARS

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "reference" / "spark-fidelity.md"
BAD = (Outcome.DIFFERENT, Outcome.FAILED)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    root = corpus_root(REPOSITORY)
    if root is None:
        raise SystemExit("the corpus is not here: set SQE_CORPORA")
    files = list(read_corpus(root, tuple(options.files) or None))
    results = Results(Path(options.folder))
    if options.fresh:
        results.forget(files, options.engines)
    todo = [
        (engine, file)
        for engine in options.engines
        for file in files
        if results.read(engine, file) is None
    ]
    if todo:
        _run(todo, results, time.monotonic() + options.minutes * 60)
    bad = _report(results, files, options.engines)
    if not options.files:
        _write_page(results, files)
    return 1 if bad else 0


class Results:
    """What came of each file with each engine, kept between runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, engine: str, file: CorpusFile) -> Path:
        return self.folder / engine / (file.name.replace("/", "+") + ".pickle")

    def read(self, engine: str, file: CorpusFile) -> list[Result] | None:
        path = self._path(engine, file)
        return list(pickle.loads(path.read_bytes())) if path.exists() else None

    def keep(self, engine: str, file: CorpusFile, found: list[Result]) -> None:
        path = self._path(engine, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))

    def forget(self, files: list[CorpusFile], engines: list[str]) -> None:
        for engine in engines:
            for file in files:
                self._path(engine, file).unlink(missing_ok=True)

    def report(self, engine: str, files: list[CorpusFile]) -> Report:
        return Report(tuple(result for file in files for result in self.read(engine, file) or ()))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fidelity", description=__doc__)
    parser.add_argument("files", nargs="*", help="only these files of the corpus")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time budget")
    parser.add_argument("--folder", default="build/fidelity", help="what was run already")
    parser.add_argument("--fresh", action="store_true", help="forget what was run")
    return parser.parse_args(arguments)


def _run(todo: list[tuple[str, CorpusFile]], results: Results, until: float) -> None:
    folder = results.folder.absolute()  # Spark works in a folder of its own
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        GatewayTarget(Path(home), JARS) as target,
    ):
        for done, (engine, file) in enumerate(todo):
            if time.monotonic() > until:
                _say(f"{len(todo) - done} files are left: run it again")
                return
            results.keep(engine, file, list(run_file(EngineTarget(target, engine), file)))
            _say(f"{engine} {file.name}")


def _report(results: Results, files: list[CorpusFile], engines: list[str]) -> int:
    bad = 0
    for engine in engines:
        report = results.report(engine, files)
        for text in _wrong(report):
            bad += 1
            sys.stdout.write(f"--- {engine}: {text}\n")
        sys.stdout.write(f"{engine}, {report.files} of {len(files)} files: {report.summary()}\n")
    return bad


def _wrong(report: Report) -> Iterator[str]:
    return (describe(result) for result in report.results if result.outcome in BAD)


def _write_page(results: Results, files: list[CorpusFile]) -> None:
    reports = {engine: results.report(engine, files) for engine in ENGINES}
    whole = {engine: report for engine, report in reports.items() if report.files == len(files)}
    if AUTO in whole:
        PAGE.write_text(page(whole), "utf-8")
        _say(f"wrote {PAGE.relative_to(REPOSITORY)}")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
