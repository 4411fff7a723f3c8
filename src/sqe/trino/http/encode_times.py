"""Dates, times and intervals as Trino prints them.

Arrow prints times of the years 0 to 9999 exactly as Trino does; numpy prints the rest, which is
rare, and a sign and leading zeros are put to its years.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sqe.model.trino_types import TIME, TIMESTAMP, TIMESTAMP_TZ, TrinoType
from sqe.trino.http.encode_carriers import NotCarried
from sqe.trino.http.encode_zones import local_micros

_DAY_MILLIS = 86_400_000
_DAY_MICROS = 86_400_000_000
_MONTHS = 12
_DAYS = (-719_528, 2_932_896)  # 0000-01-01 and 9999-12-31
_YEARS_END = 10  # the length of yyyy-mm-dd
_SECONDS_END = 19  # and of yyyy-mm-dd hh:mm:ss


def numbers(array: pa.Array) -> npt.NDArray[np.int64]:
    """As 64-bit integers, with 0 for NULL."""
    array = array.cast(pa.int64())
    if array.null_count:
        array = array.fill_null(0)
    integers: npt.NDArray[np.int64] = array.to_numpy(zero_copy_only=False)
    return integers


def with_nulls_of(array: pa.Array, text: pa.StringArray) -> pa.StringArray:
    """NULL where ``array`` is."""
    if not array.null_count:
        return text
    return pc.if_else(array.is_valid(), text, pa.scalar(None, pa.string()))


def date_text(_: TrinoType, array: pa.Array) -> pa.StringArray:
    days = numbers(array.cast(pa.int32()))
    far = (days < _DAYS[0]) | (days > _DAYS[1])
    text = array.cast(pa.string())
    return _with_far(text, far, days[far].astype("datetime64[D]")) if far.any() else text


def timestamp_text(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    micros = numbers(array)
    _check_digits(micros, kind.precision)
    return with_nulls_of(array, _clock(micros, kind.precision))


def timestamp_tz_text(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    micros = numbers(array)
    _check_digits(micros, kind.precision)
    text = _clock(local_micros(micros, kind.zone), kind.precision)
    return with_nulls_of(array, pc.binary_join_element_wise(text, kind.zone, " "))


def time_text(kind: TrinoType, array: pa.Array) -> pa.StringArray:
    micros = numbers(array)
    if len(micros) and (micros.min() < 0 or micros.max() >= _DAY_MICROS):
        raise NotCarried("a time outside of its day")
    _check_digits(micros, kind.precision)
    # The time of the day of a timestamp is what a time is printed as.
    text = pc.utf8_slice_codeunits(_clock(micros, kind.precision), _YEARS_END + 1)
    return with_nulls_of(array, text)


def day_second_text(_: TrinoType, array: pa.Array) -> pa.StringArray:
    """From milliseconds: ``2 03:04:05.000``."""
    millis = numbers(array)
    size = np.abs(millis).view(np.uint64)  # also of the smallest, whose size is no int64
    days, rest = np.divmod(size, np.uint64(_DAY_MILLIS))
    clock = pa.array(rest.astype(np.int32)).cast(pa.time32("ms")).cast(pa.string())
    text = pc.binary_join_element_wise(_signs(millis), pa.array(days).cast(pa.string()), "")
    return with_nulls_of(array, pc.binary_join_element_wise(text, clock, " "))


def year_month_text(_: TrinoType, array: pa.Array) -> pa.StringArray:
    """From months: ``1-2``."""
    months = numbers(array)
    years, rest = np.divmod(np.abs(months), _MONTHS)
    text = pc.binary_join_element_wise(_signs(months), pa.array(years).cast(pa.string()), "")
    rest_text = pa.array(rest).cast(pa.string())
    return with_nulls_of(array, pc.binary_join_element_wise(text, rest_text, "-"))


def round_to_millis(kind: TrinoType, array: pa.Array) -> tuple[TrinoType, pa.Array]:
    """For a client that knows no other precision. Other types are left as they are."""
    if kind.base not in (TIMESTAMP, TIMESTAMP_TZ, TIME):
        return kind, array
    micros = (numbers(array) + 500) // 1000 * 1000
    if kind.base == TIME:
        micros %= _DAY_MICROS
    made = pa.array(micros).cast(array.type)
    if array.null_count:
        made = pc.if_else(array.is_valid(), made, pa.scalar(None, array.type))
    return replace(kind, numbers=(3,)), made


def _signs(values: npt.NDArray[np.int64]) -> pa.StringArray:
    return pc.if_else(pa.array(values < 0), "-", "")


def _check_digits(micros: npt.NDArray[np.int64], precision: int) -> None:
    """Digits that would not be printed mean that the type is not the values'."""
    if precision < 6 and (micros % 10 ** (6 - precision)).any():
        raise NotCarried(f"more than {precision} digits of a second")


def _clock(micros: npt.NDArray[np.int64], precision: int) -> pa.StringArray:
    """Date and time with so many digits of the second."""
    unit, digits = ("s", 0) if precision == 0 else ("ms", 3) if precision <= 3 else ("us", 6)
    far = (micros < _DAYS[0] * _DAY_MICROS) | (micros >= (_DAYS[1] + 1) * _DAY_MICROS)
    text = pa.array(micros // 10 ** (6 - digits)).cast(pa.timestamp(unit)).cast(pa.string())
    if precision > digits:
        text = pc.binary_join_element_wise(text, "0" * (precision - digits), "")
    elif precision < digits:
        text = pc.utf8_slice_codeunits(text, 0, _SECONDS_END + 1 + precision)
    if not far.any():
        return text
    return _with_far(text, far, micros[far].astype("datetime64[us]"), precision)


def _with_far(
    text: pa.StringArray,
    far: npt.NDArray[np.bool_],
    values: npt.NDArray[np.datetime64],
    precision: int = 0,
) -> pa.StringArray:
    """With the years beyond four digits, or before year 0, printed as Java does."""
    printed = []
    for moment_text in np.datetime_as_string(values).tolist():
        negative = moment_text.startswith("-")
        year, rest = moment_text.lstrip("-").split("-", 1)
        sign = "-" if negative else "+"
        clock, _, fraction = rest.replace("T", " ").partition(".")
        fraction = fraction.ljust(12, "0")[:precision]
        printed.append(f"{sign}{year.zfill(4)}-{clock}{'.' if fraction else ''}{fraction}")
    return pc.replace_with_mask(text, pa.array(far), pa.array(printed, pa.string()))
