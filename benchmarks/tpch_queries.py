"""The 22 queries of TPC-H, from DuckDB's extension."""

from __future__ import annotations

from benchmarks.tpc_extension import texts


def tpch_queries() -> dict[str, str]:
    """Name -> text, in order. Spark takes the texts as they are."""
    return texts("tpch")
