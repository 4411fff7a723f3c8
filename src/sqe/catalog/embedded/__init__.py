"""SQE's own Iceberg catalog: SQLite in the JDBC catalog's layout, metadata applied as JSON."""

from sqe.catalog.embedded.catalog import EmbeddedCatalog

__all__ = ["EmbeddedCatalog"]
