"""What Trino's clients ask about: its own relations, the metadata tables of Iceberg, types."""

from sqe.trino.dialect.metadata.relations import MetadataRelation, TrinoColumn, metadata_relation
from sqe.trino.dialect.metadata.tables import metadata_table

__all__ = ["MetadataRelation", "TrinoColumn", "metadata_relation", "metadata_table"]
