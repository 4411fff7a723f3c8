"""Whole suites of queries, asked of SQE and of other engines on the same files.

``python -m benchmarks.suites tpch --scale 0.1 --against trino spark duckdb`` measures and compares
the rows; the results are in ``benchmarks/results/suites``, and the page of all of them is
``docs/reference/benchmarks.md`` (``--page`` writes it anew).
"""
