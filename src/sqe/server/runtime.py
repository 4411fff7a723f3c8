"""What this process tells Trino's clients about itself in ``system.runtime``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord
from sqe.model.trino_version import VERSION
from sqe.trino.metadata import Runtime, ServerNode


def process_runtime(records: Callable[[Identity], Iterable[QueryRecord]]) -> Runtime:
    """``records`` of those queries of the process that a user may see."""
    return Runtime(records, _node, _error)


def _node() -> ServerNode:
    return ServerNode("sqe", "", VERSION)


def _error(code: ErrorCode) -> tuple[str, str]:
    from sqe.trino.http.error_codes import ERRORS
    from sqe.trino.http.errors import NAMES

    error = ERRORS[NAMES[code]]
    return error.type, error.name
