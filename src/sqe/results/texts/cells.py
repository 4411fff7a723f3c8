"""Every cell of a batch as text, in two spellings.

SHOWN     as Spark's ``show`` prints it, for people: NULL, 2024-05-01 12:00:00, {1, a}
PORTABLE  for programs: ISO-8601 instants with their offset, base64, JSON for nested values
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from enum import Enum
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from sqe.results.months import CARRIER
from sqe.results.nesting import Spans, validity
from sqe.results.texts import temporal
from sqe.results.texts.numbers import decimal_text, float_text


class Spelling(Enum):
    SHOWN = "shown"
    PORTABLE = "portable"


def texts(array: pa.Array, spark_type: str, spelling: Spelling) -> list[str | None]:
    """One text per value, None for NULL."""
    kind = array.type
    if kinds.is_dictionary(kind):
        return texts(array.dictionary_decode(), spark_type, spelling)
    if kinds.is_boolean(kind) or kinds.is_integer(kind) or _is_string(kind):
        return _list(array.cast(pa.string()))
    if kinds.is_floating(kind):
        shortest = array.cast(pa.string()) if not kinds.is_float16(kind) else array
        return _each(_list(shortest), lambda text: float_text(str(text)))
    if kinds.is_decimal(kind):
        return _each(_list(array), decimal_text)
    if kinds.is_nested(kind):
        return _texts_of_nested(array, spark_type, spelling)
    if _is_binary(kind):
        return _each(_list(array), _BINARY[spelling])
    return _temporal(array, spark_type, spelling)


def _texts_of_nested(array: pa.Array, spark_type: str, spelling: Spelling) -> list[str | None]:
    if spelling is Spelling.PORTABLE:
        from sqe.results.texts.json_cells import json_texts

        rows = json_texts(array, spark_type)
    elif kinds.is_struct(array.type):
        fields = [_inner(array.field(i)) for i in range(array.type.num_fields)]
        rows = ["{" + ", ".join(row) + "}" for row in zip(*fields, strict=True)]
        rows = rows or ["{}"] * len(array)
    elif kinds.is_map(array.type):
        spans = Spans(array)
        keys, items = _inner(spans.children(array.keys)), _inner(spans.children(array.items))
        rows = spans.join([f"{k} -> {v}" for k, v in zip(keys, items, strict=True)], "{}")
    else:
        spans = Spans(array)
        rows = spans.join(_inner(spans.children(array.values)), "[]")
    return [text if valid else None for text, valid in zip(rows, validity(array), strict=True)]


def _inner(array: pa.Array) -> list[str]:
    return ["NULL" if text is None else text for text in texts(array, "", Spelling.SHOWN)]


def _temporal(array: pa.Array, spark_type: str, spelling: Spelling) -> list[str | None]:
    kind = array.type
    if kinds.is_date(kind):
        return _each(_list(array.cast(pa.date32()).view(pa.int32())), temporal.date_text)
    if kinds.is_timestamp(kind):
        return _timestamps(array, spelling)
    if kind == CARRIER:
        months = _list(array.view(pa.int32()))
        return _each(months, lambda n: temporal.year_month_text(n, spark_type))
    if kinds.is_time64(kind):
        return _each(_list(array.view(pa.int64())), lambda n: temporal.time_text(n, kind.unit))
    if kinds.is_duration(kind):
        micros = _list(array.cast(pa.duration("us"), safe=False).view(pa.int64()))
        return _each(micros, lambda n: temporal.day_time_text(n, spark_type))
    if kinds.is_interval(kind):
        return _each(_list(array), lambda v: temporal.calendar_interval_text(*v))
    return _each(_list(array), str)


def _timestamps(array: pa.Array, spelling: Spelling) -> list[str | None]:
    unit, zone = array.type.unit, array.type.tz
    numbers = _list(temporal.local_integers(array))
    if spelling is Spelling.SHOWN or zone is None:
        mark = " " if spelling is Spelling.SHOWN else "T"
        return _each(numbers, lambda n: temporal.timestamp_text(n, unit, mark))
    # An instant for programs is in UTC: exact, and the same whatever the session's time zone.
    instants = _list(array.cast(pa.timestamp(unit, "UTC")).view(pa.int64()))
    return _each(instants, lambda n: temporal.timestamp_text(n, unit, "T") + "Z")


def _each(values: list[Any], spell: Callable[[Any], str]) -> list[str | None]:
    return [None if value is None else spell(value) for value in values]


def _list(array: pa.Array) -> list[Any]:
    cells: list[Any] = array.to_pylist()
    return cells


def _is_string(kind: pa.DataType) -> bool:
    return bool(
        kinds.is_string(kind)
        or kinds.is_large_string(kind)
        or kinds.is_string_view(kind)
        or kinds.is_null(kind)
    )


def _is_binary(kind: pa.DataType) -> bool:
    return bool(
        kinds.is_binary(kind)
        or kinds.is_large_binary(kind)
        or kinds.is_fixed_size_binary(kind)
        or kinds.is_binary_view(kind)
    )


_BINARY: dict[Spelling, Callable[[bytes], str]] = {
    Spelling.SHOWN: lambda value: "[" + value.hex(" ").upper() + "]",
    Spelling.PORTABLE: lambda value: base64.b64encode(value).decode("ascii"),
}
