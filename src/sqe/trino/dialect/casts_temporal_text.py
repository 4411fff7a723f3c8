"""CAST of texts to dates, times and timestamps.

Constant texts are read here and become literals. Others are read by the engine, with the same
patterns.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable

from sqe.model.trino_types import TIMESTAMP_TZ, TrinoType
from sqe.trino.dialect import temporal_literals as texts
from sqe.trino.dialect.casts import cast_failure, casts
from sqe.trino.dialect.moments import (
    MICROS_OF_DAY,
    from_micros,
    instant,
    micros_of,
    text_names_zone,
)
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, string
from sqe.trino.dialect.zones import SESSION

_TIME_GROUPS = (1, 2, 3, 4)


def _unreadable(sql: str, target: TrinoType) -> str:
    return f"concat('Value cannot be cast to {target.base}: ', {sql})"


def _constant(
    value: Typed, target: TrinoType, safe: bool, at: int, read: Callable[[str], Typed]
) -> str | None:
    """A constant text as a literal, or as the error that reading it is; None if the engine has to
    read it."""
    if not isinstance(value.constant, str):
        return None
    try:
        return read(value.constant).sql
    except (texts.Beyond, OverflowError):
        return None
    except ValueError:
        return cast_failure(_unreadable(value.sql, target), target, at, safe=safe)


def _match_all(pattern: str) -> str:
    return string(rf"^{pattern}\z")


def _group(sql: str, pattern: str, index: int) -> str:
    return f"regexp_extract({sql}, {_match_all(pattern)}, {index})"


def _number(text: str) -> str:
    """What a group that may be missing says."""
    return f"CAST(concat('0', {text}) AS INT)"


def _if_matching(sql: str, pattern: str, read: str) -> str:
    return f"IF({sql} RLIKE {_match_all(pattern)}, {read}, NULL)"


def _or_failed(sql: str, found: str, target: TrinoType, safe: bool, at: int) -> str:
    """``found`` is NULL for what cannot be read."""
    if safe:
        return found
    error = cast_failure(_unreadable(sql, target), target, at, safe=False)
    return f"coalesce({found}, IF({sql} IS NULL, NULL, {error}))"


@casts("varchar", "date")
def _to_date(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    known = _constant(value, target, safe, at, lambda text: texts.date_value(texts.read_date(text)))
    if known is not None:
        return known
    pattern = texts.DATE_TEXT

    def write(sql: str) -> str:
        year, month, day = (f"CAST({_group(sql, pattern, i)} AS INT)" for i in (1, 2, 3))
        read = f"CAST(try_make_timestamp_ntz({year}, {month}, {day}, 0, 0, 0) AS DATE)"
        return _or_failed(sql, _if_matching(sql, pattern, read), target, safe, at)

    return with_variable(value.sql, write)


def _fraction(text: str, digits: int) -> str:
    """Microseconds of the digits behind the point, rounded."""
    known = f"CAST(substring(rpad({text}, 8, '0'), 1, {digits + 1}) AS BIGINT)"
    return f"(({known} + 5) div 10 * {10 ** (6 - digits)})"


@casts("varchar", "time")
def _to_time(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    digits = target.precision

    def read_constant(text: str) -> Typed:
        whole, fraction = texts.read_time(text)
        micros = whole + texts.micros_of_fraction(fraction, digits)
        return texts.time_value(micros % MICROS_OF_DAY, digits)

    known = _constant(value, target, safe, at, read_constant)
    if known is not None:
        return known
    pattern = texts.TIME_TEXT

    def write(sql: str) -> str:
        hour, minute, second, fraction = (_group(sql, pattern, i) for i in _TIME_GROUPS)
        numbers = [_number(part) for part in (hour, minute, second)]
        valid = f"{numbers[0]} < 24 AND {numbers[1]} < 60 AND {numbers[2]} < 60"
        seconds = f"(({numbers[0]} * 60 + {numbers[1]}) * 60 + {numbers[2]}) * 1000000L"
        micros = f"pmod({seconds} + {_fraction(fraction, digits)}, {MICROS_OF_DAY})"
        matched = _if_matching(sql, pattern, f"IF({valid}, {micros}, NULL)")
        return _or_failed(sql, matched, target, safe, at)

    return with_variable(value.sql, write)


@casts("varchar", "timestamp timestamp_with_time_zone")
def _to_moment(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def read_constant(text: str) -> Typed:
        parsed = texts.read_moment(text.strip())
        zone = texts.require_zone(parsed.zone) if parsed.zone else target.zone or "UTC"
        micros = texts.micros_of_fraction(parsed.fraction, target.precision)
        local = parsed.local + datetime.timedelta(microseconds=micros)
        if zone == SESSION:
            return Typed(target, instant(texts.timestamp_sql(local), zone))
        moment = texts.instant(local, zone)
        if target.base == TIMESTAMP_TZ:
            return texts.instant_value(moment, target)
        return texts.timestamp_value(texts.clock(moment, zone), target.precision)

    known = _constant(value, target, safe, at, read_constant)
    if known is not None:
        return known
    return with_variable(f"trim({value.sql})", lambda sql: _read_moment(sql, target, safe, at))


def _read_moment(sql: str, target: TrinoType, safe: bool, at: int) -> str:
    pattern = texts.MOMENT_TEXT
    parts = [_group(sql, pattern, i) for i in range(1, 9)]
    numbers = [f"CAST({part} AS INT)" for part in parts[:3]] + [_number(p) for p in parts[3:6]]
    # Spark takes second 60 for the next minute.
    clock = f"IF({numbers[5]} < 60, try_make_timestamp_ntz({', '.join(numbers)}), NULL)"
    micros = f"{micros_of(clock)} + {_fraction(parts[6], target.precision)}"
    local = from_micros(micros, TrinoType("timestamp", target.numbers))
    zone = target.zone or "UTC"
    same = text_names_zone(parts[7], zone, ("UTC", "Z", "GMT", "+00:00"), by_name=True)
    message = string("A column of different time zones is not supported")
    other = fail("NOT_SUPPORTED", message, target, at)
    read = instant(local, zone) if target.base == TIMESTAMP_TZ else local
    named = f"IF({same}, {read}, {other})"
    return _or_failed(sql, _if_matching(sql, pattern, named), target, safe, at)
