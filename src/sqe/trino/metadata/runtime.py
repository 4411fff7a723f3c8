"""``system.runtime`` and ``system.history``: queries that a user may see, and the one node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqe.catalog.listing import Condition
from sqe.catalog.transaction import current
from sqe.errors import ErrorCode
from sqe.history.columns import Row, history_row, runtime_row
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord

Conditions = Sequence[Condition]


@dataclass(frozen=True, slots=True)
class ServerNode:
    """This process as clients reach it."""

    id: str
    uri: str
    version: str


@dataclass(frozen=True)
class Runtime:
    """What the process tells about itself. Of queries, those that a user may see: ``recent`` ones,
    and all that are ``kept``."""

    recent: Callable[[Identity, Conditions], Iterable[QueryRecord]]
    kept: Callable[[Identity, Conditions], Iterable[QueryRecord]]
    node: Callable[[], ServerNode]
    error: Callable[[ErrorCode], tuple[str, str]]  # Trino's type and name for a code


# Of a process that serves nobody.
NO_RUNTIME = Runtime(
    lambda identity, conditions: (),
    lambda identity, conditions: (),
    lambda: ServerNode("sqe", "", ""),
    lambda code: ("", code.name),
)


def node_rows(runtime: Runtime) -> Iterator[Row]:
    node = runtime.node()
    yield node.id, node.uri, node.version, True, "active"


def query_rows(runtime: Runtime, identity: Identity, conditions: Conditions) -> Iterator[Row]:
    for record in runtime.recent(identity, conditions):
        code = ErrorCode.__members__.get(record.error_code)
        yield runtime_row(record, runtime.error(code) if code is not None else (None, None))


def history_rows(runtime: Runtime, identity: Identity, conditions: Conditions) -> Iterator[Row]:
    for record in runtime.kept(identity, conditions):
        yield history_row(record)


def transaction_rows() -> Iterator[Row]:
    """The one that the statement is part of. When it began is not kept."""
    transaction = current()
    if transaction is not None:
        began = (None, None)
        catalogs = (None, None)
        yield transaction.id, "READ UNCOMMITTED", transaction.read_only, False, *began, *catalogs
