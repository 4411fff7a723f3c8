"""What this process tells Trino's clients about itself in ``system.runtime``."""

from __future__ import annotations

from sqe.errors import ErrorCode
from sqe.history.queries import QueryHistory
from sqe.model.trino_version import VERSION
from sqe.trino.metadata import Runtime, ServerNode


def process_runtime(history: QueryHistory) -> Runtime:
    return Runtime(history.list_recent, history.list_kept, _node, _error)


def _node() -> ServerNode:
    return ServerNode("sqe", "", VERSION)


def _error(code: ErrorCode) -> tuple[str, str]:
    from sqe.trino.http.error_codes import ERRORS
    from sqe.trino.http.errors import NAMES

    error = ERRORS[NAMES[code]]
    return error.type, error.name
