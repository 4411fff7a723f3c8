"""Dates and times as Java prints them, over the whole range of Spark's types.

Python's own types stop at the years 1 and 9999; Spark's go far beyond, and its tests do too.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

DAY = 86_400_000_000
# The calendar, weekdays included, repeats after 400 years.
CYCLE_DAYS = 146_097
CYCLE = CYCLE_DAYS * DAY
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIXED = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?")
FIRST_PLAIN = -62_135_596_800_000_000 + 2 * DAY
LAST_PLAIN = 253_402_300_800_000_000 - 2 * DAY


def date_text(days: int) -> str:
    year, month, day = _civil(days)
    return f"{_year_text(year)}-{month:02}-{day:02}"


def timestamp_text(micros: int) -> str:
    """`micros` since the epoch on the local clock."""
    days, rest = divmod(micros, DAY)
    return f"{date_text(days)} {time_text(rest * 1000)}"


def time_text(nanos: int) -> str:
    """`nanos` since midnight; no trailing zeros in the fraction."""
    seconds, fraction = divmod(nanos, 1_000_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    tail = f".{fraction:09}".rstrip("0") if fraction else ""
    return f"{hour:02}:{minute:02}:{second:02}{tail}"


def local_micros(micros: int, zone: str | None) -> int:
    """Moves an instant onto the wall clock of `zone`; a timestamp without zone is there already."""
    if zone is None:
        return micros
    fixed = FIXED.fullmatch(zone)
    if fixed:
        sign, hours, minutes, seconds = fixed.groups()
        offset = int(hours) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
        return micros + (offset if sign == "+" else -offset) * 1_000_000
    # Before year 1 the earliest rule (local mean time) holds; after 9999 the rules repeat.
    near = max(micros, FIRST_PLAIN)
    if near > LAST_PLAIN:
        near = LAST_PLAIN - CYCLE + (near - LAST_PLAIN) % CYCLE
    instant = EPOCH + timedelta(microseconds=near)
    shift = instant.astimezone(ZoneInfo(zone)).utcoffset() or timedelta()
    return micros + shift // timedelta(microseconds=1)


def _civil(days: int) -> tuple[int, int, int]:
    """Proleptic Gregorian year, month and day of a day number."""
    cycles, rest = divmod(days + CYCLE_DAYS, CYCLE_DAYS)
    # `rest` counts from 1970-01-01, so that Python's calendar can answer.
    day = (EPOCH + timedelta(days=rest)).date()
    return day.year + (cycles - 1) * 400, day.month, day.day


def _year_text(year: int) -> str:
    if year > 9999:
        return f"+{year}"
    return f"{year:04}" if year >= 0 else f"-{-year:04}"
