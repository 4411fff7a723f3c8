"""Arrow's values as Python's, row by row.

decimal -> Decimal, date -> date, timestamp -> datetime (with its zone, where it has one), day-time
interval -> timedelta, other intervals -> pyarrow.MonthDayNano, binary -> bytes, array -> list,
struct and map -> dict (a map whose keys cannot be hashed: a list of pairs), NULL -> None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from sqe.client.exceptions import DataError
from sqe.errors import ErrorCode
from sqe.results.months import CARRIER, columns_of
from sqe.results.nesting import Spans, validity

_SLICE = 1024  # rows turned into Python at a time: a batch may hold a hundred times as many


def rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows, as few at a time as is efficient."""
    columns = columns_of(batch)
    if not columns:
        yield from (() for _ in range(batch.num_rows))
        return
    for start in range(0, batch.num_rows, _SLICE):
        yield from zip(
            *(_check_values(column.slice(start, _SLICE)) for column in columns), strict=True
        )


def _check_values(array: pa.Array) -> list[Any]:
    try:
        return values_of(array)
    except (ValueError, OverflowError) as error:  # pa.ArrowInvalid is a ValueError
        raise DataError(
            f"Python has no value for one of type {array.type}: {error}.",
            code=ErrorCode.NUMERIC_OUT_OF_RANGE.name,
            hint="fetch_arrow_table() gives every value; or CAST it to STRING.",
        ) from error


def values_of(array: pa.Array) -> list[Any]:
    kind = array.type
    if isinstance(kind, pa.ExtensionType):
        return values_of(array.storage)
    if kinds.is_dictionary(kind):
        return values_of(array.dictionary_decode())
    if kinds.is_nested(kind):
        rows = _values_of_nested(array)
        return [row if valid else None for row, valid in zip(rows, validity(array), strict=True)]
    if kind == CARRIER:
        months = array.view(pa.int32()).to_pylist()
        return [None if n is None else pa.MonthDayNano([n, 0, 0]) for n in months]
    # Python counts microseconds: of more digits, pyarrow would make something else than datetime.
    if kinds.is_timestamp(kind):
        array = array.cast(pa.timestamp("us", kind.tz))
    elif kinds.is_duration(kind):
        array = array.cast(pa.duration("us"))
    values: list[Any] = array.to_pylist()
    return values


def _values_of_nested(array: pa.Array) -> list[Any]:
    kind = array.type
    if kinds.is_struct(kind):
        names = [field.name for field in kind]
        fields = [values_of(array.field(i)) for i in range(kind.num_fields)]
        if not fields:
            return [{} for _ in range(len(array))]
        return [dict(zip(names, row, strict=True)) for row in zip(*fields, strict=True)]
    spans = Spans(array)
    if kinds.is_map(kind):
        keys, items = (values_of(spans.children(part)) for part in (array.keys, array.items))
        return [_make_mapping(row) for row in spans.rows(list(zip(keys, items, strict=True)))]
    return list(spans.rows(values_of(spans.children(array.values))))


def _make_mapping(pairs: list[tuple[Any, Any]]) -> dict[Any, Any] | list[tuple[Any, Any]]:
    try:
        return dict(pairs)
    except TypeError:
        return pairs
