"""The only catalog Spark has: per-query handles in front of the real catalogs."""
