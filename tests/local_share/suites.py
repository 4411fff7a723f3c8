"""The statements, by where they come from. Texts of TPC come from DuckDB's extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot

from benchmarks.tpc_extension import texts
from tests.trino import corpus
from tests.trino.generated.record import recorded

SPARK, TRINO = "Spark", "Trino"


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
    for name, title in (("tpch", "TPC-H"), ("tpcds", "TPC-DS")):
        for dialect in (SPARK, TRINO):
            statements = tuple(_written_for(dialect, texts(name)).items())
            yield Suite(title, dialect, "lake", name, statements)
    yield Suite("generated", TRINO, "lake", "generated", tuple(_generated()))
    if corpus.FOLDER.exists():
        yield from _recorded()


def _written_for(dialect: str, found: dict[str, str]) -> dict[str, str]:
    """DuckDB's division of whole numbers gives a fraction, as Spark's does; to Trino the queries
    are as their standard has them."""
    if dialect == SPARK:
        return {name: sqlglot.transpile(text, "duckdb", "spark")[0] for name, text in found.items()}
    return {name: _in_standard_words(text) for name, text in found.items()}


def _in_standard_words(text: str) -> str:
    """Trino neither reads a text as a date by itself nor groups by a name of the select list."""
    text = re.sub(r"(?i)(?<!date )(?<!cast\()('\d{4}-\d{2}-\d{2}')", r"DATE \1", text)
    text = re.sub(r"(?i)(d1\.d_date) \+ 5\b", r"\1 + INTERVAL '5' DAY", text)
    text = re.sub(r"(?i)group by\s+supplier_no", "GROUP BY l_suppkey", text)
    return sqlglot.transpile(text, "postgres", "trino")[0]


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
