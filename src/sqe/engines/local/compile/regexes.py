"""Java's regular expressions as RE2 reads them, which is DuckDB's.

A pattern is read part by part and written anew; what is not certain is Spark's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.engines.local.plan import NotLocal

_SPACES = r" \t\n\x0b\f\r"  # RE2's own \s lacks one of them
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACES}
_SIGNS = frozenset(".^$*+?()[]{}|\\/-'\"#%&,:;<=>!@_~ `")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(\d{1,3})(,(\d{1,3})?)?\})\??")
_HEX = re.compile(r"x([0-7][0-9A-Fa-f])")
_LETTERS = {"t": "\\t", "n": "\\n", "r": "\\r"}


@dataclass(frozen=True)
class Pattern:
    """``text`` is RE2's. ``lines``: the engines disagree on texts of several lines. ``plain`` is
    the only text that it finds, if it finds one only."""

    text: str
    groups: int
    empty: bool  # finds nothing, too
    lines: bool
    repeats_groups: bool
    plain: str | None


def read_pattern(text: str) -> Pattern:
    """NotLocal for one that Java and RE2 may read differently."""
    reader = _Reader(text)
    written, empty = reader.read_alternatives()
    if reader.place < len(text):
        raise _other()
    plain = "".join(reader.letters) if reader.is_plain and not empty else None
    return Pattern(written, reader.groups, empty, reader.lines, reader.repeats_groups, plain)


def _other() -> NotLocal:
    return NotLocal("a pattern of this form is Spark's")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.groups = 0
        self.lines = self.repeats_groups = False
        self.is_plain = True
        self.letters: list[str] = []

    def read_alternatives(self) -> tuple[str, bool]:
        branches = [self._sequence()]
        while self._take("|"):
            self.is_plain = False
            branches.append(self._sequence())
        if len(branches) > 1 and any(not text for text, _ in branches):
            raise _other()
        return "|".join(text for text, _ in branches), any(empty for _, empty in branches)

    def _sequence(self) -> tuple[str, bool]:
        terms: list[str] = []
        empty = True
        while self.place < len(self.text) and self.text[self.place] not in "|)":
            atom, may_be_empty, group = self._atom()
            quantifier = self._quantifier()
            if quantifier:
                self.is_plain = False
                self.repeats_groups |= group
                if atom in ("\\A", "$", "\\z"):
                    raise _other()
            terms.append(atom + quantifier)
            empty &= may_be_empty or quantifier.startswith(("*", "?", "{0"))
        return "".join(terms), empty

    def _atom(self) -> tuple[str, bool, bool]:
        """Its text, whether it finds nothing too, and whether it is a group that captures."""
        letter = self._next()
        if letter == "(":
            return self._group()
        self.is_plain &= letter not in ".^$["
        if letter == "[":
            return self._class(), False, False
        if letter == "\\":
            text = self._escape()
            return text, text == "\\z", False
        if letter == "^":
            return "\\A", True, False
        self.lines |= letter in ".$"
        if letter in "*+?{}":
            raise _other()
        if letter in ".$":
            return letter, letter == "$", False
        self.letters.append(letter)
        return self._letter(letter), False, False

    def _group(self) -> tuple[str, bool, bool]:
        captures = not self._take("?:")
        self.groups += captures
        self.is_plain = False
        inside, empty = self.read_alternatives()
        if not self._take(")"):
            raise _other()
        return f"({'' if captures else '?:'}{inside})", empty, captures

    def _class(self) -> str:
        sign = "^" if self._take("^") else ""
        items: list[str] = []
        while not self._take("]"):
            bare = self.text.startswith("-", self.place)
            first = self._member()
            last = self.text[self.place : self.place + 2]
            if len(first) == 1 and last[:1] == "-" and last != "-]":
                self.place += 1
                end = self._member()
                if len(end) != 1 or end < first:
                    raise _other()
                items.append(f"{_in_class(first)}-{_in_class(end)}")
            elif bare and items and not self.text.startswith("]", self.place):
                raise _other()
            else:
                items.append(first if len(first) > 1 else _in_class(first))
        if not items:
            raise _other()
        return f"[{sign}{''.join(items)}]"

    def _member(self) -> str:
        """A letter by itself, or the ranges of a class of letters."""
        letter = self._next()
        if letter == "\\":
            return self._read_escaped()
        if letter in "[]&^" or not (" " <= letter <= "~"):
            raise _other()
        return letter

    def _read_escaped(self) -> str:
        number = _HEX.match(self.text, self.place)
        if number is not None:
            self.place = number.end()
            return chr(int(number[1], 16))
        letter = self._next()
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _LETTERS:
            return {"t": "\t", "n": "\n", "r": "\r"}[letter]
        if letter in _SIGNS:
            return letter
        raise _other()

    def _escape(self) -> str:
        letter = self._next()
        if letter == "Q":
            return self._read_quotes()
        if letter in _SIGNS:
            self.letters.append(letter)
            return self._letter(letter)
        self.is_plain = False
        if letter == "z":
            return "\\z"
        if letter in _LETTERS:
            return _LETTERS[letter]
        if letter.lower() in _CLASSES:
            return f"[{'^' if letter.isupper() else ''}{_CLASSES[letter.lower()]}]"
        raise _other()

    def _read_quotes(self) -> str:
        """A text as it is, up to the sign of its end."""
        end = self.text.find("\\E", self.place)
        letters = self.text[self.place : end]
        if end < 0 or not letters:
            raise _other()
        self.place = end + 2
        self.letters += letters
        written = "".join(map(self._letter, letters))
        return written if len(letters) == 1 else f"(?:{written})"

    def _letter(self, letter: str) -> str:
        if letter >= "\u00a0":
            return letter
        if not " " <= letter <= "~":
            raise _other()
        return letter if letter.isalnum() or letter in " _'" else f"\\{letter}"

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self.text, self.place)
        if found is None:
            return ""
        self.place = found.end()
        low, high = found[1], found[3]
        if (low and high and int(low) > int(high)) or self.text[self.place : self.place + 1] in (
            "*", "+", "?", "{",
        ):  # fmt: skip
            raise _other()
        return found[0]

    def _next(self) -> str:
        if self.place >= len(self.text):
            raise _other()
        self.place += 1
        return self.text[self.place - 1]

    def _take(self, wanted: str) -> bool:
        found = self.text.startswith(wanted, self.place)
        self.place += len(wanted) if found else 0
        return found


def _in_class(letter: str) -> str:
    return letter if letter.isalnum() else f"\\x{ord(letter):02x}"
