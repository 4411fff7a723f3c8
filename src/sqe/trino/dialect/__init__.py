"""Trino's SQL, translated to Spark's: the same answer, names and types, or a refusal by name."""
