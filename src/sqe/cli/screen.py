"""What may be shown on a terminal, and how wide it is."""

from __future__ import annotations

import re

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def escape_controls(text: str, keep: str = "") -> str:
    """Data must not move the cursor, change colours or reverse the text of a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub(lambda match: _escape(match.group(), keep), text)


def _escape(character: str, keep: str) -> str:
    if character in keep:
        return character
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def width(text: str) -> int:
    """Columns the text takes on a terminal."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    cells = wcswidth(text)
    return cells if cells >= 0 else len(text)


def pad(text: str, columns: int, *, right: bool) -> str:
    space = " " * (columns - width(text))
    return space + text if right else text + space
