"""A result on its way to a client: the engine's own batches, cut where they are too large."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.types as kinds

from sqe.errors import SqeError
from sqe.protocols.flight_sql.errors import flight_error, sqe_error
from sqe.results.sizes import batch_bytes


class Batches:
    """What pyarrow pulls from. It ends with the client: read, cancelled or gone, ``close`` runs."""

    def __init__(
        self,
        batches: Iterator[pa.RecordBatch],
        close: Callable[[], None],
        limit: int,
        add_trailer: Callable[[str, bytes], None],
    ) -> None:
        self._batches = batches
        self._close = close
        self._limit = limit
        self._add_trailer = add_trailer
        self._waiting: list[pa.RecordBatch] = []

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> pa.RecordBatch:
        try:
            if not self._waiting:
                self._waiting = split_batch(next(self._batches), self._limit)[::-1]
            return self._waiting.pop()
        except StopIteration:
            self._close()
            raise
        except Exception as error:  # noqa: BLE001  nothing but our errors may reach the client
            self._close()
            raise self._flight_error(sqe_error(error)) from None

    def _flight_error(self, error: SqeError) -> Exception:
        return flight_error(error, self._add_trailer)


def all_nullable(schema: pa.Schema) -> pa.Schema:
    """The schema with NULLs allowed everywhere, so that batches with and without them fit."""
    return pa.schema([_nullable(field) for field in schema], metadata=schema.metadata)


def _nullable(field: pa.Field) -> pa.Field:
    kind = field.type
    if kinds.is_struct(kind):
        kind = pa.struct([_nullable(member) for member in kind])
    elif kinds.is_list(kind):
        kind = pa.list_(_nullable(kind.value_field))
    elif kinds.is_map(kind):
        key = _nullable(kind.key_field).with_nullable(False)
        kind = pa.map_(key, _nullable(kind.item_field))
    return field.with_type(kind).with_nullable(True)


def split_batch(batch: pa.RecordBatch, limit: int) -> list[pa.RecordBatch]:
    """The batch in parts of at most ``limit`` bytes each, but of one row at least."""
    if batch.num_rows <= 1 or batch_bytes(batch) <= limit:
        return [batch]
    half = batch.num_rows // 2
    return split_batch(batch.slice(0, half), limit) + split_batch(batch.slice(half), limit)
