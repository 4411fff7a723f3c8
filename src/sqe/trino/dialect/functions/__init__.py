"""Trino's functions: each with its signatures and the Spark SQL that computes it."""
