"""SELECTs over ``information_schema``, answered in this process."""

from sqe.engines.local.metadata.query import (
    MetadataQuery,
    describe_metadata_query,
    run_metadata_query,
)
from sqe.engines.local.plan import NotLocal

__all__ = ["MetadataQuery", "NotLocal", "describe_metadata_query", "run_metadata_query"]
