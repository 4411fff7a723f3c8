"""What Trino's clients ask about: its own relations, the metadata tables of Iceberg, types."""

from sqe.sql.trino.metadata.relations import MetadataRelation, TrinoColumn, metadata_relation
from sqe.sql.trino.metadata.tables import metadata_table

__all__ = ["MetadataRelation", "TrinoColumn", "metadata_relation", "metadata_table"]
