"""Rows of Arrow batches as the JSON of Trino's protocol, column by column.

Every column becomes an Arrow array of JSON fragments; one join of those makes the rows, and the
array's own buffer is then the text of the page. No Python object is made for a cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column
from sqe.model.trino_types import TIMESTAMP_TZ, RowField, TrinoType
from sqe.results.sizes import batch_bytes
from sqe.trino.http.encode_carriers import NotCarried
from sqe.trino.http.encode_json import fragments, in_row
from sqe.trino.http.signature import PARAMETRIC_DATETIME
from sqe.trino.http.wire import column_type

ZONE = b"sqe.zone"  # of a field of the schema: the zone that its instants print in
_SLICE_ROWS = 32_768
_SLICE_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Rows:
    """``text`` is ``[…],[…]``: rows without the brackets around all of them."""

    text: bytes
    count: int


class RowEncoder:
    """Encodes the batches of one result. A result whose Arrow types do not carry the columns'
    Trino types is refused here, before its first row."""

    def __init__(
        self, columns: Sequence[Column], schema: pa.Schema, capabilities: Collection[str]
    ) -> None:
        if len(columns) != len(schema):
            raise _defect(f"The result has {len(schema)} columns instead of {len(columns)}.")
        self._names = tuple(column.name for column in columns)
        self._kinds = tuple(
            _with_zone(column_type(column), _zone(field))
            for column, field in zip(columns, schema, strict=True)
        )
        self._parametric = PARAMETRIC_DATETIME in capabilities
        self._join_columns(pa.RecordBatch.from_pylist([], schema))

    def encode(self, batch: pa.RecordBatch, limit: int = 1 << 20) -> Iterator[Rows]:
        """Parts of at most ``limit`` bytes, or of one row that is longer."""
        for part in _slices(batch):
            yield from _cut(self._join_columns(part), limit)

    def _join_columns(self, batch: pa.RecordBatch) -> pa.StringArray:
        """Rows, each with a comma behind it."""
        pieces = []
        for name, kind, array in zip(self._names, self._kinds, batch.columns, strict=True):
            try:
                pieces.append(fragments(kind, array, self._parametric))
            except (NotCarried, pa.ArrowException, OverflowError) as error:
                raise _defect(f"Column {name} of type {kind} came as {array.type}.") from error
        return in_row(pieces, "],")


def _defect(message: str) -> InternalError:
    return InternalError(ErrorCode.INTERNAL_ERROR, message)


def _zone(field: pa.Field) -> str:
    metadata: dict[bytes, bytes] = field.metadata or {}
    return metadata.get(ZONE, b"UTC").decode()


def _with_zone(kind: TrinoType, zone: str) -> TrinoType:
    """With the zone in every instant inside; the type's text has none."""
    return replace(
        kind,
        types=tuple(_with_zone(inner, zone) for inner in kind.types),
        fields=tuple(RowField(field.name, _with_zone(field.type, zone)) for field in kind.fields),
        zone=zone if kind.base == TIMESTAMP_TZ else "",
    )


def _slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Small enough that no array of fragments comes near Arrow's 2 GB."""
    for start in range(0, batch.num_rows, _SLICE_ROWS):
        waiting = [batch.slice(start, _SLICE_ROWS)]
        while waiting:
            part = waiting.pop()
            if batch_bytes(part) <= _SLICE_BYTES or part.num_rows == 1:
                yield part
            else:
                half = part.num_rows // 2
                waiting += [part.slice(half), part.slice(0, half)]


def _cut(rows: pa.StringArray, limit: int) -> Iterator[Rows]:
    _, places, data = rows.buffers()
    ends = np.frombuffer(places, np.int32)[rows.offset : rows.offset + len(rows) + 1]
    text = memoryview(data)
    start = 0
    while start < len(rows):
        # The comma behind the last row is cut off and does not count.
        end = int(np.searchsorted(ends, int(ends[start]) + limit + 1, side="right")) - 1
        end = max(end, start + 1)
        yield Rows(bytes(text[ends[start] : ends[end] - 1]), end - start)
        start = end
