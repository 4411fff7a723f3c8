"""The engine inside SQE's own process: DuckDB. For now it answers queries over metadata only."""
