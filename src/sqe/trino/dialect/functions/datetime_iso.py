"""from_iso8601_date and from_iso8601_timestamp.

A date is one of a month, of a week (2024-W32-3) or of the year (2024-220); what is left out is the
first.
"""

from __future__ import annotations

import re

from sqe.model.trino_types import DATE, TrinoType, timestamp, timestamp_tz
from sqe.sql.zone_names import zone_named
from sqe.trino.dialect.functions.datetime_parse import instant_or_null
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.moments import from_micros, micros_of, text_names_zone
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, null_of, string
from sqe.trino.dialect.zones import session_zone

_DATE = r"([+-]?\d{1,9}+)(?:-W(\d{1,2}+)(?:-(\d))?|-(\d{3})|-(\d{1,2}+)(?:-(\d{1,2}+))?)?"
_CLOCK = r"(\d{1,2}+)(?::(\d{1,2}+)(?::(\d{1,2}+)(?:[.,](\d{1,9}+))?)?)?"
_OFFSET = r"(Z|[+-]\d\d(?::?\d\d)?)?"
_MOMENT = rf"{_DATE}(?:T(?:{_CLOCK})?{_OFFSET})?"
_YEAR, _WEEK, _OF_WEEK, _OF_YEAR, _MONTH, _DAY = range(1, 7)
_HOUR, _MINUTE, _SECOND, _FRACTION, _ZONE = range(7, 12)


class _Text:
    """A text that is read with a pattern. ``sql`` is its SQL."""

    def __init__(self, sql: str, pattern: str) -> None:
        self.sql = sql
        self.pattern = string(rf"^{pattern}\z")

    def part(self, index: int) -> str:
        return f"regexp_extract({self.sql}, {self.pattern}, {index})"

    def number(self, index: int, missing: int = 1) -> str:
        return f"CAST(coalesce(nullif({self.part(index)}, ''), '{missing}') AS INT)"

    def date(self) -> str:
        """NULL where there is no such day."""
        year = f"CAST({self.part(_YEAR)} AS INT)"
        start = f"CAST(try_make_timestamp_ntz({year}, 1, 1, 0, 0, 0) AS DATE)"
        number = self.number(_OF_YEAR)
        of_year = with_variable(
            f"date_add({start}, {number} - 1)", lambda day: f"IF(year({day}) = {year}, {day}, NULL)"
        )
        fourth = f"date_add({start}, 3)"  # always in the first week
        week, weekday = self.number(_WEEK), self.number(_OF_WEEK)
        monday = f"date_add({fourth}, 7 * ({week} - 1) - weekday({fourth}))"
        of_week = (
            f"IF({weekday} BETWEEN 1 AND 7 AND weekofyear({monday}) = {week}, "
            f"date_add({monday}, {weekday} - 1), NULL)"
        )
        month = f"{self.number(_MONTH)}, {self.number(_DAY)}"
        of_month = f"CAST(try_make_timestamp_ntz({year}, {month}, 0, 0, 0) AS DATE)"
        return (
            f"CASE WHEN {self.part(_WEEK)} <> '' THEN {of_week} "
            f"WHEN {self.part(_OF_YEAR)} <> '' THEN {of_year} ELSE {of_month} END"
        )

    def clock(self) -> str:
        """A TIMESTAMP_NTZ; NULL where there is no such time."""
        hour, minute, second = (self.number(i, 0) for i in (_HOUR, _MINUTE, _SECOND))
        valid = f"{hour} < 24 AND {minute} < 60 AND {second} < 60"
        millis = f"CAST(substring(rpad({self.part(_FRACTION)}, 3, '0'), 1, 3) AS BIGINT)"
        of_day = f"(({hour} * 60L + {minute}) * 60L + {second}) * 1000000L + {millis} * 1000L"
        day = f"CAST({self.date()} AS TIMESTAMP_NTZ)"
        moment = from_micros(f"({micros_of(day)} + {of_day})", timestamp(3))
        return f"IF({valid}, {moment}, NULL)"

    def check(self, read: str, kind: TrinoType, at: int) -> str:
        message = f"concat('Invalid format: \"', {self.sql}, '\"')"
        error = fail("INVALID_FUNCTION_ARGUMENT", message, kind, at)
        matches = f"{self.sql} RLIKE {self.pattern}"
        return (
            f"CASE WHEN {self.sql} IS NULL THEN NULL "
            f"WHEN {matches} THEN coalesce({read}, {error}) ELSE {error} END"
        )


def _date(call: Bound) -> str:
    def write(sql: str) -> str:
        text = _Text(sql, _DATE)
        return text.check(text.date(), DATE, call.at)

    return with_variable(call.sql(0), write)


def _timestamp(call: Bound) -> Typed:
    """The zone is the offset in a constant text. Texts that are not constant must be without one,
    or of the session's, which is looked at when they are read."""
    value = call.arguments[0]
    if value.is_constant and value.constant is None:
        return null_of(timestamp_tz(3), call.at)
    zone = session_zone(call.at)
    match = re.fullmatch(_MOMENT, value.constant) if isinstance(value.constant, str) else None
    if match is not None and match[_ZONE]:
        zone = zone_named(match[_ZONE]) or zone
    kind = timestamp_tz(3, zone)

    def write(sql: str) -> str:
        text = _Text(sql, _MOMENT)
        read = with_variable(text.clock(), lambda clock: instant_or_null(clock, zone))
        if match is not None:
            return text.check(read, kind, call.at)
        same = text_names_zone(text.part(_ZONE), zone, ("Z", "+00", "+00:00", "+0000"))
        message = string("A column of different time zones is not supported")
        other = fail("NOT_SUPPORTED", message, kind, call.at)
        return text.check(f"IF({same}, {read}, {other})", kind, call.at)

    return Typed(kind, with_variable(value.sql, write))


def _nanos(call: Bound) -> Typed:
    raise call.refuse("a timestamp of 9 digits")


declare("from_iso8601_date", "(varchar(x)) -> date", _date)
declare("from_iso8601_timestamp", "(varchar(x)) -> timestamp(3) with time zone", _timestamp)
declare("from_iso8601_timestamp_nanos", "(varchar(x)) -> timestamp(9) with time zone", _nanos)
