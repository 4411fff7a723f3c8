"""Patterns of dates and times, MySQL's and Joda's, as lists of what they print and read."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.trino.dialect.errors import Refused

_MOST_DIGITS = 9  # of a year that no other number follows
_PIVOT = 2020  # of MySQL's two-digit years


@dataclass(frozen=True, slots=True)
class Element:
    """One piece. ``field`` is ``literal``, or what is printed there; ``least`` digits are printed
    and up to ``most`` read."""

    field: str
    text: str = ""
    least: int = 1
    most: int = 2
    pivot: int | None = None  # of a two-digit year; None: of the current one
    lenient: bool = False  # a two-digit year that may be written in another length


def _literal(text: str) -> Element:
    return Element("literal", text)


_TIME_24 = (Element("hour", least=2), _literal(":"), Element("minute", least=2), _literal(":"),
            Element("second", least=2))  # fmt: skip
_MYSQL: dict[str, tuple[Element, ...]] = {
    "a": (Element("dow_short"),),
    "b": (Element("month_short"),),
    "c": (Element("month"),),
    "d": (Element("day", least=2),),
    "e": (Element("day"),),
    "f": (Element("fraction", least=6, most=9),),
    "H": (Element("hour", least=2),),
    "h": (Element("hour12", least=2),),
    "I": (Element("hour12", least=2),),
    "i": (Element("minute", least=2),),
    "j": (Element("day_of_year", least=3, most=3),),
    "k": (Element("hour"),),
    "l": (Element("hour12"),),
    "M": (Element("month_text"),),
    "m": (Element("month", least=2),),
    "p": (Element("halfday"),),
    "r": (Element("hour12", least=2), *_TIME_24[1:], _literal(" "), Element("halfday")),
    "S": (Element("second", least=2),),
    "s": (Element("second", least=2),),
    "T": _TIME_24,
    "v": (Element("week", least=2),),
    "W": (Element("dow_text"),),
    "x": (Element("weekyear", least=4, most=4),),
    "Y": (Element("year", least=4, most=4),),
    "y": (Element("year2", pivot=_PIVOT),),
}
_NOT_MYSQL = "DUuVwX"


def mysql(pattern: str) -> list[Element]:
    """Of date_format and date_parse: ``%Y-%m-%d``."""
    elements: list[Element] = []
    escaped = False
    for character in pattern:
        if not escaped:
            if character == "%":
                escaped = True
            else:
                elements.append(_literal(character))
            continue
        escaped = False
        if character in _NOT_MYSQL:
            message = f"%{character} not supported in date format string"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message)
        elements += _MYSQL.get(character, (_literal(character),))
    if not elements:
        raise Refused("INVALID_FUNCTION_ARGUMENT", "Both printing and parsing not supported")
    return _join_literals(elements)


def _join_literals(elements: list[Element]) -> list[Element]:
    """With neighbouring literals as one."""
    joined: list[Element] = []
    for element in elements:
        if joined and element.field == joined[-1].field == "literal":
            joined[-1] = _literal(joined[-1].text + element.text)
        else:
            joined.append(element)
    return joined


# Letters of Joda's patterns that stand for a number of two digits at most.
_NUMBERS = {"d": "day", "h": "hour12", "H": "hour", "k": "clockhour", "K": "hour_half",
            "m": "minute", "s": "second", "e": "dow_number", "w": "week"}  # fmt: skip
_NUMERIC = "cCxyYdhHmsSeDFwWkK"


def joda(pattern: str) -> list[Element]:
    """Of format_datetime and parse_datetime: ``yyyy-MM-dd``."""
    if not pattern:
        message = "Invalid pattern specification: Pattern is null or empty"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    tokens = _tokens(pattern)
    elements = []
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        elements.append(_joda_element(token, _is_numeric(following)))
    return _join_literals(elements)


def _tokens(pattern: str) -> list[str]:
    """Runs of one letter, and texts; a text begins with a quote."""
    tokens: list[str] = []
    i = 0
    while i < len(pattern):
        start = pattern[i]
        if _is_letter(start):
            end = i
            while end < len(pattern) and pattern[end] == start:
                end += 1
            tokens.append(pattern[i:end])
            i = end
        else:
            text, i = _read_quoted(pattern, i)
            tokens.append("'" + text)
    return tokens


def _read_quoted(pattern: str, i: int) -> tuple[str, int]:
    """A text up to the next letter outside of quotes; two quotes are one."""
    text, inside = "", False
    while i < len(pattern):
        character = pattern[i]
        if character == "'":
            if pattern[i + 1 : i + 2] == "'":
                text += "'"
                i += 1
            else:
                inside = not inside
        elif not inside and _is_letter(character):
            break
        else:
            text += character
        i += 1
    return text, i


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _is_numeric(token: str) -> bool:
    return bool(token) and (token[0] in _NUMERIC or (token[0] == "M" and len(token) <= 2))


def _joda_element(token: str, before_number: bool) -> Element:
    letter, length = token[0], len(token)
    if letter == "'":
        return _literal(token[1:])
    if letter in _NUMBERS:
        return Element(_NUMBERS[letter], least=length, most=max(length, 2))
    if letter in "xyY" and length == 2:
        field = "weekyear2" if letter == "x" else "year2"
        return Element(field, lenient=not before_number)
    if letter in "xyY":
        most = length if before_number else _MOST_DIGITS
        field = {"x": "weekyear", "y": "year", "Y": "year_of_era"}[letter]
        return Element(field, least=length, most=most)
    if letter == "M":
        if length < 3:
            return Element("month", least=length)
        return Element("month_text" if length > 3 else "month_short")
    if letter == "E":
        return Element("dow_text" if length > 3 else "dow_short")
    named = {
        "a": Element("halfday"),
        "D": Element("day_of_year", least=length, most=max(length, 3)),
        "S": Element("fraction", least=length, most=length),
        "z": Element("zone_name", least=length),
        "Z": Element(("offset", "offset_colon", "zone_id")[min(length, 3) - 1]),
        "G": Element("era"),
        "C": Element("century", least=length, most=length),
    }
    if letter not in named:
        message = f"Illegal pattern component: {token}"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    return named[letter]
