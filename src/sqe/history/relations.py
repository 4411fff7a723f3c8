"""``system.runtime.queries`` and ``system.history.queries`` in Spark's dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import ListingFilter
from sqe.history.columns import (
    HISTORY,
    HISTORY_COLUMNS,
    QUERIES,
    RESOURCE_GROUP,
    RUNTIME,
    RUNTIME_COLUMNS,
    SYSTEM,
    error_of,
    history_row,
    runtime_row,
)
from sqe.history.queries import QueryHistory
from sqe.model.identity import Identity
from sqe.results.arrow_types import arrow_schema

PROVIDER = "history"
# Without what only Spark reads, and SQE does not have.
_RUNTIME = tuple(column for column in RUNTIME_COLUMNS if column != RESOURCE_GROUP)
_COLUMNS = {RUNTIME: _RUNTIME, HISTORY: HISTORY_COLUMNS}


_ALL = {RUNTIME: RUNTIME_COLUMNS, HISTORY: HISTORY_COLUMNS}


class SystemRelations:
    """Implements ``binding.binder.ReservedRelations``: below ``system``, which may be the name of
    something else as well."""

    exclusive = False

    def find(self, parts: Sequence[str], catalogs: Sequence[str]) -> BoundMetadata | None:
        schema, *table = (part.lower() for part in parts)
        if table != [QUERIES] or schema not in _COLUMNS:
            return None
        return BoundMetadata(SYSTEM, QUERIES, _COLUMNS[schema], schema, provider=PROVIDER)


class HistoryRows:
    """Implements ``engines.metadata.MetadataProvider``."""

    def __init__(self, history: QueryHistory) -> None:
        self._history = history

    def rows(
        self,
        relation: BoundMetadata,
        wanted: ListingFilter,
        identity: Identity,
        check: Callable[[], None],
    ) -> pa.Table:
        check()
        if relation.schema == HISTORY:
            records = self._history.list_kept(identity, wanted.conditions)
            rows = [history_row(record) for record in records]
        else:
            records = self._history.list_recent(identity, wanted.conditions)
            rows = [runtime_row(record, error_of(record)) for record in records]
        types = arrow_schema(_ALL[relation.schema])
        columns = [pa.array([row[i] for row in rows], one.type) for i, one in enumerate(types)]
        table = pa.Table.from_arrays(columns, schema=types)
        return table.select([column.name for column in relation.columns])
