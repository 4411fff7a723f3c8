"""The statements, by where they come from. Suites of benchmarks are those of ``benchmarks``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.suites.suite import SUITES
from tests.trino import corpus
from tests.trino.generated.record import recorded

SPARK, TRINO = "Spark", "Trino"
_SHORT = {"ssb": "SSB"}


@dataclass(frozen=True)
class Suite:
    """Statements that read, of one dialect: name and text. ``where`` is the schema they mean."""

    name: str
    dialect: str
    catalog: str
    schema: str
    statements: tuple[tuple[str, str], ...]


def suites() -> Iterator[Suite]:
    """The recorded ones only where the corpora are."""
    for suite in SUITES.values():
        for dialect in (SPARK, TRINO):
            statements = tuple(suite.texts_in(dialect.lower()).items())
            yield Suite(
                _SHORT.get(suite.name, suite.title), dialect, "lake", suite.name, statements
            )
    yield Suite("generated", TRINO, "lake", "generated", tuple(_generated()))
    if corpus.FOLDER.exists():
        yield from _recorded()


def _generated() -> Iterator[tuple[str, str]]:
    """Those that a real Trino answered with rows."""
    answered = [case for case in recorded() if not case.get("error")]
    return ((str(case["id"]), str(case["sql"])) for case in answered)


def _recorded() -> Iterator[Suite]:
    """What a real Trino answered with rows."""
    for name in ("queries", "functions"):
        cases = [one for one in corpus.cases(name) if not one.get("error")]
        reads = tuple((one["id"], one["sql"]) for one in cases if _is_query(one["sql"]))
        yield Suite(f"recorded {name}", TRINO, "tpch", "tiny", reads)


def _is_query(text: str) -> bool:
    return text.lstrip("( \n").upper().startswith(("SELECT", "WITH", "VALUES", "TABLE"))
