"""A warehouse in another folder: Iceberg's files name each other by absolute paths."""
