"""Dates, times and intervals as text, for every value Spark has.

Python's datetime ends at the years 1 and 9999; Spark's types do not. So everything here starts
from the integers that Arrow stores.
"""

from __future__ import annotations

import pyarrow as pa

_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY_TIME_FIELDS = ("day", "hour", "minute", "second")


def date_text(days: int) -> str:
    """Days since 1970-01-01 in the proleptic Gregorian calendar."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153  # months since March
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    # Java writes years beyond four digits with their sign.
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    return f"{shown}-{month:02d}-{day:02d}"


def time_text(count: int, unit: str) -> str:
    """A time of day from midnight; digits of the second only as far as they are not zero."""
    seconds, fraction = divmod(count, _UNITS[unit])
    digits = len(str(_UNITS[unit])) - 1
    tail = f".{fraction:0{digits}d}".rstrip("0") if fraction else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{tail}"


def timestamp_text(count: int, unit: str, separator: str) -> str:
    days, rest = divmod(count, 86_400 * _UNITS[unit])
    return f"{date_text(days)}{separator}{time_text(rest, unit)}"


def local_integers(array: pa.Array) -> pa.Array:
    """Timestamps as integers of the wall clock in the column's own time zone."""
    kind = array.type
    if kind.tz is not None and kind.tz.upper() not in ("UTC", "Z", "ETC/UTC"):
        import pyarrow.compute as pc  # takes a while, and few results need it

        array = pc.local_timestamp(array)
    return array.cast(pa.timestamp(kind.unit)).view(pa.int64())


def day_time_text(microseconds: int, spark_type: str) -> str:
    """``INTERVAL '1 02:03:04' DAY TO SECOND``, with the fields of the type."""
    words = spark_type.lower().split()
    fields = [word for word in words if word in _DAY_TIME_FIELDS] or ["day", "second"]
    first, last = (_DAY_TIME_FIELDS.index(name) for name in (fields[0], fields[-1]))
    sign = "-" if microseconds < 0 else ""
    seconds, fraction = divmod(abs(microseconds), 1_000_000)
    parts = [seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60]
    parts[first] = seconds // (86_400, 3600, 60, 1)[first]
    shown = [f"{parts[i]:02d}" if i > 0 else str(parts[i]) for i in range(first, last + 1)]
    text = shown[0] if len(shown) == 1 else ""
    if len(shown) > 1:
        text = f"{shown[0]} {':'.join(shown[1:])}" if first == 0 else ":".join(shown)
    if last == 3 and fraction:
        text += f".{fraction:06d}".rstrip("0")
    span = " TO ".join(dict.fromkeys(name.upper() for name in (fields[0], fields[-1])))
    return f"INTERVAL '{sign}{text}' {span}"


def year_month_text(months: int, spark_type: str) -> str:
    words = spark_type.lower().split()
    sign, count = ("-" if months < 0 else ""), abs(months)
    if "year" in words and "month" not in words:
        return f"INTERVAL '{sign}{count // 12}' YEAR"
    if "month" in words and "year" not in words:
        return f"INTERVAL '{sign}{count}' MONTH"
    return f"INTERVAL '{sign}{count // 12}-{count % 12}' YEAR TO MONTH"


def calendar_interval_text(months: int, days: int, nanoseconds: int) -> str:
    """Spark's old interval type: ``1 years 2 months 3 days 4 hours``."""
    micros = nanoseconds // 1000
    sign = -1 if micros < 0 else 1
    seconds, fraction = divmod(abs(micros), 1_000_000)
    year_part, month_part = (abs(months) // 12, abs(months) % 12)
    turned = -1 if months < 0 else 1
    parts = [
        (turned * year_part, "years"),
        (turned * month_part, "months"),
        (days, "days"),
        (sign * (seconds // 3600), "hours"),
        (sign * (seconds // 60 % 60), "minutes"),
    ]
    texts = [f"{count} {name}" for count, name in parts if count]
    rest = f"{seconds % 60}" + (f".{fraction:06d}".rstrip("0") if fraction else "")
    if rest != "0":
        texts.append(f"{'-' if sign < 0 else ''}{rest} seconds")
    return " ".join(texts) or "0 seconds"
