"""Arrow values as the text that Spark's SQLQueryTestSuite writes (its Hive-style result strings).

The Arrow type says nearly all that is needed: the Hive style prints every interval of a family
alike, and a timestamp's zone travels in its type.
"""

from __future__ import annotations

import base64
import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tests.fidelity.moments import date_text, local_micros, time_text, timestamp_text
from tests.fidelity.months import MONTHS_NAME, months_as_integers

Texts = list[str]


@dataclass(frozen=True)
class Style:
    """What a session setting may change in the text: how binary values look."""

    binary: str = "UTF8"


def rows_of(batches: list[pa.RecordBatch], types: tuple[str, ...], style: Style) -> Texts:
    """One line for each row, columns separated by tabs. `types` are Spark's names of them."""
    lines: Texts = []
    for batch in batches:
        kinds = [field.type for field in batch.schema]
        arrays = map(whole_units, months_as_integers(batch).columns, types)
        columns = [
            texts(column, kind, style, nested=False)
            for column, kind in zip(arrays, kinds, strict=True)
        ]
        lines += ["\t".join(cells) for cells in zip(*columns, strict=True)]
        if not columns:
            lines += [""] * batch.num_rows
    return lines


def texts(array: pa.Array, kind: pa.DataType, style: Style, *, nested: bool) -> Texts:
    """The values of an array as text; Spark prints a top-level null in capitals.

    `kind` is the type that Spark sent, which `array` has lost where it is an interval of months.
    """
    null = "null" if nested else "NULL"
    shown = _shown(array, kind, style, nested=nested)
    valid = array.is_valid().to_pylist()
    return [text if is_valid else null for text, is_valid in zip(shown, valid, strict=True)]


def whole_units(array: pa.Array, type_name: str) -> pa.Array:
    """Spark prints `interval hour to minute` without the seconds that the value may still hold."""
    unit = UNITS.get(type_name.rsplit(" ", 1)[-1]) if type_name.startswith("interval ") else None
    if unit is None:
        return array
    numbers = _longs(array)
    cut = [n if n is None else (abs(n) // unit) * unit * (1 if n > 0 else -1) for n in numbers]
    return pa.array(cut, pa.int64()).cast(array.type)


UNITS = {
    "year": 12,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
}


def _shown(array: pa.Array, kind: Any, style: Style, *, nested: bool) -> Texts:
    if pa.types.is_null(kind):
        return [""] * len(array)
    if pa.types.is_map(kind):
        return _maps(array, kind, style)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        items = texts(array.values, kind.value_type, style, nested=True)
        return ["[" + ",".join(items[a:b]) + "]" for a, b in _spans(array)]
    if pa.types.is_struct(kind):
        return _structs(array, kind, style)
    values, text = _scalars(array, kind, style, nested=nested)
    return ["" if value is None else text(value) for value in values]


def _maps(array: pa.Array, kind: Any, style: Style) -> Texts:
    keys = texts(array.keys, kind.key_type, style, nested=True)
    values = texts(array.items, kind.item_type, style, nested=True)
    pairs = [f"{key}:{value}" for key, value in zip(keys, values, strict=True)]
    return ["{" + ",".join(sorted(pairs[a:b], key=java_order)) + "}" for a, b in _spans(array)]


def _structs(array: pa.Array, kind: Any, style: Style) -> Texts:
    fields = [kind.field(number) for number in range(kind.num_fields)]
    names = [field.name for field in fields]
    columns = [
        texts(column, field.type, style, nested=True)
        for column, field in zip(array.flatten(), fields, strict=True)
    ]
    return [
        "{" + ",".join(f'"{name}":{cell}' for name, cell in zip(names, row, strict=True)) + "}"
        for row in (zip(*columns, strict=True) if columns else [()] * len(array))
    ]


def _spans(array: pa.Array) -> list[tuple[int, int]]:
    offsets = array.offsets.to_pylist()
    return list(pairwise(offsets))


def java_order(text: str) -> bytes:
    """Java compares strings by UTF-16 unit, Python by code point."""
    return text.encode("utf-16-be", "surrogatepass")


def _scalars(
    array: pa.Array, kind: Any, style: Style, *, nested: bool
) -> tuple[list[Any], Callable[[Any], str]]:
    """The values in a form without Python's limits (years 1 to 9999), and how each is printed."""
    for matches, values, text in _PRINTERS:
        if matches(kind):
            return values(array), text
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return array.to_pylist(), BINARY[style.binary]
    if pa.types.is_timestamp(kind):
        zone = kind.tz
        return _longs(array), lambda micros: timestamp_text(local_micros(micros, zone))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return array.to_pylist(), (lambda text: f'"{text}"') if nested else str
    raise TypeError(f"no golden text for Arrow type {kind}")


def _longs(array: pa.Array) -> list[int | None]:
    values: list[int | None] = array.cast(pa.int64()).to_pylist()
    return values


def _days(array: pa.Array) -> list[int | None]:
    values: list[int | None] = array.cast(pa.int32()).to_pylist()
    return values


def _plain(array: pa.Array) -> list[Any]:
    values: list[Any] = array.to_pylist()
    return values


def double_text(value: float) -> str:
    return _java_float(value, repr(value))


def float_text(value: float) -> str:
    """The shortest decimal that is still this 32-bit number."""
    candidates = (f"{value:.{digits}g}" for digits in range(1, 10))
    exact = (short for short in candidates if ctypes.c_float(float(short)).value == value)
    return _java_float(value, next(exact, f"{value:.9g}"))


def _java_float(value: float, shortest: str) -> str:
    """Java's layout of a floating number: plain from 1e-3 to 1e7, otherwise 1.0E10."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    if digits == (0,):
        return "-0.0" if shortest.startswith("-") else "0.0"
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if -3 < point <= 7:
        whole = text[:point].ljust(point, "0") if point > 0 else "0"
        fraction = text[point:] if point > 0 else "0" * -point + text
        return f"{minus}{whole}.{fraction or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def year_month_text(months: int) -> str:
    years, rest = divmod(abs(months), 12)
    return f"{'-' if months < 0 else ''}{years}-{rest}"


def day_time_text(micros: int) -> str:
    seconds, fraction = divmod(abs(micros), 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    clock = f"{hour:02}:{minute:02}:{second:02}.{fraction * 1000:09}"
    return f"{'-' if micros < 0 else ''}{days} {clock}"


def calendar_text(interval: Any) -> str:
    """Spark's CalendarInterval: units that are zero are left out, signs stay with their unit."""
    months, days, micros = interval.months, interval.days, interval.nanoseconds // 1000
    sign = -1 if micros < 0 else 1
    minutes, seconds = divmod(abs(micros), 60_000_000)
    hours, minute = divmod(minutes, 60)
    year, month = divmod(abs(months), 12)
    turn = -1 if months < 0 else 1
    units = [(year * turn, "years"), (month * turn, "months"), (days, "days")]
    units += [(hours * sign, "hours"), (minute * sign, "minutes")]
    parts = [f"{number} {unit}" for number, unit in units if number]
    if seconds:
        decimal = f"{Decimal(seconds * sign).scaleb(-6):f}".rstrip("0").rstrip(".")
        parts.append(f"{decimal} seconds")
    return " ".join(parts) or "0 seconds"


def _basic(data: bytes) -> str:
    return "[" + ", ".join(str(byte - 256 if byte > 127 else byte) for byte in data) + "]"


BINARY: dict[str, Callable[[bytes], str]] = {
    "UTF8": lambda data: data.decode("utf-8", "replace"),
    "UTF-8": lambda data: data.decode("utf-8", "replace"),
    "BASIC": _basic,
    "BASE64": lambda data: base64.b64encode(data).decode("ascii").rstrip("="),
    "HEX": lambda data: data.hex().upper(),
    "HEX_DISCRETE": lambda data: "[" + data.hex(" ").upper() + "]",
}

Printer = tuple[Callable[[Any], bool], Callable[[pa.Array], list[Any]], Callable[[Any], str]]
_PRINTERS: tuple[Printer, ...] = (
    (pa.types.is_boolean, _plain, lambda flag: "true" if flag else "false"),
    (pa.types.is_integer, _plain, str),
    (pa.types.is_float64, _plain, double_text),
    (pa.types.is_float32, _plain, float_text),
    (pa.types.is_decimal, _plain, lambda number: f"{number:f}"),
    (pa.types.is_date32, _days, date_text),
    (pa.types.is_time64, _longs, time_text),
    (pa.types.is_duration, _longs, day_time_text),
    (lambda kind: str(kind) == MONTHS_NAME, _plain, year_month_text),
    (lambda kind: str(kind) == "month_day_nano_interval", _plain, calendar_text),
)
