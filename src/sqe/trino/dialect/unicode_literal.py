"""The escapes of ``U&'…'``."""

from __future__ import annotations

_HEX = frozenset("0123456789abcdefABCDEF")
_SURROGATES = range(0xD800, 0xE000)
_LAST = 0x10FFFF


class BadEscape(ValueError):
    pass


def escape_character(text: str) -> str:
    """The character that UESCAPE names."""
    if not text:
        raise BadEscape("Empty Unicode escape character")
    if len(text) != 1 or not "\x20" < text < "\x7f" or text in _HEX or text in "\"+'":
        raise BadEscape(f"Invalid Unicode escape character: {text}")
    return text


def decode(text: str, escape: str) -> str:
    """``\\0061`` and ``\\+000061`` as characters."""
    characters = []
    place = 0
    while place < len(text):
        if text[place] != escape:
            characters.append(text[place])
            place += 1
            continue
        following = text[place + 1 : place + 2]
        if following == escape:
            characters.append(escape)
            place += 2
        elif following == "+":
            characters.append(_character(text[place + 2 : place + 8], 6))
            place += 8
        elif not following or following in _HEX:
            characters.append(_character(text[place + 1 : place + 5], 4))
            place += 5
        else:
            raise BadEscape(f"Invalid hexadecimal digit: {following}")
    return "".join(characters)


def _character(digits: str, length: int) -> str:
    for place, digit in enumerate(digits):
        if digit not in _HEX:
            raise BadEscape(f"Incomplete escape sequence: {digits[:place]}")
    if len(digits) < length:
        raise BadEscape(f"Incomplete escape sequence: {digits}")
    point = int(digits, 16)
    if point > _LAST:
        raise BadEscape(f"Invalid escaped character: {digits}")
    if point in _SURROGATES:
        raise BadEscape(
            f"Invalid escaped character: {digits}. "
            "Escaped character is a surrogate. Use '\\+123456' instead."
        )
    return chr(point)
