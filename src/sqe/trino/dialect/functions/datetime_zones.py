"""Zones of timestamps, seconds since the epoch, and date()."""

from __future__ import annotations

from sqe.model.trino_types import DATE, timestamp_tz
from sqe.sql.zone_names import offset_named, zone_named
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.moments import instant
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed
from sqe.trino.dialect.zones import session_zone

_MILLIS_OF_MINUTE = 60_000


def _zone_argument(call: Bound, index: int) -> str:
    """A zone must be known when the statement is translated."""
    value = call.arguments[index]
    if not isinstance(value.constant, str):
        raise call.refuse("a time zone that is not constant")
    if not value.constant:
        raise Refused("GENERIC_INTERNAL_ERROR", "Zone id is an empty string")
    zone = zone_named(value.constant)
    if zone is None:
        message = f"'{value.constant}' is not a valid time zone"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    return zone


def _offset_argument(call: Bound, minutes: int) -> str:
    zone = offset_named(minutes)
    if zone is None:
        raise Refused("INVALID_FUNCTION_ARGUMENT", f"Invalid offset minutes {minutes}")
    return zone


def _is_null(call: Bound) -> bool:
    return any(argument.is_constant and argument.constant is None for argument in call.arguments)


def _at_zone(call: Bound) -> Typed:
    value = call.arguments[0]
    if _is_null(call):
        return Typed(timestamp_tz(value.type.precision, value.type.zone), "CAST(NULL AS TIMESTAMP)")
    kind = timestamp_tz(value.type.precision, _zone_argument(call, 1))
    return Typed(kind, value.sql, value.constant)


def _at_offset(call: Bound) -> Typed:
    value, interval = call.arguments[0], call.arguments[1].constant
    if not isinstance(interval, int):
        raise call.refuse("a time zone that is not constant")
    if interval % _MILLIS_OF_MINUTE:
        message = "Invalid time zone offset interval: interval contains seconds"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    zone = _offset_argument(call, interval // _MILLIS_OF_MINUTE)
    return Typed(timestamp_tz(value.type.precision, zone), value.sql, value.constant)


def _with_zone(call: Bound) -> Typed:
    value = call.arguments[0]
    if _is_null(call):
        return Typed(timestamp_tz(value.type.precision), "CAST(NULL AS TIMESTAMP)", None)
    zone = _zone_argument(call, 1)
    return Typed(timestamp_tz(value.type.precision, zone), instant(value.sql, zone))


_TZ = "timestamp(p) with time zone"
declare("at_timezone", f"({_TZ}, varchar(x)) -> {_TZ}", _at_zone)
declare("at_timezone", f"({_TZ}, interval day to second) -> {_TZ}", _at_offset, hidden=True)
declare("with_timezone", f"(timestamp(p), varchar(x)) -> {_TZ}", _with_zone)


# ------------------------------------------------------------------------- unix time


def _from_seconds(call: Bound, zone: str) -> Typed:
    """Rounded to milliseconds, halves up; NaN is the epoch."""

    def write(sql: str) -> str:
        half = f"IF({sql} - floor({sql}) BETWEEN 0.5D AND 1.0D, 1L, 0L)"
        return f"timestamp_millis(floor({sql}) + {half})"

    return Typed(timestamp_tz(3, zone), with_variable(f"({call.sql(0)} * 1000.0D)", write))


def _from_unixtime_at(call: Bound) -> Typed:
    name = call.arguments[1].constant
    if _is_null(call):
        return Typed(timestamp_tz(3), "CAST(NULL AS TIMESTAMP)", None)
    if isinstance(name, str) and zone_named(name) is None:
        raise Refused("NOT_SUPPORTED", f"Time zone not supported: {name}")
    return _from_seconds(call, _zone_argument(call, 1))


def _from_unixtime_offset(call: Bound) -> Typed:
    hours, minutes = call.arguments[1].constant, call.arguments[2].constant
    if not isinstance(hours, int) or not isinstance(minutes, int):
        raise call.refuse("a time zone that is not constant")
    return _from_seconds(call, _offset_argument(call, hours * 60 + minutes))


def _nanos(call: Bound) -> Typed:
    raise call.refuse("a timestamp of 9 digits")


def _to_unixtime(call: Bound) -> str:
    value = call.arguments[0]
    if value.type.precision <= 3:
        return f"(CAST(unix_millis({value.sql}) AS DOUBLE) / 1000.0D)"
    # The rest is added to the milliseconds as Trino does it, for the same last digit.
    millis = f"(CAST(unix_millis({value.sql}) AS DOUBLE) / 1000.0D)"
    picos = f"CAST(pmod(unix_micros({value.sql}), 1000) * 1000000L AS DOUBLE)"
    return f"({millis} + {picos} / 1.0E12D)"


_SECONDS = "timestamp(3) with time zone"
declare("from_unixtime", f"(double) -> {_SECONDS}",
        lambda call: _from_seconds(call, session_zone(call.at)))  # fmt: skip
declare("from_unixtime", f"(double, varchar(x)) -> {_SECONDS}", _from_unixtime_at)
declare("from_unixtime", f"(double, bigint, bigint) -> {_SECONDS}", _from_unixtime_offset)
for _kind in ("bigint", "decimal(p, s)"):
    declare("from_unixtime_nanos", f"({_kind}) -> timestamp(9) with time zone", _nanos)
declare("to_unixtime", f"({_TZ}) -> double", _to_unixtime)


def _to_date(call: Bound) -> Typed:
    return cast(call.arguments[0], DATE, call.at)


for _kind in ("timestamp(p)", _TZ, "varchar(x)"):
    declare("date", f"({_kind}) -> date", _to_date)
