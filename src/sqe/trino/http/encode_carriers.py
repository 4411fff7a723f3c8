"""Which Arrow types carry a Trino type's values, and the one of them that is encoded.

See ``sqe.model.trino_types``. An array of another width, or a dictionary, is cast where that loses
nothing; all else is refused, since its text would be a guess.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.types as is_type

from sqe.model.trino_types import TIME, TIMESTAMP, TIMESTAMP_TZ, TrinoType


class NotCarried(Exception):
    """The values are not of the type that the column was declared with."""


def _text(kind: pa.DataType) -> bool:
    return bool(
        is_type.is_string(kind) or is_type.is_large_string(kind) or is_type.is_string_view(kind)
    )


def _bytes(kind: pa.DataType) -> bool:
    return bool(
        is_type.is_binary(kind)
        or is_type.is_large_binary(kind)
        or is_type.is_binary_view(kind)
        or is_type.is_fixed_size_binary(kind)
    )


def _lists(kind: pa.DataType) -> bool:
    return bool(
        is_type.is_list(kind)
        or is_type.is_large_list(kind)
        or is_type.is_fixed_size_list(kind)
        or is_type.is_list_view(kind)
        or is_type.is_large_list_view(kind)
    )


def _real(kind: pa.DataType) -> bool:
    return bool(is_type.is_float16(kind) or is_type.is_float32(kind))


def _local(kind: pa.DataType) -> bool:
    return bool(is_type.is_timestamp(kind) and kind.tz is None)


def _instant(kind: pa.DataType) -> bool:
    return bool(is_type.is_timestamp(kind) and kind.tz is not None)


def _time(kind: pa.DataType) -> bool:
    return bool(is_type.is_integer(kind) or is_type.is_time(kind))


_Check = Callable[[pa.DataType], bool]
_TEXT: tuple[_Check, pa.DataType] = (_text, pa.string())
_LEAVES: dict[str, tuple[_Check, pa.DataType]] = {
    "boolean": (is_type.is_boolean, pa.bool_()),
    "tinyint": (is_type.is_integer, pa.int8()),
    "smallint": (is_type.is_integer, pa.int16()),
    "integer": (is_type.is_integer, pa.int32()),
    "bigint": (is_type.is_integer, pa.int64()),
    "real": (_real, pa.float32()),
    "double": (is_type.is_floating, pa.float64()),
    "varchar": _TEXT,
    "char": _TEXT,
    "json": _TEXT,
    "uuid": _TEXT,
    "ipaddress": _TEXT,
    "varbinary": (_bytes, pa.binary()),
    "date": (is_type.is_date, pa.date32()),
    TIMESTAMP: (_local, pa.timestamp("us")),
    TIMESTAMP_TZ: (_instant, pa.timestamp("us", "UTC")),
    TIME: (_time, pa.int64()),
    "interval day to second": (is_type.is_integer, pa.int64()),
    "interval year to month": (is_type.is_integer, pa.int32()),
}


def conform(kind: TrinoType, array: pa.Array) -> pa.Array:
    """The same values in the Arrow type that is encoded. What is inside a nested array is left as
    it is. NotCarried or ArrowInvalid: there is no such array."""
    if is_type.is_dictionary(array.type):
        array = array.dictionary_decode()
    if is_type.is_null(array.type):
        return array
    target = _target(kind, array.type)
    if array.type == target:
        return array
    if is_type.is_time(array.type):
        array = array.cast(pa.time64("us"))
    return array.cast(target)


def _target(kind: TrinoType, found: pa.DataType) -> pa.DataType:
    if kind.base == "unknown":
        return found  # it can only be NULL, whatever the engine calls it
    if kind.base == "decimal" and is_type.is_decimal(found):
        return pa.decimal128(kind.precision, kind.scale)
    if kind.base == "array" and _lists(found):
        return pa.list_(found.value_type)
    if kind.base == "map" and is_type.is_map(found):
        return found
    if kind.base == "row" and is_type.is_struct(found) and found.num_fields == len(kind.fields):
        return found
    if kind.base in _LEAVES:
        carries, target = _LEAVES[kind.base]
        if carries(found):
            return target
    raise NotCarried
