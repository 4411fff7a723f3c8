"""DuckDB's extensions ``tpch`` and ``tpcds``: they come as wheels with the bench extra."""

from __future__ import annotations

import importlib
from pathlib import Path

import duckdb


def extended(name: str) -> duckdb.DuckDBPyConnection:
    """A database in memory with the extension loaded."""
    module = importlib.import_module(f"duckdb_extension_{name}")
    (file,) = Path(str(module.__file__)).parent.glob(f"extensions/*/{name}.duckdb_extension")
    connection = duckdb.connect()
    connection.execute(f"LOAD '{file}'")
    connection.execute("SET enable_progress_bar = false")
    return connection


def texts(name: str) -> dict[str, str]:
    """Query name -> text in DuckDB's words, in order."""
    with extended(name) as connection:
        rows = connection.execute(
            f"SELECT query_nr, query FROM {name}_queries() ORDER BY 1"
        ).fetchall()
    return {f"q{number:02d}": text.strip().rstrip(";") for number, text in rows}
