"""The rows of Trino's own relations: what one user sees of all catalogs and of this process."""

from sqe.trino.metadata.rows import trino_rows
from sqe.trino.metadata.runtime import NO_RUNTIME, Runtime, ServerNode
from sqe.trino.metadata.viewer import Viewer

__all__ = ["NO_RUNTIME", "Runtime", "ServerNode", "Viewer", "trino_rows"]
