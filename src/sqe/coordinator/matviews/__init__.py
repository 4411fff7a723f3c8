"""Materialized views: made, refreshed, shown. The rows are Spark's work, the rest is done here."""
