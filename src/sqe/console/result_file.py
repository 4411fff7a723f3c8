"""The rows of one result, on disk as they come, and any part of them again.

Each batch is one Arrow message at a known place, so that a page is read without the rest, also
while more rows are coming.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column

_KEPT_ORDERS = 2  # sorted views of one result that are remembered


class ResultFile:
    """One thread appends; any may read."""

    def __init__(self, path: Path, columns: Sequence[Column], schema: pa.Schema) -> None:
        self.columns = tuple(columns)
        self.schema = schema
        self._path = path
        self._file = path.open("xb", buffering=0)
        self._lock = threading.Lock()
        self._first_rows: list[int] = []  # of each batch
        self._places: list[tuple[int, int]] = []  # of each batch: where, how long
        self._orders: dict[tuple[int, bool], pa.Array] = {}
        self.rows = 0
        self.bytes = 0

    def append(self, batch: pa.RecordBatch) -> None:
        if not batch.num_rows:
            return
        message = batch.serialize()
        self._file.write(message)
        with self._lock:
            self._first_rows.append(self.rows)
            self._places.append((self.bytes, message.size))
            self.rows += batch.num_rows
            self.bytes += message.size

    def page(self, start: int, count: int) -> pa.RecordBatch:
        """Rows in the order in which they came; fewer where there are no more."""
        with self._lock:
            end = min(start + count, self.rows)
            if start >= end:
                return pa.RecordBatch.from_arrays(
                    [pa.array([], kind) for kind in self.schema.types], schema=self.schema
                )
            first = bisect_right(self._first_rows, start) - 1
            last = bisect_right(self._first_rows, end - 1)
            offset = start - self._first_rows[first]
            places = self._places[first:last]
        batches = [self._read(place) for place in places]
        table = pa.Table.from_batches(batches, self.schema).slice(offset, end - start)
        return table.combine_chunks().to_batches()[0]

    def page_in_order(
        self, column: int, descending: bool, start: int, count: int
    ) -> pa.RecordBatch:
        """Rows in the order of a column, NULLs last; of rows that are all there."""
        order = self._order(column, descending)
        wanted = order.slice(start, count)
        table = pa.Table.from_batches(list(self.batches()), self.schema)
        batches = table.take(wanted).combine_chunks().to_batches()
        return batches[0] if batches else self.page(self.rows, 0)

    def _order(self, column: int, descending: bool) -> pa.Array:
        key = (column, descending)
        if key in self._orders:
            return self._orders[key]
        values = pa.chunked_array(
            [batch.column(column) for batch in self.batches()], self.schema.types[column]
        )
        direction = "descending" if descending else "ascending"
        try:
            order = pc.sort_indices(values, sort_keys=[("", direction)])
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, TypeError):
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"A column of type {self.columns[column].type} cannot be sorted here.",
                hint="Write ORDER BY into the statement.",
            ) from None
        while len(self._orders) >= _KEPT_ORDERS:
            self._orders.pop(next(iter(self._orders)))
        self._orders[key] = order
        return order

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All that are there now."""
        with self._lock:
            places = list(self._places)
        for place in places:
            yield self._read(place)

    def _read(self, place: tuple[int, int]) -> pa.RecordBatch:
        offset, size = place
        with pa.memory_map(str(self._path)) as source:
            source.seek(offset)
            return pa.ipc.read_record_batch(source.read_buffer(size), self.schema)

    def close(self) -> None:
        """And takes it off the disk. Pages that are being read stay good."""
        self._file.close()
        self._path.unlink(missing_ok=True)
