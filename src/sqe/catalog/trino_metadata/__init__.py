"""The rows of Trino's own relations: what one user sees of all catalogs and of this process."""

from sqe.catalog.trino_metadata.rows import trino_rows
from sqe.catalog.trino_metadata.runtime import NO_RUNTIME, Runtime, ServerNode
from sqe.catalog.trino_metadata.viewer import Viewer

__all__ = ["NO_RUNTIME", "Runtime", "ServerNode", "Viewer", "trino_rows"]
