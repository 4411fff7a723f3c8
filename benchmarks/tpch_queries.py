"""The 22 queries of TPC-H, from DuckDB's extension: it comes as a wheel with the bench extra."""

from __future__ import annotations

import importlib
from pathlib import Path

import duckdb


def tpch_queries() -> dict[str, str]:
    """Name -> text, in order. Spark takes the texts as they are."""
    module = importlib.import_module("duckdb_extension_tpch")
    (extension,) = Path(str(module.__file__)).parent.glob("extensions/*/tpch.duckdb_extension")
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        rows = connection.execute(
            "SELECT query_nr, query FROM tpch_queries() ORDER BY 1"
        ).fetchall()
    return {f"q{number:02d}": text.strip().rstrip(";") for number, text in rows}
