"""Spark's SQL as the core knows it: a dialect whose statements may be several, or a script."""
