"""+, -, * and / of dates, times, timestamps and intervals."""

from __future__ import annotations

from sqe.model.trino_types import (
    DATE,
    DAY_SECOND,
    DOUBLE,
    YEAR_MONTH,
    TrinoType,
)
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.moments import (
    MICROS_OF_DAY,
    MILLIS_OF_DAY,
    from_micros,
    local,
    micros,
    round_to,
    with_clock,
)
from sqe.trino.dialect.operators import Arithmetic, arithmetic_of
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, null_of, spark_type, string

_MOMENTS = "timestamp timestamp_with_time_zone"
_LATER, _EARLIER = "+", "-"


def _both_ways(kinds: str, interval: str, write: Arithmetic) -> None:
    """``kind ± interval`` and ``interval + kind``; ``write`` gets the kind first and, of a
    difference, the interval with its sign turned."""
    arithmetic_of(_LATER, kinds, interval)(write)
    arithmetic_of(_LATER, interval, kinds)(lambda left, right, at: write(right, left, at))
    arithmetic_of(_EARLIER, kinds, interval)(
        lambda left, right, at: write(left, negate_interval(right), at)
    )


def negate_interval(interval: Typed) -> Typed:
    """With the other sign."""
    if isinstance(interval.constant, int):
        value = -interval.constant
        return Typed(
            interval.type, f"({value}L)" if interval.type == DAY_SECOND else f"({value})", value
        )
    return Typed(interval.type, f"(- {interval.sql})")


def _date_and_days(day: Typed, interval: Typed, at: int) -> Typed:
    if isinstance(interval.constant, int) and interval.constant % MILLIS_OF_DAY == 0:
        return Typed(DATE, f"date_add({day.sql}, {interval.constant // MILLIS_OF_DAY})")

    def write(sql: str) -> str:
        message = string("Cannot add hour, minutes or seconds to a date")
        error = fail("INVALID_FUNCTION_ARGUMENT", message, DATE, at)
        added = f"date_add({day.sql}, CAST({sql} div {MILLIS_OF_DAY} AS INT))"
        return f"IF({sql} % {MILLIS_OF_DAY} <> 0, {error}, {added})"

    return Typed(DATE, with_variable(interval.sql, write))


def _date_and_months(day: Typed, interval: Typed, at: int) -> Typed:
    return Typed(DATE, f"add_months({day.sql}, {interval.sql})")


def _moment_and_duration(moment: Typed, interval: Typed, at: int) -> Typed:
    """A duration is the same everywhere, whatever the clock does. Its milliseconds are kept."""
    digits = max(moment.type.precision, 3)
    kind = TrinoType(moment.type.base, (digits,), zone=moment.type.zone)
    return Typed(kind, later(moment, interval))


def later(moment: Typed, interval: Typed) -> str:
    """By milliseconds."""
    if isinstance(interval.constant, int):
        seconds, rest = divmod(abs(interval.constant), 1000)
        sign = "-" if interval.constant < 0 else ""
        written = f"{seconds}.{rest:03}" if rest else str(seconds)
        return f"({moment.sql} + INTERVAL '{sign}{written}' SECOND)"
    return from_micros(f"({micros(moment)} + {interval.sql} * 1000L)", moment.type)


def _moment_and_months(moment: Typed, interval: Typed, at: int) -> Typed:
    return Typed(moment.type, with_clock(moment, months_later(local(moment, at), interval), at))


def months_later(clock: str, interval: Typed) -> str:
    if isinstance(interval.constant, int):
        return f"({clock} + INTERVAL '{interval.constant}' MONTH)"
    return f"({clock} + make_ym_interval(0, {interval.sql}))"


def _time_and_duration(time: Typed, interval: Typed, at: int) -> Typed:
    kind = TrinoType(time.type.base, (max(time.type.precision, 3),))
    return Typed(kind, f"pmod({time.sql} + {interval.sql} * 1000L, {MICROS_OF_DAY})")


_both_ways("date", "interval_day_to_second", _date_and_days)
_both_ways("date", "interval_year_to_month", _date_and_months)
_both_ways(_MOMENTS, "interval_day_to_second", _moment_and_duration)
_both_ways(_MOMENTS, "interval_year_to_month", _moment_and_months)
_both_ways("time", "interval_day_to_second", _time_and_duration)


# ------------------------------------------------------------------------- differences


@arithmetic_of("-", "date", "date")
def _between_dates(left: Typed, right: Typed, at: int) -> Typed:
    return Typed(
        DAY_SECOND, f"(CAST(datediff({left.sql}, {right.sql}) AS BIGINT) * {MILLIS_OF_DAY}L)"
    )


@arithmetic_of("-", "time", "time")
def _between_times(left: Typed, right: Typed, at: int) -> Typed:
    return Typed(DAY_SECOND, _in_millis(f"({left.sql} - {right.sql})"))


@arithmetic_of("-", _MOMENTS, _MOMENTS)
@arithmetic_of("-", "date", _MOMENTS)
@arithmetic_of("-", _MOMENTS, "date")
def _between_moments(left: Typed, right: Typed, at: int) -> Typed:
    common = common_type(left.type, right.type)
    if common is None:
        raise mismatch(f"Cannot apply operator: {left.type} - {right.type}", at)
    first, other = coerce(left, common, at), coerce(right, common, at)
    return Typed(DAY_SECOND, _in_millis(f"({micros(first)} - {micros(other)})"))


def _in_millis(sql: str) -> str:
    return f"({round_to(sql, 1000)} div 1000)"


# -------------------------------------------------------------------------- intervals


@arithmetic_of("+", "interval_day_to_second", "interval_day_to_second")
@arithmetic_of("+", "interval_year_to_month", "interval_year_to_month")
def _sum(left: Typed, right: Typed, at: int) -> Typed:
    return Typed(left.type, f"({left.sql} + {right.sql})")


@arithmetic_of("-", "interval_day_to_second", "interval_day_to_second")
@arithmetic_of("-", "interval_year_to_month", "interval_year_to_month")
def _difference(left: Typed, right: Typed, at: int) -> Typed:
    return Typed(left.type, f"({left.sql} - {right.sql})")


_INTERVALS = "interval_day_to_second interval_year_to_month"
_INTEGERS = "tinyint smallint integer bigint"
_FRACTIONS = "real double decimal"


@arithmetic_of("*", _INTERVALS, _INTEGERS)
def _times(left: Typed, right: Typed, at: int) -> Typed:
    product = f"({left.sql} * CAST({right.sql} AS BIGINT))"
    return Typed(left.type, _as_carrier(product, left.type, at))


@arithmetic_of("*", _INTERVALS, _FRACTIONS)
def _times_fraction(left: Typed, right: Typed, at: int) -> Typed:
    factor = coerce(right, DOUBLE, at).sql

    def write(sql: str) -> str:
        error = _no_number("multiply", sql, left.type, at)
        product = _as_carrier(_truncate(f"(CAST({left.sql} AS DOUBLE) * {sql})"), left.type, at)
        return f"IF(isnan({sql}), {error}, {product})"

    return Typed(left.type, with_variable(factor, write))


@arithmetic_of("*", f"{_INTEGERS} {_FRACTIONS}", _INTERVALS)
def _turn_times(left: Typed, right: Typed, at: int) -> Typed:
    whole = left.type.base in _INTEGERS.split()
    return _times(right, left, at) if whole else _times_fraction(right, left, at)


@arithmetic_of("/", _INTERVALS, f"{_INTEGERS} {_FRACTIONS}")
def _divide(left: Typed, right: Typed, at: int) -> Typed:
    divisor = coerce(right, DOUBLE, at).sql

    def write(sql: str) -> str:
        error = _no_number("divide", sql, left.type, at)
        quotient = _as_carrier(_truncate(f"(CAST({left.sql} AS DOUBLE) / {sql})"), left.type, at)
        return f"IF(isnan({sql}) OR {sql} = 0, {error}, {quotient})"

    return Typed(left.type, with_variable(divisor, write))


def _no_number(verb: str, sql: str, kind: TrinoType, at: int) -> str:
    message = f"concat('Cannot {verb} by double ', CAST({sql} AS STRING))"
    return fail("INVALID_FUNCTION_ARGUMENT", message, kind, at)


def _truncate(sql: str) -> str:
    """A double cut off as Java does, which stays at the ends of the range."""

    def write(value: str) -> str:
        return (
            f"CASE WHEN {value} >= 9.223372036854775807E18D THEN 9223372036854775807L "
            f"WHEN {value} <= -9.223372036854775807E18D THEN (-9223372036854775807L - 1L) "
            f"ELSE CAST({value} AS BIGINT) END"
        )

    return with_variable(sql, write)


def _as_carrier(sql: str, kind: TrinoType, at: int) -> str:
    return f"CAST({sql} AS {spark_type(kind, at)})" if kind == YEAR_MONTH else sql


# ------------------------------------------------------------------------------- NULL


@arithmetic_of("+", "date", "unknown")
@arithmetic_of("-", "date", "unknown")
@arithmetic_of("-", _INTERVALS, "unknown")
@arithmetic_of("*", _INTERVALS, "unknown")
@arithmetic_of("/", _INTERVALS, "unknown")
def _with_null(left: Typed, right: Typed, at: int) -> Typed:
    return null_of(left.type, at)


@arithmetic_of("+", "unknown", "date")
@arithmetic_of("*", "unknown", _INTERVALS)
def _null_with(left: Typed, right: Typed, at: int) -> Typed:
    return null_of(right.type, at)


@arithmetic_of("+", f"{_MOMENTS} {_INTERVALS}", "unknown")
@arithmetic_of("-", _MOMENTS, "unknown")
@arithmetic_of("+", "unknown", f"{_MOMENTS} {_INTERVALS}")
def _ambiguous(left: Typed, right: Typed, at: int) -> Typed:
    """NULL could be of several types, which give different answers."""
    message = "Could not choose a best candidate operator. Explicit type casts must be added."
    raise Refused("AMBIGUOUS_FUNCTION_CALL", message)
