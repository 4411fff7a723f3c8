"""DuckDB SQL from a Spark statement, made only of what is proven to mean the same."""
