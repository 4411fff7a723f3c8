"""The narrowest type that all values of a column have, for people who have no table yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sqe.files.forms import Forms

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
    found = kinds[0]
    for kind in kinds[1:]:
        found = _wider(found, kind)
    return found


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
    if kind not in ("int", "bigint", "decimal(38,0)"):
        return True
    number = int(forms.plain_number(text))
    if kind == "decimal(38,0)":
        return abs(number) < 10**38
    limit = _INT if kind == "int" else _BIGINT
    return -limit <= number < limit
