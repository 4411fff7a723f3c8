"""CAST among dates, times and timestamps, and of them and intervals to texts.

Fractions of a second that the target has no digits for are rounded, halves up.
"""

from __future__ import annotations

from sqe.model.trino_types import DATE, TIMESTAMP_TZ, TrinoType
from sqe.trino.dialect.casts import casts, fit_text
from sqe.trino.dialect.moments import (
    MICROS_OF_DAY,
    from_micros,
    instant,
    local,
    micros_of,
    round_moment,
    round_to,
    zone_of_type,
    zone_sql,
)
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.session_values import today
from sqe.trino.dialect.typed import Typed, fail, string
from sqe.trino.dialect.zones import session_zone

_CLOCK = "yyyy-MM-dd HH:mm:ss"
_LONGEST_DATE = 14  # characters


# ------------------------------------------------------------------ among each other


@casts("date", "timestamp")
def _date_to_timestamp(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return local(value, at)


@casts("date timestamp", "timestamp_with_time_zone")
def _to_instant(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    clock = local(value, at) if value.type == DATE else round_moment(value, target.precision)
    return instant(clock, zone_of_type(target, at))


@casts("timestamp timestamp_with_time_zone", "date")
def _to_date(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return f"CAST({local(value, at)} AS DATE)"


@casts("timestamp", "timestamp")
@casts("timestamp_with_time_zone", "timestamp_with_time_zone")
def _round(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return round_moment(value, target.precision)


@casts("timestamp_with_time_zone", "timestamp")
def _to_local(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    clock = Typed(TrinoType("timestamp", value.type.numbers), local(value, at))
    return round_moment(clock, target.precision)


@casts("timestamp_with_time_zone", "time")
def _instant_to_time(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    of_day = f"pmod({micros_of(local(value, at))}, {MICROS_OF_DAY})"
    return _fewer_digits(of_day, value.type, target)


@casts("timestamp", "time")
def _timestamp_to_time(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """Trino loses a second of a time before 1970 that has a fraction, and fails in the first one
    of such a day."""

    def write(micros: str) -> str:
        of_day = f"pmod({micros}, {MICROS_OF_DAY})"
        if not value.type.precision:
            return of_day
        error = fail("GENERIC_INTERNAL_ERROR", string("value must be >= 0"), target, at)
        lost = f"IF({of_day} < 1000000, {error}, {of_day} - 1000000)"
        return f"IF({micros} < 0 AND {micros} % 1000000 <> 0, {lost}, {of_day})"

    of_day = with_variable(micros_of(value.sql), write)
    return _fewer_digits(of_day, value.type, target)


@casts("time", "time")
def _time_to_time(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return _fewer_digits(value.sql, value.type, target)


def _fewer_digits(of_day: str, source: TrinoType, target: TrinoType) -> str:
    """Rounding up may come to midnight."""
    if source.precision <= target.precision:
        return of_day
    return f"pmod({round_to(of_day, 10 ** (6 - target.precision))}, {MICROS_OF_DAY})"


@casts("time", "timestamp timestamp_with_time_zone")
def _of_today(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """That time of the day on which the statement began."""
    midnight = micros_of(f"CAST({today(at).sql} AS TIMESTAMP_NTZ)")
    digits = min(value.type.precision, target.precision)
    moment = round_to(f"({midnight} + {value.sql})", 10 ** (6 - digits))
    clock = from_micros(moment, TrinoType("timestamp", target.numbers))
    return clock if target.base != TIMESTAMP_TZ else instant(clock, session_zone(at))


# ------------------------------------------------------------------------ to texts


@casts("date", "varchar")
def _date_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    text = f"replace(CAST({value.sql} AS STRING), '+', '')"  # of years after 9999
    if target.length is None or target.length >= _LONGEST_DATE:
        return text
    return fit_text(text, target, at, safe=safe)


@casts("timestamp timestamp_with_time_zone", "varchar")
def _moment_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    digits = value.type.precision
    pattern = _CLOCK + ("." + "S" * digits if digits else "")
    text = f"date_format({local(value, at)}, '{pattern}')"
    if value.type.base == TIMESTAMP_TZ:
        text = f"concat({text}, ' ', {zone_sql(zone_of_type(value.type, at))})"
    return _limit_length(text, target, at)


@casts("time", "varchar")
def _time_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return _limit_length(time_text(value), target, at)


def time_text(value: Typed) -> str:
    digits = value.type.precision
    pattern = "HH:mm:ss" + ("." + "S" * digits if digits else "")
    return f"date_format(timestamp_micros({value.sql}), '{pattern}')"


@casts("interval_day_to_second", "varchar")
def _day_second_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        days = f"CAST(abs({sql} div 86400000) AS STRING)"
        clock = f"date_format(timestamp_millis(abs({sql} % 86400000)), 'HH:mm:ss.SSS')"
        return f"concat(IF({sql} < 0, '-', ''), {days}, ' ', {clock})"

    return _limit_length(with_variable(value.sql, write), target, at)


@casts("interval_year_to_month", "varchar")
def _year_month_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        years, months = f"abs({sql} div 12)", f"abs({sql} % 12)"
        return (
            f"concat(IF({sql} < 0, '-', ''), CAST({years} AS STRING), '-', "
            f"CAST({months} AS STRING))"
        )

    return _limit_length(with_variable(value.sql, write), target, at)


def _limit_length(text: str, target: TrinoType, at: int) -> str:
    """Texts that are too long are Trino's own defect, of TRY_CAST too."""
    if target.length is None:
        return text

    def write(sql: str) -> str:
        limit = string(f"Character count exceeds length limit {target.length}: base64:")
        message = f"concat({limit}, base64(CAST({sql} AS BINARY)))"
        error = fail("GENERIC_INTERNAL_ERROR", message, target, at)
        return f"IF(length({sql}) > {target.length}, {error}, {sql})"

    return with_variable(text, write)
