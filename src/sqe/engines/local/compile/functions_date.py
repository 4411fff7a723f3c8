"""Functions of dates and moments, as DuckDB writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Build, Built, need
from sqe.engines.local.compile.compiling import Compiling, in_utc
from sqe.engines.local.compile.literals import date_literal, iso_date, midnight
from sqe.engines.local.compile.value import Value, any_nullable
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import DATE, INT, STRING, TIMESTAMP, TIMESTAMP_NTZ

_MOMENTS = (TIMESTAMP, TIMESTAMP_NTZ)
_SMALL_INTS = ("tinyint", "smallint", "int")
_TRUNC_DATE = {
    "year": "year", "yyyy": "year", "yy": "year", "quarter": "quarter", "month": "month",
    "mon": "month", "mm": "month", "week": "week",
}  # fmt: skip
_TRUNC_MOMENT = _TRUNC_DATE | {
    "day": "day", "dd": "day", "hour": "hour", "minute": "minute", "second": "second",
    "millisecond": "milliseconds",
}  # fmt: skip


def _clock_time(here: Compiling, value: Value, what: str) -> str:
    """A moment as the clock shows it."""
    need(value.type in _MOMENTS, f"{what} takes a timestamp")
    if value.type == TIMESTAMP:
        in_utc(here, what)
        return f"CAST({value.sql} AS TIMESTAMP)"
    return value.sql


def _day(here: Compiling, value: Value, what: str) -> str:
    if value.type == DATE:
        return value.sql
    need(value.type in _MOMENTS, f"{what} takes a date or a timestamp")
    return f"CAST({_clock_time(here, value, what)} AS DATE)"


def date_part(part: str, plus: int = 0) -> Build:
    """A field of a date. ``plus``: where the engines count from different numbers."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 1, f"{part} takes one argument")
        day = _day(here, values[0], part)
        shift = f" + {plus}" if plus else ""
        sql = f"CAST({part}({day}){shift} AS INTEGER)"
        if part in ("year", "weekofyear"):
            far = give_up("a date before the year 1", INT)
            sql = f"CASE WHEN {day} < DATE '0001-01-01' THEN {far} ELSE {sql} END"
        return sql, INT, values[0].nullable

    return build


def clock_part(part: str) -> Build:
    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 1, f"{part} takes one argument")
        sql = f"CAST({part}({_clock_time(here, values[0], part)}) AS INTEGER)"
        return sql, INT, values[0].nullable

    return build


# What EXTRACT takes.
EXTRACTED: dict[str, Build] = {
    **dict.fromkeys(("year", "years", "yr", "y"), date_part("year")),
    **dict.fromkeys(("quarter", "qtr"), date_part("quarter")),
    **dict.fromkeys(("month", "months", "mon"), date_part("month")),
    **dict.fromkeys(("week", "weeks"), date_part("weekofyear")),
    **dict.fromkeys(("day", "days", "d"), date_part("day")),
    **dict.fromkeys(("dayofweek", "dow"), date_part("dayofweek", 1)),
    "doy": date_part("dayofyear"),
    **dict.fromkeys(("hour", "hours"), clock_part("hour")),
    **dict.fromkeys(("minute", "minutes"), clock_part("minute")),
}
_FORMATS = {
    "yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "SSSSSS": "%f",
    "EEEE": "%A",
}  # fmt: skip
_FORMAT = re.compile(
    r"(?:(?<!y)yyyy(?!y)|(?<!M)MM(?!M)|(?<!d)dd(?!d)|(?<!H)HH(?!H)|(?<!m)mm(?!m)"
    r"|(?<!s)ss(?!s)|(?<!S)SSSSSS(?!S)|(?<!E)EEEE(?!E)|[-/:. ])+"
)


def part_of(here: Compiling, values: Sequence[Value]) -> Built:
    """date_part('year', d)"""
    need(len(values) == 2, "date_part takes two arguments")
    build = EXTRACTED.get(str(values[0].literal).lower())
    if build is None:
        raise NotLocal("this date_part is Spark's")
    return build(here, values[1:])


def date_format(here: Compiling, values: Sequence[Value]) -> Built:
    """Only with full numbers of four and two digits; further years are written differently."""
    need(len(values) == 2, "date_format takes two arguments")
    value, pattern = values[0], str(values[1].literal)
    need(_FORMAT.fullmatch(pattern) is not None, "date_format with this pattern is Spark's")
    for letters, sign in _FORMATS.items():
        pattern = pattern.replace(letters, sign)
    if value.type == DATE:
        in_utc(here, "date_format")
        plain = midnight(value.sql, TIMESTAMP_NTZ)
    else:
        plain = _clock_time(here, value, "date_format")
    far = give_up("a year of other than four digits as text", STRING)
    odd = f"{plain} < TIMESTAMP '1000-01-01' OR {plain} >= TIMESTAMP '10000-01-01'"
    sql = f"CASE WHEN {odd} THEN {far} ELSE strftime({plain}, '{pattern}') END"
    return sql, STRING, any_nullable(*values)


def _day_and_count(values: Sequence[Value], what: str) -> tuple[Value, Value]:
    need(len(values) == 2 and values[0].type == DATE, f"{what} takes a date")
    need(values[1].type.name in _SMALL_INTS, f"{what} takes an int")
    return values[0], values[1]


def move_date(sign: str) -> Build:
    """date_add and date_sub."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        day, count = _day_and_count(values, "date_add")
        return f"({day.sql} {sign} {count.cast(INT)})", DATE, any_nullable(*values)

    return build


def add_months(here: Compiling, values: Sequence[Value]) -> Built:
    day, count = _day_and_count(values, "add_months")
    sql = f"CAST({day.sql} + to_months({count.cast(INT)}) AS DATE)"
    return sql, DATE, any_nullable(*values)


def datediff(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 2, "datediff takes two arguments")
    end, start = (_day(here, value, "datediff") for value in values)
    return f"CAST({end} - {start} AS INTEGER)", INT, any_nullable(*values)


def last_day(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1, "last_day takes one argument")
    return f"last_day({_day(here, values[0], 'last_day')})", DATE, values[0].nullable


def unix_date(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1 and values[0].type == DATE, "unix_date takes a date")
    return f"CAST({values[0].sql} - DATE '1970-01-01' AS INTEGER)", INT, values[0].nullable


def to_date(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1, "to_date with a format is Spark's")
    (value,) = values
    if value.type == STRING:
        day = iso_date(value.literal)
        need(day is not None, "a cast from a string to date is Spark's")
        assert day is not None  # noqa: S101  tested on the line above
        return date_literal(day).sql, DATE, True
    return _day(here, value, "to_date"), DATE, value.nullable


def trunc(here: Compiling, values: Sequence[Value]) -> Built:
    """The first day of a date's year, quarter, month or week."""
    need(len(values) == 2, "trunc takes two arguments")
    unit = _TRUNC_DATE.get(str(values[1].literal).lower())
    need(unit is not None, "trunc by this unit is Spark's")
    day = _day(here, values[0], "trunc")
    return f"CAST(date_trunc('{unit}', {day}) AS DATE)", DATE, True


def date_trunc(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 2, "date_trunc takes two arguments")
    unit, value = _TRUNC_MOMENT.get(str(values[0].literal).lower()), values[1]
    need(unit is not None, "date_trunc by this unit is Spark's")
    in_utc(here, "date_trunc")
    if value.type == DATE:
        plain = midnight(value.sql, TIMESTAMP_NTZ)
    else:
        plain = _clock_time(here, value, "date_trunc")
    return f"CAST(date_trunc('{unit}', {plain}) AS TIMESTAMPTZ)", TIMESTAMP, True


def convert_timezone(here: Compiling, values: Sequence[Value]) -> Built:
    """Views made in Trino's SQL have it, with the zone of their reader: as a rule that is UTC."""
    need(len(values) == 3, "convert_timezone takes three arguments")
    in_utc = values[0].literal == values[1].literal == "UTC"
    need(in_utc, "convert_timezone between other zones than UTC is Spark's")
    need(values[2].type == TIMESTAMP_NTZ, "convert_timezone takes a timestamp_ntz")
    return values[2].sql, TIMESTAMP_NTZ, values[2].nullable


def current_date(here: Compiling, values: Sequence[Value]) -> Built:
    in_utc(here, "the current date")
    return "CAST(CAST(now() AS TIMESTAMP) AS DATE)", DATE, False


def current_timestamp(here: Compiling, values: Sequence[Value]) -> Built:
    return "now()", TIMESTAMP, False
