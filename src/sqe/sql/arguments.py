"""The values CALL takes: literals, lists of them, and moments.

Only what SQE understands: a value is checked before Spark sees it, so it must be known before.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar
from zoneinfo import ZoneInfo

from sqe.errors import ErrorCode
from sqe.sql import procedures as types
from sqe.sql.cursor import TokenCursor

_T = TypeVar("_T")
_MOMENT_WORDS = ("TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "DATE")
_NOW = ("NOW", "CURRENT_TIMESTAMP")
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86_400, "WEEK": 604_800}
_ZONE = re.compile(r"(.*\d)\s*([A-Za-z]\w*(?:/[\w+-]+)*)\Z")
_OFFSET = re.compile(r"[+-]\d{1,2}(:\d{2})?\Z")


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: ``when`` is without a zone where the session's zone is meant."""

    when: datetime.datetime

    def at(self, time_zone: str) -> datetime.datetime:
        """In UTC."""
        when = self.when
        if when.tzinfo is None:
            when = when.replace(tzinfo=zone_of(time_zone))
        return when.astimezone(datetime.UTC)


def zone_of(name: str) -> datetime.tzinfo:
    """A session's time zone: a region, or an offset such as +01:00."""
    if _OFFSET.match(name):
        hours, _, minutes = name[1:].partition(":")
        offset = datetime.timedelta(hours=int(hours), minutes=int(minutes or 0))
        return datetime.timezone(-offset if name[0] == "-" else offset)
    return ZoneInfo(name)


def timestamp_literal(moment: datetime.datetime) -> str:
    """In Spark's spelling, the zone said, so that it means the same in every session."""
    return f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S.%f}Z'"


def read_value(cursor: TokenCursor, type: str, what: str) -> Any:
    """The value that stands here, which must be of the type. NULL is None."""
    if cursor.accept("NULL"):
        return None
    return _READERS[type](cursor, what)


def _string(cursor: TokenCursor, what: str) -> str:
    return cursor.string_literal(f"{what} as a string in quotes")


def _boolean(cursor: TokenCursor, what: str) -> bool:
    word = cursor.accept_one_of("TRUE", "FALSE")
    if word is None:
        _fail(cursor, f"{what} is true or false")
    return word == "TRUE"


def _integer(cursor: TokenCursor, what: str, bits: int = 64) -> int:
    sign = -1 if cursor.accept("-") else 1
    if not cursor.source().isdecimal() or cursor.at_string():
        _fail(cursor, f"{what} is a whole number")
    value = sign * int(cursor.source())
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        _fail(cursor, f"{what} is a number of {bits} bits")
    cursor.skip()
    return value


def _small_integer(cursor: TokenCursor, what: str) -> int:
    return _integer(cursor, what, 32)


def _list_of(read: Callable[[TokenCursor, str], _T]) -> Callable[[TokenCursor, str], list[_T]]:
    def read_list(cursor: TokenCursor, what: str) -> list[_T]:
        if not cursor.accept("ARRAY", "("):
            _fail(cursor, f"{what} is a list, as in array(…)")
        values: list[_T] = []
        while not cursor.accept(")"):
            if values:
                cursor.expect(",")
            values.append(read(cursor, f"each of {what}"))
        return values

    return read_list


def _map(cursor: TokenCursor, what: str) -> dict[str, str]:
    if not cursor.accept("MAP", "("):
        _fail(cursor, f"{what} are pairs of strings, as in map('key', 'value')")
    pairs: dict[str, str] = {}
    first = True
    while not cursor.accept(")"):
        if not first:
            cursor.expect(",")
        first = False
        key = _string(cursor, f"a name in {what}")
        cursor.expect(",")
        pairs[key] = _string(cursor, f"the value of {key}")
    return pairs


def _moment(cursor: TokenCursor, what: str) -> Moment:
    if cursor.accept_one_of(*_NOW):
        if cursor.accept("("):
            cursor.expect(")")
        return Moment(datetime.datetime.now(datetime.UTC) - _interval(cursor, what))
    cursor.accept_one_of(*_MOMENT_WORDS)
    text = cursor.string_literal(
        f"{what} as a moment, such as TIMESTAMP '2026-01-31 12:00:00' or now() - INTERVAL 7 DAYS"
    )
    moment = _parse_time(text.strip())
    if moment is None:
        _fail(cursor, f"{text!r} is not a moment SQE understands: write it as in '2026-01-31'")
    return Moment(moment)


def _interval(cursor: TokenCursor, what: str) -> datetime.timedelta:
    """What is taken from now: ``- INTERVAL 7 DAYS``, or nothing."""
    if not cursor.accept("-"):
        return datetime.timedelta()
    cursor.expect("INTERVAL")
    text = cursor.string_literal() if cursor.at_string() else cursor.source()
    number, _, unit = text.strip().partition(" ")
    if not cursor.at_string() and cursor.source() == text:
        cursor.skip()
    if not unit:
        unit = cursor.source()
        cursor.skip()
    seconds = _SECONDS.get(unit.strip().upper().removesuffix("S"))
    if seconds is None or not number.isdecimal():
        _fail(cursor, f"{what}: an interval is a whole number of weeks, days, hours or minutes")
    return datetime.timedelta(seconds=int(number) * seconds)


def _parse_time(text: str) -> datetime.datetime | None:
    zone: datetime.tzinfo | None = None
    named = _ZONE.match(text)
    try:
        if named and named[2].upper() not in ("Z", "T"):
            text, zone = named[1], ZoneInfo(named[2])
        moment = datetime.datetime.fromisoformat(text)
    except (ValueError, KeyError):
        return None
    if zone is None:
        return moment
    return None if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def _fail(cursor: TokenCursor, message: str) -> NoReturn:
    cursor.fail(message, ErrorCode.INVALID_ARGUMENT)


_READERS: dict[str, Callable[[TokenCursor, str], Any]] = {
    types.STRING: _string,
    types.BOOLEAN: _boolean,
    types.INT: _small_integer,
    types.BIGINT: _integer,
    types.TIMESTAMP: _moment,
    types.STRINGS: _list_of(_string),
    types.NUMBERS: _list_of(_integer),
    types.OPTIONS: _map,
}
