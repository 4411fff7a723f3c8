"""JSON that is known while translating, printed as Trino prints it: without blanks, keys in order,
numbers with a point or an exponent as Java prints doubles, the last of two equal keys."""

from __future__ import annotations

import json
import re

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_CONTROL = re.compile(r"\\u00[01][0-9a-f]")


class _Number(str):
    """The text of a number, to be printed without quotes."""

    __slots__ = ()


def canonical(text: str) -> str:
    """ValueError for what is not JSON."""
    try:
        value = json.loads(
            text.strip(" \t\r\n"),
            parse_float=lambda written: _Number(java_double(float(written))),
            parse_int=lambda written: _Number("0" if written == "-0" else written),
            parse_constant=_no_constant,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _print(value)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def java_double(value: float) -> str:
    """As ``Double.toString``; what is not finite in quotes, as it stands in JSON."""
    if value != value or value in (float("inf"), float("-inf")):
        return '"NaN"' if value != value else f'"{"-" if value < 0 else ""}Infinity"'
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return f"{value:.1f}" if value == int(value) else _print_float(value)
    digits, _, exponent = f"{value!r}".partition("e")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, part = digits.partition(".")
    power = int(exponent or 0) + len(whole) - 1
    figures = (whole + part).rstrip("0") if part or not exponent else whole
    stripped = (whole + part).lstrip("0")
    if whole == "0":
        power = int(exponent or 0) - (len(part) - len(part.lstrip("0"))) - 1
        figures = stripped
    figures = figures.rstrip("0") or "0"
    return f"{sign}{figures[0]}.{figures[1:] or '0'}E{power}"


def _print_float(value: float) -> str:
    return f"{value!r}" if "e" not in f"{value!r}" else f"{value:f}"


def _print(value: object) -> str:
    if isinstance(value, _Number):
        return str.__str__(value)
    if isinstance(value, str):
        return quote_json(value)
    if isinstance(value, list):
        return f"[{','.join(map(_print, value))}]"
    if isinstance(value, dict):
        # Java compares strings by their UTF-16 units.
        ordered = sorted(
            value.items(), key=lambda item: item[0].encode("utf-16-be", "surrogatepass")
        )
        return (
            "{" + ",".join(f"{quote_json(key)}:{_print(member)}" for key, member in ordered) + "}"
        )
    return json.dumps(value)


def quote_json(value: str) -> str:
    """Trino writes characters beyond the first plane as two escapes, and hex digits in capitals."""
    text = json.dumps(value, ensure_ascii=False)
    text = _CONTROL.sub(lambda found: "\\u" + found[0][2:].upper(), text)
    return _ASTRAL.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be").hex().upper()
    return f"\\u{units[:4]}\\u{units[4:]}"
