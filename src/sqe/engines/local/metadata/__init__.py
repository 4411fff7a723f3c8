"""SELECTs over ``information_schema``, answered in this process."""

from sqe.engines.local.metadata.proven import NotLocal
from sqe.engines.local.metadata.query import (
    MetadataQuery,
    describe_metadata_query,
    run_metadata_query,
)

__all__ = ["MetadataQuery", "NotLocal", "describe_metadata_query", "run_metadata_query"]
