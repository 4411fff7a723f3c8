"""date_format, format_datetime and to_iso8601."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.model.trino_types import TIMESTAMP_TZ, VARCHAR, varchar
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.datetime_patterns import Element, joda, mysql
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.moments import local, micros_of, round_moment, zone_of_type, zone_sql
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, string

# Letters of Spark's patterns for fields that it prints in the same way, with as many as ``least``.
_LETTERS = {"month": "M", "day": "d", "hour": "H", "hour12": "h", "clockhour": "k",
            "hour_half": "K", "minute": "m", "second": "s"}  # fmt: skip
_WORDS = {"month_text": "MMMM", "month_short": "MMM", "dow_text": "EEEE", "dow_short": "EEE",
          "halfday": "a", "year2": "yy"}  # fmt: skip
_PLAIN = re.compile(r"[-/:. ]*")
_MOST_YEAR_DIGITS = 6


def _spark_letters(element: Element) -> str | None:
    """The element in a pattern of Spark's; None where it has none that means the same."""
    if element.field == "literal":
        plain = _PLAIN.fullmatch(element.text)
        return element.text if plain else "'" + element.text.replace("'", "''") + "'"
    if element.field in _WORDS:
        return _WORDS[element.field]
    if element.field in _LETTERS and element.least <= 2:
        return _LETTERS[element.field] * element.least
    if element.field in ("year", "year_of_era") and element.least <= _MOST_YEAR_DIGITS:
        return "y" * element.least
    if element.field == "fraction" and element.least <= 9:
        return "S" * element.least
    if element.field == "day_of_year" and element.least <= 3:
        return "D" * element.least
    return None


_COMPUTED: dict[str, str] = {
    "dow_number": "weekday({0}) + 1",
    "week": "weekofyear({0})",
    "weekyear": "year(date_add(CAST({0} AS DATE), 3 - weekday({0})))",
}


def _print(call: Bound, elements: list[Element]) -> Typed:
    """Fractions are rounded to milliseconds first."""
    value = call.arguments[0]
    cut = Typed(value.type, round_moment(value, 3))
    return Typed(
        VARCHAR, with_variable(cut.sql, lambda sql: _text(call, Typed(value.type, sql), elements))
    )


def _text(call: Bound, value: Typed, elements: list[Element]) -> str:
    clock = local(value, call.at)
    pieces: list[str] = []
    pattern = ""
    for element in elements:
        letters = _spark_letters(element)
        if letters is not None:
            pattern += letters
            continue
        if pattern:
            pieces.append(f"date_format({clock}, {string(pattern)})")
            pattern = ""
        pieces.append(_print_element(call, value, clock, element))
    if pattern or not pieces:
        pieces.append(f"date_format({clock}, {string(pattern)})" if pattern else "''")
    text = pieces[0] if len(pieces) == 1 else f"concat({', '.join(pieces)})"
    if not any(
        element.field in ("year", "year2", "year_of_era", "weekyear") for element in elements
    ):
        return f"IF({value.sql} IS NULL, NULL, {text})"
    message = string("A year beyond 0001 to 9999 in a format is not supported")
    far = fail("NOT_SUPPORTED", message, VARCHAR, call.at)
    return f"IF(year({clock}) NOT BETWEEN 1 AND 9999, {far}, {text})"


def _print_element(call: Bound, value: Typed, clock: str, element: Element) -> str:
    if element.field in _COMPUTED:
        number = f"CAST({_COMPUTED[element.field].format(clock)} AS STRING)"
        return number if element.least == 1 else f"lpad({number}, {element.least}, '0')"
    is_utc = value.type.base == TIMESTAMP_TZ and value.type.zone == "UTC"
    if element.field == "zone_id":
        return zone_sql(zone_of_type(value.type, call.at))
    if element.field == "zone_name" and is_utc and element.least < 4:
        return "'UTC'"
    if element.field in ("offset", "offset_colon"):
        return offset_text(value, clock, ":" if element.field == "offset_colon" else "")
    raise call.refuse(f"a pattern with a {element.field.replace('_', ' ')}")


def offset_text(value: Typed, clock: str, separator: str, zero: str = "") -> str:
    """``+02:00``. ``zero`` is what no offset prints."""

    def write(minutes: str) -> str:
        parts = [f"lpad(CAST(abs({minutes}) {sign} 60 AS STRING), 2, '0')" for sign in ("div", "%")]
        text = f"concat(IF({minutes} < 0, '-', '+'), {parts[0]}, '{separator}', {parts[1]})"
        return f"IF({minutes} = 0, '{zero}', {text})" if zero else text

    return with_variable(f"(({micros_of(clock)} - unix_micros({value.sql})) div 60000000L)", write)


def _pattern(call: Bound, read: Callable[[str], list[Element]]) -> list[Element] | None:
    """None: the pattern is NULL."""
    pattern = call.arguments[1]
    if pattern.is_constant and pattern.constant is None:
        return None
    if not isinstance(pattern.constant, str):
        raise call.refuse("a pattern that is not constant")
    return read(pattern.constant)


def _date_format(call: Bound) -> Typed:
    elements = _pattern(call, mysql)
    return (
        _print(call, elements) if elements is not None else Typed(VARCHAR, "CAST(NULL AS STRING)")
    )


def _format_datetime(call: Bound) -> Typed:
    elements = _pattern(call, joda)
    if elements is None:
        return Typed(VARCHAR, "CAST(NULL AS STRING)")
    zoned = call.arguments[0].type.base == TIMESTAMP_TZ
    if not zoned and any(element.field.startswith(("zone", "offset")) for element in elements):
        message = (
            "format_datetime for TIMESTAMP type, cannot use 'Z' nor 'z' in format, "
            "as this type does not contain TZ information"
        )
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    return _print(call, elements)


for _kind in ("timestamp(p)", "timestamp(p) with time zone"):
    declare("date_format", f"({_kind}, varchar(x)) -> varchar", _date_format,
            description="Formats the given timestamp by the given format")  # fmt: skip
    declare("format_datetime", f"({_kind}, varchar(x)) -> varchar", _format_datetime,
            description="Formats the given time by the given format")  # fmt: skip


def _iso_date(call: Bound) -> str:
    return f"replace(CAST({call.sql(0)} AS STRING), '+', '')"


def _iso_moment(call: Bound) -> Typed:
    value = call.arguments[0]
    digits = value.type.precision
    pattern = "yyyy-MM-dd'T'HH:mm:ss" + ("." + "S" * digits if digits else "")
    length = 22 + (digits + 1 if digits else 0)
    if value.type.base != TIMESTAMP_TZ:
        return Typed(varchar(length), f"date_format({value.sql}, {string(pattern)})")

    def write(sql: str) -> str:
        moment = Typed(value.type, sql)
        clock = local(moment, call.at)
        offset = offset_text(moment, clock, ":", zero="Z")
        return f"concat(date_format({clock}, {string(pattern)}), {offset})"

    return Typed(varchar(length + 6), with_variable(value.sql, write))


declare("to_iso8601", "(date) -> varchar(16)", _iso_date)
declare("to_iso8601", "(timestamp(p)) -> varchar(n)", _iso_moment)
declare("to_iso8601", "(timestamp(p) with time zone) -> varchar(n)", _iso_moment)
