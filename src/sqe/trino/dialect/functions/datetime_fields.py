"""The fields of dates, times, timestamps and intervals, and EXTRACT."""

from __future__ import annotations

from collections.abc import Callable

from sqe.trino.dialect.calls import CallSite, call_named, special
from sqe.trino.dialect.errors import mismatch
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.moments import local, local_day, micros_of, zone_of_type, zone_sql
from sqe.trino.dialect.typed import Typed

_DAYS = ["(date)", "(timestamp(p))", "(timestamp(p) with time zone)"]
_CLOCKS = _DAYS[1:]
# name -> (SQL of a date, description)
_OF_DAYS = {
    ("year",): ("year({0})", "Year of the given"),
    ("quarter",): ("quarter({0})", "Quarter of the year of the given"),
    ("month",): ("month({0})", "Month of the year of the given"),
    ("week", "week_of_year"): ("weekofyear({0})", "Week of the year of the given"),
    ("day", "day_of_month"): ("day({0})", "Day of the month of the given"),
    ("day_of_week", "dow"): ("(weekday({0}) + 1)", "Day of the week of the given"),
    ("day_of_year", "doy"): ("dayofyear({0})", "Day of the year of the given"),
    # The year that the week's Thursday is in.
    ("year_of_week", "yow"): (
        "year(date_add({0}, 3 - weekday({0})))",
        "Year of the ISO week of the given",
    ),
}
# name -> (SQL of a clock's time, microseconds of the unit, of the next larger one, description)
_OF_CLOCKS = {
    "hour": ("hour({0})", 3_600_000_000, 86_400_000_000, "Hour of the day of the given"),
    "minute": ("minute({0})", 60_000_000, 3_600_000_000, "Minute of the hour of the given"),
    "second": ("second({0})", 1_000_000, 60_000_000, "Second of the minute of the given"),
    "millisecond": (
        "pmod(unix_millis(CAST({0} AS TIMESTAMP)), 1000)",
        1_000,
        1_000_000,
        "Millisecond of the second of the given",
    ),
}
_KINDS = {
    "(date)": "date",
    "(timestamp(p))": "timestamp",
    "(timestamp(p) with time zone)": "timestamp",
    "(time(p))": "time",
    "(interval day to second)": "interval",
    "(interval year to month)": "interval",
}


def _declare(name: str, arguments: str, emit: str | Callable[[Bound], str], about: str) -> None:
    declare(name, f"{arguments} -> bigint", emit, description=f"{about} {_KINDS[arguments]}")


def _of_day(template: str) -> Callable[[Bound], str]:
    return lambda call: f"CAST({template.format(local_day(call.arguments[0], call.at))} AS BIGINT)"


def _of_clock(template: str) -> Callable[[Bound], str]:
    return lambda call: f"CAST({template.format(local(call.arguments[0], call.at))} AS BIGINT)"


for _names, (_template, _about) in _OF_DAYS.items():
    for _name in _names:
        for _arguments in _DAYS:
            _declare(_name, _arguments, _of_day(_template), _about)
for _name, (_template, _unit, _larger, _about) in _OF_CLOCKS.items():
    for _arguments in _CLOCKS:
        _declare(_name, _arguments, _of_clock(_template), _about)
    _declare(_name, "(time(p))", f"(({{0}} % {_larger}L) div {_unit}L)", _about)
    _interval = f"(({{0}} % {_larger // 1000}L) div {_unit // 1000}L)"
    _declare(_name, "(interval day to second)", _interval, _about)
for _name in ("day", "day_of_month"):
    _about = _OF_DAYS["day", "day_of_month"][1]
    _declare(_name, "(interval day to second)", "({0} div 86400000L)", _about)
for _name, _operator in (("year", "div"), ("month", "%")):
    _about = _OF_DAYS[_name,][1]
    _declare(_name, "(interval year to month)", f"CAST({{0}} {_operator} 12 AS BIGINT)", _about)


def _offset_minutes(value: Typed, at: int) -> str:
    """How far the clock is ahead of UTC."""
    ahead = f"{micros_of(local(value, at))} - unix_micros({value.sql})"
    return f"(({ahead}) div 60000000L)"


def _zone_hour(call: Bound) -> str:
    return f"({_offset_minutes(call.arguments[0], call.at)} div 60)"


def _zone_minute(call: Bound) -> str:
    return f"({_offset_minutes(call.arguments[0], call.at)} % 60)"


def _zone(call: Bound) -> str:
    zone = zone_of_type(call.arguments[0].type, call.at)
    return f"IF({call.sql(0)} IS NULL, NULL, {zone_sql(zone)})"


declare("timezone_hour", "(timestamp(p) with time zone) -> bigint", _zone_hour,
        description="Time zone hour of the given timestamp")  # fmt: skip
declare("timezone_minute", "(timestamp(p) with time zone) -> bigint", _zone_minute,
        description="Time zone minute of the given timestamp")  # fmt: skip
declare("timezone", "(timestamp(p) with time zone) -> varchar", _zone,
        description="Time zone of the given timestamp")  # fmt: skip


def _last_day(call: Bound) -> str:
    return f"last_day({local_day(call.arguments[0], call.at)})"


for _arguments in _DAYS:
    declare("last_day_of_month", f"{_arguments} -> date", _last_day,
            description=f"Last day of the month of the given {_KINDS[_arguments]}")  # fmt: skip


# ---------------------------------------------------------------------------- EXTRACT

_DAY_BASES = ("date", "timestamp", "timestamp with time zone")
_CLOCK_BASES = ("time", "timestamp", "timestamp with time zone", "interval day to second")
_EXTRACTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("year", "month"), (*_DAY_BASES, "interval year to month")),
    "day": (*_DAY_BASES, "interval day to second"),
    **dict.fromkeys(("quarter", "week", "day_of_month", "day_of_week", "dow"), _DAY_BASES),
    **dict.fromkeys(("day_of_year", "doy", "year_of_week", "yow"), _DAY_BASES),
    **dict.fromkeys(("hour", "minute", "second"), _CLOCK_BASES),
    **dict.fromkeys(("timezone_hour", "timezone_minute"), ("timestamp with time zone",)),
}


@special("extract")
def _extract(site: CallSite) -> Typed:
    """EXTRACT takes the types themselves only, where the functions also take what becomes them."""
    field = site.argument(0).constant
    value = site.argument(1)
    name = str(field).lower()
    if value.type.base not in _EXTRACTED[name]:
        message = f"Cannot extract {field} from {value.type.display}"
        raise mismatch(message, site.node.arguments[1].at)
    return call_named(site, name, [value])
