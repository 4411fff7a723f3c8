"""date_parse and parse_datetime: the pattern becomes a regular expression that the engine matches.

What a text does not say is taken from the start of 1970, of 2000 where it names a month or a day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from sqe.model.trino_types import TrinoType, timestamp, timestamp_tz
from sqe.sql.zone_names import zone_named
from sqe.trino.dialect.functions.datetime_patterns import Element, joda, mysql
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.moments import from_micros, instant, local_in, micros_of
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.session_values import start_year
from sqe.trino.dialect.typed import Typed, fail, null_of, string
from sqe.trino.dialect.zones import session_zone

_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December"]  # fmt: skip
_NUMBERS = ("month", "day", "day_of_year", "hour", "hour12", "hour_half", "clockhour", "minute",
            "second")  # fmt: skip
_HOURS = ("hour", "hour12", "hour_half", "clockhour")
_OFFSET = r"Z|[+-]\d\d:?\d\d"


def _spellings(names: list[str]) -> str:
    """The names, as they are, in lower and in upper case; longer ones first."""
    words = {form for name in names for form in (name, name.lower(), name.upper())}
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


@dataclass
class _Reader:
    """The regular expression of a pattern, and which group of it has which field."""

    call: Bound
    pattern: str = ""
    groups: dict[str, int] = field(default_factory=dict)
    pivot: str = "0"  # SQL
    lenient: bool = False

    def add(self, element: Element) -> None:
        if element.field == "literal":
            self.pattern += f"(?i:{re.escape(element.text)})"
            return
        name, expression = self._read(element)
        if name in self.groups or (name in _HOURS and self.groups.keys() & set(_HOURS)):
            raise self.call.refuse(f"a pattern with more than one {name}")
        self.groups[name] = len(self.groups) + 1
        self.pattern += f"({expression})"

    def _read(self, element: Element) -> tuple[str, str]:
        if element.field in _NUMBERS:
            return element.field, rf"\d{{1,{element.most}}}+"
        if element.field == "year":
            return "year", rf"[+-]?\d{{1,{element.most}}}+"
        if element.field == "year2":
            pivot = element.pivot
            self.pivot = f"({start_year(self.call.at)} - 30)" if pivot is None else str(pivot)
            self.lenient = element.lenient
            return "year2", r"[+-]?\d{1,6}+" if element.lenient else r"\d\d"
        if element.field == "fraction":
            return "fraction", rf"\d{{1,{element.most}}}+"
        if element.field in ("month_text", "month_short"):
            return "month_name", _spellings([*_MONTHS, *(name[:3] for name in _MONTHS)])
        if element.field == "halfday":
            return "halfday", _spellings(["AM", "PM"])
        if element.field in ("offset", "offset_colon"):
            return "offset", _OFFSET
        raise self.call.refuse(f"a pattern with a {element.field.replace('_', ' ')}")

    @property
    def expression(self) -> str:
        """SQL of the whole of it."""
        return string(rf"^{self.pattern}\z")

    def text(self, name: str, sql: str) -> str:
        return f"regexp_extract({sql}, {self.expression}, {self.groups[name]})"

    def number(self, name: str, sql: str, missing: int) -> str:
        if name not in self.groups:
            return str(missing)
        return f"CAST({self.text(name, sql)} AS INT)"

    # ------------------------------------------------------------- fields as numbers

    def year(self, sql: str) -> str:
        if "year2" in self.groups:
            return self._short_year(self.text("year2", sql))
        named = self.groups.keys() & {"month", "month_name", "day", "day_of_year"}
        return self.number("year", sql, 2000 if named else 1970)

    def _short_year(self, text: str) -> str:
        first = f"({self.pivot} - 50)"
        number = f"CAST({text} AS INT)"
        near = f"({first} + pmod({number} - {first}, 100))"
        return f"IF({text} RLIKE '^[0-9]{{2}}$', {near}, {number})" if self.lenient else near

    def month(self, sql: str) -> str:
        if "month_name" not in self.groups:
            return self.number("month", sql, 1)
        if "month" in self.groups:
            raise self.call.refuse("a pattern with more than one month")
        names = ", ".join(f"'{name[:3].lower()}'" for name in _MONTHS)
        short = f"lower(substring({self.text('month_name', sql)}, 1, 3))"
        return f"CAST(array_position(array({names}), {short}) AS INT)"

    def hour(self, sql: str) -> str:
        """NULL where it is out of range."""
        afternoon = "0"
        if "halfday" in self.groups:
            afternoon = f"IF(upper({self.text('halfday', sql)}) = 'PM', 12, 0)"
            if self.groups.keys() & {"hour", "clockhour"}:
                raise self.call.refuse("a pattern with an hour of 24 and AM or PM")
        if "hour12" in self.groups:
            hour = self.number("hour12", sql, 12)
            return f"IF({hour} BETWEEN 1 AND 12, {hour} % 12 + {afternoon}, NULL)"
        if "hour_half" in self.groups:
            hour = self.number("hour_half", sql, 0)
            return f"IF({hour} BETWEEN 0 AND 11, {hour} + {afternoon}, NULL)"
        if "clockhour" in self.groups:
            hour = self.number("clockhour", sql, 24)
            return f"IF({hour} BETWEEN 1 AND 24, {hour} % 24, NULL)"
        return self.number("hour", sql, 0) if "hour" in self.groups else afternoon

    def clock(self, sql: str) -> str:
        """A TIMESTAMP_NTZ, or NULL for what is no date or time."""
        second, year = self.number("second", sql, 0), self.year(sql)
        day = self.number("day", sql, 1)
        whole = f"{self.hour(sql)}, {self.number('minute', sql, 0)}, {second}"
        if "day_of_year" in self.groups:
            if self.groups.keys() & {"month", "month_name", "day"}:
                raise self.call.refuse("a pattern with a day of the year and a month or day")
            number = self.number("day_of_year", sql, 1)
            start = f"try_make_timestamp_ntz({year}, 1, 1, {whole})"
            last = f"dayofyear(make_date({year}, 12, 31))"
            moment = (
                f"IF({number} BETWEEN 1 AND {last}, {start} + make_dt_interval({number} - 1), NULL)"
            )
        else:
            moment = f"try_make_timestamp_ntz({year}, {self.month(sql)}, {day}, {whole})"
        if "second" in self.groups:  # Spark takes 60 for the next minute
            moment = f"IF({second} < 60, {moment}, NULL)"
        if "fraction" not in self.groups:
            return moment
        digits = f"substring(rpad({self.text('fraction', sql)}, 3, '0'), 1, 3)"
        return from_micros(
            f"({micros_of(moment)} + CAST({digits} AS BIGINT) * 1000L)", timestamp(3)
        )


def _reader(call: Bound, parse: Callable[[str], list[Element]]) -> _Reader:
    pattern = call.arguments[1].constant
    if not isinstance(pattern, str):
        raise call.refuse("a pattern that is not constant")
    reader = _Reader(call)
    for element in parse(pattern):
        reader.add(element)
    return reader


def _check_format(reader: _Reader, sql: str, kind: TrinoType, read: str) -> str:
    call = reader.call
    message = f"concat('Invalid format: \"', {sql}, '\"')"
    error = fail("INVALID_FUNCTION_ARGUMENT", message, kind, call.at)
    matches = f"{sql} RLIKE {reader.expression}"
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL "
        f"WHEN {matches} THEN coalesce({read}, {error}) ELSE {error} END"
    )


def _has_null(call: Bound) -> bool:
    return any(argument.is_constant and argument.constant is None for argument in call.arguments)


def _date_parse(call: Bound) -> Typed:
    if _has_null(call):
        return null_of(timestamp(3), call.at)
    reader = _reader(call, mysql)
    return Typed(
        timestamp(3),
        with_variable(
            call.sql(0), lambda sql: _check_format(reader, sql, timestamp(3), reader.clock(sql))
        ),
    )


def _parse_datetime(call: Bound) -> Typed:
    """In the session's zone, or at the offset that stands in a constant text."""
    if _has_null(call):
        return null_of(timestamp_tz(3), call.at)
    reader = _reader(call, joda)
    zone = session_zone(call.at)
    if "offset" in reader.groups:
        zone = _offset_in(reader) or zone
    kind = timestamp_tz(3, zone)

    def write(sql: str) -> str:
        read = with_variable(reader.clock(sql), lambda clock: instant_or_null(clock, zone))
        return _check_format(reader, sql, kind, read)

    return Typed(kind, with_variable(call.sql(0), write))


def instant_or_null(clock: str, zone: str) -> str:
    """The instant of a local time; NULL for one that the clocks skip."""
    if zone == "UTC" or zone[0] in "+-":
        return instant(clock, zone)
    moment = instant(clock, zone)
    return f"IF({local_in(moment, zone)} = {clock}, {moment}, NULL)"


def _offset_in(reader: _Reader) -> str | None:
    text = reader.call.arguments[0].constant
    if not isinstance(text, str):
        raise reader.call.refuse("offsets in texts that are not constant")
    match = re.fullmatch(reader.pattern, text)
    if match is None:
        if not re.search(r"[+-]\d\d(:?\d\d)?$|Z$", text):
            return None
        raise reader.call.refuse("an offset of this form")
    return zone_named(match[reader.groups["offset"]])


declare("date_parse", "(varchar(x), varchar(y)) -> timestamp(3)", _date_parse)
declare("parse_datetime", "(varchar(x), varchar(y)) -> timestamp(3) with time zone",
        _parse_datetime,
        description="Parses the specified date/time by the given format")  # fmt: skip
