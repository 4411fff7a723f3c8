"""The engine inside SQE's own process: DuckDB."""
