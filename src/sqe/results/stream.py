"""A result: columns, an Arrow schema, and batches that come as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from sqe.model.query import Column, Outcome, RowsAffected
from sqe.results.arrow_types import arrow_schema, batch_of_rows


def _do_nothing() -> None:
    return None


class ResultStream:
    """Nothing is computed ahead of the reader but what the source buffers by itself.

    Iterate once. ``close`` may be called at any time, also from another thread and more than
    once; it frees what the source holds. ``affected`` is known when all batches are read.
    """

    def __init__(  # noqa: PLR0913  all but three have defaults
        self,
        columns: Sequence[Column],
        schema: pa.Schema,
        batches: Iterable[pa.RecordBatch],
        close: Callable[[], None] = _do_nothing,
        affected: Callable[[], RowsAffected | None] = _do_nothing,
        outcome: Outcome | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self.schema = schema
        self._batches = iter(batches)
        self._close = close
        self._affected = affected
        self.outcome = outcome or Outcome()

    def on_close(self, callback: Callable[[], None]) -> None:
        """Calls back once it is closed, maybe more than once."""
        close = self._close

        def close_and_call() -> None:
            try:
                close()
            finally:
                callback()

        self._close = close_and_call

    @property
    def rows_affected(self) -> RowsAffected | None:
        """How many rows a write changed; None for a read, and where it is not known exactly."""
        return self._affected()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._batches

    def close(self) -> None:
        self._close()

    def __enter__(self) -> ResultStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_all(self) -> pa.Table:
        """Everything at once, for answers known to be small."""
        return pa.Table.from_batches(list(self), schema=self.schema)


def result_of_rows(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> ResultStream:
    """A small result made by SQE itself."""
    schema = arrow_schema(columns)
    return ResultStream(columns, schema, [batch_of_rows(schema, rows)])
