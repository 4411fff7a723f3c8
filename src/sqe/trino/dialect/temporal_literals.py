"""DATE '…', TIME '…' and TIMESTAMP '…', and the texts that CAST reads, where they are constant."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import (
    DATE,
    TIMESTAMP_TZ,
    RowField,
    TrinoType,
    time,
    timestamp,
    timestamp_tz,
)
from sqe.sql.zone_names import is_offset, rules_of, zone_named
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.literals import literal_of
from sqe.trino.dialect.typed import Typed
from sqe.trino.dialect.zones import session_zone

if TYPE_CHECKING:
    from sqe.trino.dialect.context import Context

DATE_TEXT = r"\s*([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})\s*"
TIME_TEXT = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?"
MOMENT_TEXT = rf"([+-]?\d{{4,6}})-(\d{{1,2}})-(\d{{1,2}})(?: (?:{TIME_TEXT})?\s*(\S.*)?)?"
_DATE = re.compile(DATE_TEXT, re.ASCII)
_TIME = re.compile(TIME_TEXT, re.ASCII)
_TIME_TZ = re.compile(rf"{TIME_TEXT}\s*[+-]\d\d:\d\d", re.ASCII)
_MOMENT = re.compile(MOMENT_TEXT, re.ASCII | re.DOTALL)
_MOST_DIGITS = 12
_HALF = 5


class Beyond(ValueError):
    """A value that Trino has and Python has not: of a year before 1 or after 9999."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a text says: the clock, to the microsecond, the digits behind the point, the zone."""

    local: datetime.datetime
    fraction: str
    zone: str | None = None  # as it is written


def read_date(text: str) -> datetime.date:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return _date_of(int(match[1]), int(match[2]), int(match[3]))


def _date_of(year: int, month: int, day: int) -> datetime.date:
    if 1 <= year <= 9999:
        return datetime.date(year, month, day)
    datetime.date(2000 + year % 400, month, day)  # the calendar repeats itself
    raise Beyond(year)


def read_moment(text: str) -> Moment:
    """A date, a time of day that may be missing, and a zone that may be."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    clock = datetime.time(int(match[4] or 0), int(match[5] or 0), int(match[6] or 0))
    day = _date_of(int(match[1]), int(match[2]), int(match[3]))
    return Moment(datetime.datetime.combine(day, clock), match[7] or "", match[8])


def read_time(text: str) -> tuple[int, str]:
    """Microseconds of the day without the fraction, and its digits."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(text)
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(text)
    return ((hour * 60 + minute) * 60 + second) * 1_000_000, match[4] or ""


def micros_of_fraction(digits: str, precision: int) -> int:
    """Rounded to ``precision``, halves up."""
    known = int((digits + "0" * (precision + 1))[: precision + 1])
    unit: int = 10 ** (6 - precision)
    return (known + _HALF) // 10 * unit


def instant(local: datetime.datetime, zone: str) -> datetime.datetime:
    """The moment of a local time, in UTC without saying so. Where the clock skips it, it is put
    forward; of a time that comes twice the first is meant."""
    return local.replace(tzinfo=rules_of(zone)).astimezone(datetime.UTC).replace(tzinfo=None)


def clock(moment: datetime.datetime, zone: str) -> datetime.datetime:
    """What clocks show. ``moment`` is in UTC without saying so."""
    return moment.replace(tzinfo=datetime.UTC).astimezone(rules_of(zone)).replace(tzinfo=None)


def require_zone(name: str) -> str:
    """ValueError, or Trino's error for an offset that is too far away."""
    zone = zone_named(name)
    if zone is None:
        if is_offset(name):
            raise Refused("NOT_SUPPORTED", f"Time zone not supported: {name}")
        raise ValueError(name)
    return zone


def timestamp_sql(value: datetime.datetime) -> str:
    return f"TIMESTAMP_NTZ'{value.isoformat(sep=' ')}'"


def instant_sql(value: datetime.datetime) -> str:
    """``value`` is in UTC."""
    return f"TIMESTAMP'{value.isoformat(sep=' ')}+00:00'"


def timestamp_value(value: datetime.datetime, digits: int) -> Typed:
    return Typed(timestamp(digits), timestamp_sql(value), value)


def instant_value(value: datetime.datetime, kind: TrinoType) -> Typed:
    """``value`` is in UTC."""
    return Typed(kind, instant_sql(value), value)


def date_value(value: datetime.date) -> Typed:
    return Typed(DATE, f"DATE'{value.isoformat()}'", value)


def time_value(micros: int, digits: int) -> Typed:
    return Typed(time(digits), f"{micros}L", micros)


def _year_refusal(kind: str, text: str, at: int) -> Refused:
    return not_supported(f"{kind} '{text}': a year beyond 0001 to 9999", at)


@literal_of("date")
def _date(value: str, at: int, context: Context) -> Typed:
    try:
        return date_value(read_date(value))
    except Beyond:  # Spark has them
        year, month, day = (int(part) for part in _DATE.fullmatch(value).groups())  # type: ignore[union-attr]
        sign = "-" if year < 0 else ""
        return Typed(DATE, f"DATE'{sign}{abs(year):04}-{month:02}-{day:02}'")


def _digits(fraction: str, kind: str, text: str, at: int) -> int:
    if len(fraction) > _MOST_DIGITS:
        raise ValueError(text)
    if len(fraction) > 6:
        raise not_supported(f"{kind} of {len(fraction)} digits", at)
    return len(fraction)


@literal_of("timestamp")
def _timestamp(value: str, at: int, context: Context) -> Typed:
    try:
        parsed = read_moment(value)
        zone = require_zone(parsed.zone) if parsed.zone else None
        kind = "timestamp with time zone" if zone else "timestamp"
        digits = _digits(parsed.fraction, kind, value, at)
        local = parsed.local.replace(microsecond=micros_of_fraction(parsed.fraction, digits))
        if zone is None:
            return timestamp_value(local, digits)
        moment = instant(local, zone)
        if clock(moment, zone) != local:
            raise ValueError(value)  # a literal must not be skipped
        return instant_value(moment, timestamp_tz(digits, zone))
    except (Beyond, OverflowError):
        raise _year_refusal("TIMESTAMP", value, at) from None


@literal_of("time")
def _time(value: str, at: int, context: Context) -> Typed:
    if _TIME_TZ.fullmatch(value):
        raise not_supported("time with time zone", at)
    whole, fraction = read_time(value)
    digits = _digits(fraction, "time", value, at)
    return time_value(whole + micros_of_fraction(fraction, digits), digits)


def with_zones(value: Typed, target: TrinoType, at: int) -> TrinoType:
    """The type that a cast gives: its moments keep their zone, or get the one that stands in a
    constant text, or the session's."""
    if isinstance(value.constant, str) and target.base == TIMESTAMP_TZ:
        try:
            written = read_moment(value.constant.strip()).zone
            if written:
                return replace(target, zone=require_zone(written))
        except ValueError:
            pass  # the cast itself will say so
    return _with_zone(value.type, target, at)


def _with_zone(source: TrinoType, target: TrinoType, at: int) -> TrinoType:
    if target.base == TIMESTAMP_TZ:
        kept = source.base == TIMESTAMP_TZ
        return replace(target, zone=source.zone if kept else session_zone(at))
    if source.base != target.base or not (target.types or target.fields):
        return target
    types = tuple(
        _with_zone(mine, its, at) for mine, its in zip(source.types, target.types, strict=False)
    )
    fields = tuple(
        RowField(its.name, _with_zone(mine.type, its.type, at))
        for mine, its in zip(source.fields, target.fields, strict=False)
    )
    return replace(target, types=types, fields=fields)
