"""The narrowest type that all values of a column have, for people who have no table yet."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sqe.files.forms import ISO_DATE, LONG_YEAR_DATE, Forms
from sqe.files.patterns import Pattern

# From narrow to wide; text is what everything is.
TYPES = ("boolean", "int", "bigint", "decimal(38,0)", "double", "date", "timestamp")
_INT, _BIGINT = 2**31, 2**63


@lru_cache(maxsize=32)
def regex_of_type(forms: Forms, kind: str) -> str:
    """What a text has to look like to be guessed as the type: more strict than what is loaded into
    a column that has it. A number that begins with a zero may be a code, which loses it."""
    sign = "[+-]?"
    grouped = f"(?:{re.escape(forms.thousands)}[0-9]{{3}})*" if forms.thousands else ""
    whole = f"(?:0|[1-9][0-9]{{0,2}}{grouped}|[1-9][0-9]*)" if grouped else "(?:0|[1-9][0-9]*)"
    point = re.escape(forms.decimal)
    return {
        "boolean": "(?i:true|false)",
        "int": sign + whole,
        "bigint": sign + whole,
        "decimal(38,0)": sign + whole,
        "double": f"{sign}(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        "|NaN|[+-]?Infinity",
        "date": forms.date,
        "timestamp": forms.timestamp_text,
    }[kind]


def type_of_text(text: str, forms: Forms) -> str:
    for kind in TYPES:
        if re.fullmatch(regex_of_type(forms, kind), text) and _fits(text, kind, forms):
            return kind
    return "string"


def type_of_values(values: Iterable[str | None], forms: Forms) -> str:
    """Of those that are not NULL; ``string`` where there are none."""
    return wider(sorted({type_of_text(value, forms) for value in values if value is not None}))


def wider(kinds: Sequence[str]) -> str:
    """The type for values of all these types."""
    if not kinds or "string" in kinds:
        return "string"
    widest = kinds[0]
    for kind in kinds[1:]:
        widest = _wider(widest, kind)
    return widest


def _wider(one: str, other: str) -> str:
    numbers = TYPES[1:5]
    if one == other:
        return one
    if one in numbers and other in numbers:
        return max(one, other, key=numbers.index)
    if {one, other} == {"date", "timestamp"}:
        return "timestamp"
    return "string"


def _fits(text: str, kind: str, forms: Forms) -> bool:
    """Whether a text that looks like the type is in its range: what the load will find, too."""
    if kind == "date":
        return _is_day(text, forms)
    if kind == "timestamp":
        return _is_moment(text, forms)
    if kind not in ("int", "bigint", "decimal(38,0)"):
        return True
    number = int(forms.plain_number(text))
    if kind == "decimal(38,0)":
        return abs(number) < 10**38
    limit = _INT if kind == "int" else _BIGINT
    return -limit <= number < limit


def _is_moment(text: str, forms: Forms) -> bool:
    if forms.timestamp_pattern is not None:
        return _parses(text, forms.timestamp_pattern)
    day = re.match(f"(?:{forms.date})(?![0-9])", text)
    return day is not None and _is_day(day[0], forms)


def _is_day(text: str, forms: Forms) -> bool:
    """A day of the calendar: there is no February 30."""
    if not forms.only_dates and re.fullmatch(f"{ISO_DATE}|{LONG_YEAR_DATE}", text):
        year, month, day = (int(part) for part in text.rsplit("-", 2))
        if not 1 <= month <= 12:
            return False
        # Years come again every 400, and Python's own end at 9999.
        return 1 <= day <= calendar.monthrange(2000 + year % 400, month)[1]
    return any(
        re.fullmatch(pattern.regex, text) and _parses(text, pattern)
        for pattern in forms.date_patterns
    )


def _parses(text: str, pattern: Pattern) -> bool:
    try:
        datetime.datetime.strptime(text, pattern.strptime.replace("%g", "%f"))
    except ValueError:
        return False
    return True
