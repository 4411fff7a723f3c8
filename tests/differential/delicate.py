"""Hand-written expressions and queries on which DuckDB and Spark are known, or likely, to differ.

They are in ``delicate_cases``: a file of expressions for each table, one of queries, and one of
queries that fail. A line is a case; a regression is a new line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.differential.evolved import QUERIES as EVOLVED_QUERIES
from tests.differential.grammar import EXPRESSION, QUERY, RISKY, Case
from tests.differential.tree import listing, node

FOLDER = Path(__file__).parent / "delicate_cases"
WHOLE = {"queries": QUERY, "failing": RISKY}


def cases() -> list[Case]:
    made: list[Case] = []
    for file in sorted(FOLDER.glob("*.sql")):
        if file.stem in WHOLE:
            made += (_query(sql, WHOLE[file.stem]) for sql in _lines(file))
        else:
            made += (_expression(text, file.stem) for text in _lines(file))
    return made + [_query(sql, QUERY) for sql in EVOLVED_QUERIES]


def _lines(file: Path) -> Iterator[str]:
    for line in file.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("--"):
            yield line.strip()


def _expression(text: str, table: str) -> Case:
    """It shares a SELECT with the others of its table."""
    item = node("item", text)
    behind = f" FROM {table}"
    tree = node("query", "SELECT ", listing("items", [item]), behind)
    return Case(f"{table}: {text}", EXPRESSION, tree, item=item, bundle=behind)


def _query(sql: str, form: str) -> Case:
    """Those whose last ORDER BY ends in the key say in which order their rows come."""
    order = sql.rpartition("ORDER BY ")[2].partition(" LIMIT")[0]
    total = "ORDER BY" in sql and ")" not in order and order.split(", ")[-1] == "id"
    return Case(sql, form, node("query", sql), ordered=total)
