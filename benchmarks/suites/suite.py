"""A suite: tables, and queries in the words of each dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlglot

from benchmarks import ssb, tpcds, tpch_tables
from benchmarks.bench import Bench
from benchmarks.tpc_extension import texts


@dataclass(frozen=True)
class Suite:
    """``queries``: as DuckDB takes them. ``home``: of the scale, made once."""

    name: str
    title: str
    schema: str
    home: Callable[[Bench], Path]
    find_queries: Callable[[], Mapping[str, str]]

    def texts_in(self, dialect: str) -> dict[str, str]:
        found = self.find_queries()
        return {name: _text_in(dialect, text) for name, text in found.items()}


SUITES: Mapping[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("tpch", "TPC-H", tpch_tables.SCHEMA, tpch_tables.tpch_home, lambda: texts("tpch")),
        Suite("tpcds", "TPC-DS", tpcds.SCHEMA, tpcds.tpcds_home, lambda: texts("tpcds")),
        Suite("ssb", "Star Schema Benchmark", ssb.SCHEMA, ssb.ssb_home, lambda: ssb.QUERIES),
    )
}


def _text_in(dialect: str, text: str) -> str:
    """Of DuckDB's text. Its division of whole numbers gives a fraction, as Spark's does."""
    if dialect == "trino":
        return _trino_text(text)
    return sqlglot.transpile(text, "duckdb", "spark")[0] if dialect == "spark" else text


def _trino_text(text: str) -> str:
    """As the standards have the queries: Trino neither reads a text as a date by itself nor groups
    by a name of the select list."""
    text = re.sub(r"(?i)(?<!date )(?<!cast\()('\d{4}-\d{2}-\d{2}')", r"DATE \1", text)
    text = re.sub(r"(?i)(d1\.d_date) \+ 5\b", r"\1 + INTERVAL '5' DAY", text)
    text = re.sub(r"(?i)group by\s+supplier_no", "GROUP BY l_suppkey", text)
    return sqlglot.transpile(text, "postgres", "trino")[0]
