"""Patterns of dates (``dd.MM.yyyy``, as in Spark) as regular expressions and for strptime."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError

_PARTS = {
    "yyyy": ("[0-9]{4}", "%Y"),
    "uuuu": ("[0-9]{4}", "%Y"),
    "yy": ("[0-9]{2}", "%y"),
    "MM": ("[0-9]{2}", "%m"),
    "M": ("[0-9]{1,2}", "%m"),
    "dd": ("[0-9]{2}", "%d"),
    "d": ("[0-9]{1,2}", "%d"),
    "HH": ("[0-9]{2}", "%H"),
    "H": ("[0-9]{1,2}", "%H"),
    "mm": ("[0-9]{2}", "%M"),
    "ss": ("[0-9]{2}", "%S"),
    "SSS": ("[0-9]{3}", "%g"),
    "SSSSSS": ("[0-9]{6}", "%f"),
}
_TOKEN = re.compile(
    r"'(?P<quoted>[^']*)'|(?P<letters>(?P<letter>[A-Za-z])(?P=letter)*)|(?P<sign>.)"
)


@dataclass(frozen=True)
class Pattern:
    text: str
    regex: str
    strptime: str


def pattern_of(text: str) -> Pattern:
    regex, strptime = "", ""
    for token in _TOKEN.finditer(text):
        letters = token.group("letters")
        if letters:
            part = _PARTS[letters]
            regex, strptime = regex + part[0], strptime + part[1]
        else:
            plain = (token.group("quoted") or "'") if token.group("sign") is None else token[0]
            regex += re.escape(plain)
            strptime += plain.replace("%", "%%")
    return Pattern(text, regex, strptime)


def check_pattern(option: str, text: str, *, with_time: bool) -> None:
    """An error where it does not say one day (and time)."""
    letters = [m.group("letters") for m in _TOKEN.finditer(text) if m.group("letters")]
    unknown = next((word for word in letters if word not in _PARTS), "")
    if unknown:
        known = ", ".join(_PARTS)
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{option} cannot have {unknown!r} in it.",
            hint=f"It takes {known}, other signs as they are, and letters in 'quotes'.",
        )
    kinds = {word[0].replace("u", "y") for word in letters}
    if not {"y", "M", "d"} <= kinds or (not with_time and kinds - {"y", "M", "d"}):
        wanted = "yyyy, MM and dd" + (", and may have HH, mm and ss" if with_time else " alone")
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{option} must have {wanted} in it.")
