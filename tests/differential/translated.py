"""Statements in Trino's SQL: what the dialect writes has to mean the same to both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.differential.grammar import QUERY, Case
from tests.differential.judge import Judge
from tests.differential.sides import LOCAL, SPARK, Lakehouse
from tests.differential.tree import node
from tests.local_share.lake import fill
from tests.local_share.suites import TRINO, Suite, suites

FILE = Path(__file__).parent / "delicate_cases" / "translated" / "numbers.sql"
# Spark fails here, and the local engine has Trino's answer.
_SPARK_FAILS = {"groupby-023": "grouping() in HAVING, of a column that is selected by another name"}


def load(lakehouse: Lakehouse) -> None:
    """Once per home."""
    fill(lakehouse.server)


def cases() -> Iterator[tuple[Suite, list[Case]]]:
    """With the schema that they mean."""
    for suite in suites():
        if suite.dialect == TRINO:
            asked = (one for one in suite.statements if one[0] not in _SPARK_FAILS)
            yield suite, [Case(name, QUERY, node("query", text)) for name, text in asked]


def judge(lakehouse: Lakehouse, catalog: str, schema: str) -> Judge:
    """Texts are not made smaller: they are no trees of the generator's."""
    spark, local = (lakehouse.trino_side(engine, catalog, schema) for engine in (SPARK, LOCAL))
    return Judge(spark, local, shrinks=False)


def delicate_cases() -> list[Case]:
    lines = (line.strip() for line in FILE.read_text("utf-8").splitlines())
    texts = [line for line in lines if line and not line.startswith("--")]
    return [Case(text, QUERY, node("query", text)) for text in texts]
