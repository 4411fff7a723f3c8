"""TPC-DS: its tables as Iceberg, in a home of the cache, and its 99 queries."""

from __future__ import annotations

from pathlib import Path

import sqlglot

from benchmarks.bench import Bench
from benchmarks.iceberg_tables import Tables, made_home
from benchmarks.tpc_extension import extended, texts

SCHEMA = "tpcds"


def tpcds_home(bench: Bench) -> Path:
    """The home whose catalog ``lake`` has the schema ``tpcds``."""
    scale = bench.options.scale
    folder = bench.cache / f"tpcds-sf{scale:g}"

    def make(_: Path) -> Tables:
        bench.note(f"making TPC-DS at scale {scale:g} in {folder}, once")
        with extended("tpcds") as connection:
            connection.execute(f"CALL dsdgen(sf = {scale:g})")
            for (name,) in connection.execute("SHOW TABLES").fetchall():
                yield name, connection.execute(f'FROM "{name}"').to_arrow_table()

    return made_home(folder, SCHEMA, make)


def tpcds_queries() -> dict[str, tuple[str, str]]:
    """Name -> the text in Spark's words and in DuckDB's, in order."""
    return {
        name: (sqlglot.transpile(text, read="duckdb", write="spark")[0], text)
        for name, text in texts("tpcds").items()
    }
