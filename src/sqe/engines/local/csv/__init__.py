"""CSV files read by DuckDB, into Parquet files that Spark loads."""
