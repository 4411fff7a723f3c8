"""Java's regular expressions in Python's: the same meaning, or none at all.

What the two read differently and is not translated here is refused: a rule that matches something
else than its writer meant is worse than one that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_FLAGS = re.compile(r"\(\?([is]+)\)")
_COUNT = re.compile(r"\{\d+(?:,\d*)?\}")
_GROUP = re.compile(r"\((?!\?)|\(\?(?:i?:|=|!|>|<=|<!|<([A-Za-z][A-Za-z0-9]*)>)")
_NAMED = re.compile(r"\\k<([A-Za-z][A-Za-z0-9]*)>")
_NUMBERED = re.compile(r"\\([1-9])(?![0-9])")
_CODE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_CLASS_LETTERS = frozenset("dDwWsStnrf")
_LETTERS = _CLASS_LETTERS | frozenset("bBA")
# Java's dot stops at every end of a line, Python's at \n alone.
_DOT = r"[^\n\r\x85\u2028\u2029]"
# Of Python's complaints those that Java has too.
_BROKEN = (
    *("missing )", "unbalanced parenthesis", "min repeat greater", "bad character range"),
    *("redefinition of group name", "unknown group name"),
)
# In a replacement: a group by its number or name, or a character that stands for itself.
_REPLACED = re.compile(r"\$(?:([0-9])|\{([A-Za-z][A-Za-z0-9]*)\})|\\.|[^$\\]", re.DOTALL)


class NotRegex(ValueError):
    """Neither Java nor Python can read it."""


@lru_cache(maxsize=4096)
def java_regex(text: str, ignore_case: bool = False) -> re.Pattern[str]:
    """To be used with ``fullmatch``, as Trino does. ValueError: refused."""
    flags = re.ASCII | (re.IGNORECASE if ignore_case else 0)
    start = _FLAGS.match(text)
    if start is not None and "i" in start[1]:
        flags |= re.IGNORECASE
    dots = r"[\s\S]" if start is not None and "s" in start[1] else _DOT
    translated = _Translation(text, start.end() if start is not None else 0, dots).translate()
    try:
        return re.compile(translated, flags)
    except (re.error, RecursionError, OverflowError) as error:
        words = f"{text!r} is not a regular expression: {error}"
        raise NotRegex(words) if _is_broken(error, translated) else ValueError(words) from None


def _is_broken(error: Exception, translated: str) -> bool:
    """Whether Java would not read it either: it has more look-behinds, classes and references."""
    if not isinstance(error, re.error):
        return isinstance(error, OverflowError)  # Java counts less far
    if error.msg == "nothing to repeat":  # Java repeats anchors
        return translated[: error.pos][-1:] in ("", "(", "|", ":")
    return error.msg.startswith(_BROKEN) and "\\" not in error.msg


def problem_of_replacement(pattern: str, replacement: str) -> str:
    """What is certainly wrong with replacing one by the other; nothing where it cannot be said:
    not all that Java reads is read here."""
    try:
        compiled = java_regex(pattern)
    except NotRegex as error:
        return str(error)
    except ValueError:
        return ""
    place = 0
    while place < len(replacement):
        group = _REPLACED.match(replacement, place)
        if group is None:
            return f"{replacement!r} has a $ or \\ in it that stands for nothing"
        if (group[1] and int(group[1]) > compiled.groups) or (
            group[2] and group[2] not in compiled.groupindex
        ):
            return f"{pattern!r} has no group {group[1] or group[2]}"
        place = group.end()
    return ""


def literal(text: str) -> str:
    """Java's regular expression for just this text."""
    return "".join(char if char.isalnum() or char == "_" else "\\" + char for char in text)


class _Translation:
    def __init__(self, text: str, start: int, dots: str) -> None:
        self._text = text
        self._at = start
        self._dots = dots
        self._found: list[str] = []

    def translate(self) -> str:
        while self._at < len(self._text):
            match self._text[self._at]:
                case "\\":
                    self._escape(_LETTERS)
                case "[":
                    self._characters()
                case "(":
                    self._take(_GROUP, lambda found: f"(?P<{found[1]}>" if found[1] else found[0])
                case "{":
                    self._take(_COUNT, lambda found: found[0])
                case ".":
                    self._put(self._dots)
                case char:
                    self._put(char)
        return "".join(self._found)

    def _put(self, what: str, length: int = 1) -> None:
        self._found.append(what)
        self._at += length

    def _take(self, pattern: re.Pattern[str], written: Callable[[re.Match[str]], str]) -> None:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise self._refusal()
        self._put(written(match), len(match[0]))

    def _escape(self, letters: frozenset[str]) -> None:
        text, at = self._text, self._at
        following = text[at + 1 : at + 2]
        if not following:
            raise NotRegex(f"{text!r} is not a regular expression: it ends with a \\")
        if following in letters:
            self._put(text[at : at + 2], 2)
        elif following == "Q":
            self._take(_QUOTED, lambda found: re.escape(found[1]))
        elif following == "k" and letters is _LETTERS:
            self._take(_NAMED, lambda found: f"(?P={found[1]})")
        elif following == "z" and letters is _LETTERS:
            self._put(r"\Z", 2)
        elif following in ("x", "u"):
            self._take(_CODE, lambda found: found[0])
        elif following.isdigit() and letters is _LETTERS:
            self._take(_NUMBERED, lambda found: f"(?:{found[0]})")
        elif not (following.isascii() and following.isalnum()):
            self._put(re.escape(following), 2)
        else:
            raise self._refusal()

    def _characters(self) -> None:
        """A class in brackets. Classes in classes, unions and intersections are Java's alone."""
        opening = "[^" if self._text.startswith("[^", self._at) else "["
        self._put(opening, len(opening))
        first = self._at
        while (char := self._text[self._at : self._at + 1]) != "]" or self._at == first:
            if not char:
                raise NotRegex(f"{self._text!r} is not a regular expression: a [ is not closed")
            if char in ("[", "]") or self._text.startswith(("&&", "--"), self._at):
                raise self._refusal()
            if char == "\\":
                self._escape(_CLASS_LETTERS)
            else:
                self._put(char if char == "-" or char.isalnum() else re.escape(char))
        self._put("]")

    def _refusal(self) -> ValueError:
        return ValueError(
            f"{self._text!r} has something at character {self._at + 1} that SQE does not read "
            "as Java does"
        )
