"""Values as Trino prints them, without quotes: what Java's toString gives.

The text of numbers and booleans is also their JSON, but for NaN and infinities; everything else
goes into quotes, after escaping if it came from users.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sqe.model.trino_types import TIME, TIMESTAMP, TIMESTAMP_TZ, TrinoType
from sqe.trino.http.encode_strings import base64_text
from sqe.trino.http.encode_times import (
    date_text,
    day_second_text,
    time_text,
    timestamp_text,
    timestamp_tz_text,
    year_month_text,
)

FLOATS = ("real", "double")
BARE = ("boolean", "tinyint", "smallint", "integer", "bigint", *FLOATS)
FROM_USERS = ("varchar", "char", "json", "uuid", "ipaddress")
# From here on Arrow prints with an exponent, below it without: 1e+10 and 9999999999.
_EXPONENT = 1e10
# Below this, one digit may be enough to mean a number, and Java shows the nearest two.
_TINY = {"real": 1e-42, "double": 1e-320}
# Arrow prints decimals smaller than this with an exponent, which Trino never does.
_DECIMAL_DIGITS = 6


def text(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    """Of a type that is not nested, from its carrier; NULL for NULL."""
    return _PRINTERS[kind.base](kind, array)


def _cast_to_text(_: TrinoType, array: pa.Array) -> pa.StringArray:
    return array.cast(pa.string())


def _char(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    return pc.utf8_rpad(array, kind.numbers[0], " ")


def _varbinary(_: TrinoType, array: pa.Array) -> pa.StringArray:
    return base64_text(array)


def _float(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    """With a point or an exponent, so that no client takes a double for an integer."""
    printed = array.cast(pa.string())
    values = array.fill_null(0).to_numpy(zero_copy_only=False)
    finite = np.isfinite(values)
    whole = finite & (np.abs(values) < _EXPONENT) & (np.trunc(values) == values)
    if whole.any():
        longer = pc.binary_join_element_wise(printed, ".0", "")
        printed = pc.if_else(pa.array(whole), longer, printed)
    tiny = (values != 0) & (np.abs(values) < _TINY[kind.base])
    if tiny.any():
        printed = pc.replace_with_mask(
            printed, pa.array(tiny), _two_digits(values[tiny], printed.filter(pa.array(tiny)))
        )
    if finite.all():
        return printed
    for special, name in (
        (np.isnan(values), "NaN"),
        (np.isposinf(values), "Infinity"),
        (np.isneginf(values), "-Infinity"),
    ):
        printed = pc.if_else(pa.array(special), name, printed)
    return printed


def _two_digits(values: npt.NDArray[np.floating], texts: pa.StringArray) -> pa.StringArray:
    pairs = zip(values.tolist(), texts.to_pylist(), strict=True)
    return pa.array([text if "." in text else f"{value:.1e}" for value, text in pairs], pa.string())


def _decimal(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    if kind.scale <= _DECIMAL_DIGITS:
        return array.cast(pa.string())
    # The digits alone, as a whole number, and the point put between them.
    whole = pa.Array.from_buffers(
        pa.decimal128(kind.precision, 0), len(array), array.buffers(), -1, array.offset
    )
    digits = pc.utf8_lpad(pc.abs(whole).cast(pa.string()), kind.scale + 1, "0")
    sign = pc.if_else(pc.less(whole, pa.scalar(Decimal(0), whole.type)), "-", "")
    before = pc.utf8_slice_codeunits(digits, 0, -kind.scale)
    after = pc.utf8_slice_codeunits(digits, -kind.scale)
    return pc.binary_join_element_wise(sign, before, ".", after, "")


_PRINTERS: dict[str, Callable[[TrinoType, pa.Array], pa.StringArray]] = {
    "boolean": _cast_to_text,
    "tinyint": _cast_to_text,
    "smallint": _cast_to_text,
    "integer": _cast_to_text,
    "bigint": _cast_to_text,
    "real": _float,
    "double": _float,
    "decimal": _decimal,
    "varchar": _cast_to_text,
    "json": _cast_to_text,
    "uuid": _cast_to_text,
    "ipaddress": _cast_to_text,
    "char": _char,
    "varbinary": _varbinary,
    "date": date_text,
    TIMESTAMP: timestamp_text,
    TIMESTAMP_TZ: timestamp_tz_text,
    TIME: time_text,
    "interval day to second": day_second_text,
    "interval year to month": year_month_text,
}
