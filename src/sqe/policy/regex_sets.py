"""What regular expressions fit, as sets of texts: whether one has all of another, or nothing of it.

For the linter, which only says what is certain: of an expression with something in it that is not
read here nothing is said. Sets are compared by derivatives (Brzozowski): what is left of an
expression after a character is an expression again, and there are only so many of them. Equal
ones are one object, as long as it is kept; two that are not found equal are only looked at longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_MOST = 2000  # pairs that are looked at, before nothing is said
_LONGEST = 1000  # characters; looking at longer ones takes seconds
_KEPT = 20_000
_LAST = 0x10FFFF
_ENDS = (0x0A, 0x0D, 0x85, 0x2028, 0x2029)  # of lines: Java's dot does not fit them
_CLASSES = {"d": "09", "w": "09AZ__az", "s": "\t\r  "}
_CASES = ((ord("A"), ord("Z"), 32), (ord("a"), ord("z"), -32))  # how far away the other one is
_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Nothing:
    """No text at all."""


@dataclass(frozen=True, eq=False)
class Empty:
    """The empty text."""


@dataclass(frozen=True, eq=False)
class One:
    """One character out of these ranges, each with its last."""

    ranges: _Ranges


@dataclass(frozen=True, eq=False)
class Then:
    first: Regex
    rest: Regex


@dataclass(frozen=True, eq=False)
class Either:
    of: frozenset[Regex]


@dataclass(frozen=True, eq=False)
class Many:
    of: Regex


Regex = Nothing | Empty | One | Then | Either | Many
_NOTHING, _EMPTY = Nothing(), Empty()
_one, _many = lru_cache(_KEPT)(One), lru_cache(_KEPT)(Many)
_two, _several = lru_cache(_KEPT)(Then), lru_cache(_KEPT)(Either)


def read(text: str, ignore_case: bool = False) -> Regex | None:
    """None: it has something in it that is not read here, or too much."""
    if len(text) > _LONGEST:
        return None
    try:
        return _Reader(text, ignore_case).done()
    except (_Unread, RecursionError):
        return None


def included(one: Regex, other: Regex) -> bool:
    """Whether all that fits the one fits the other, for certain."""
    return _never(one, other, lambda fits_one, fits_other: fits_one and not fits_other)


def apart(one: Regex, other: Regex) -> bool:
    """Whether nothing fits both, for certain."""
    return _never(one, other, lambda fits_one, fits_other: fits_one and fits_other)


def fits_no_name(one: Regex) -> bool:
    """Whether nothing fits it but the empty text, which is nobody's name."""
    return included(one, _EMPTY)


def branches(one: Regex) -> frozenset[Regex]:
    """What is between its ``|``."""
    return one.of if isinstance(one, Either) else frozenset({one})


def _never(one: Regex, other: Regex, wanted: Callable[[bool, bool], bool]) -> bool:
    """Whether there is no text that fits the two as wanted, for certain."""
    try:
        return _searched(one, other, wanted)
    except RecursionError:
        return False


def _searched(one: Regex, other: Regex, wanted: Callable[[bool, bool], bool]) -> bool:
    """Whatever is left of both after any text is looked at, unless nothing is left of the one:
    what does not fit it is not wanted."""
    letters = _cuts(one, other)
    waiting = [(one, other)]
    found = set(waiting)
    while waiting:
        left, other_left = waiting.pop()
        if wanted(_null(left), _null(other_left)) or len(found) > _MOST:
            return False
        for letter in letters:
            pair = _after(left, letter), _after(other_left, letter)
            if pair[0] is not _NOTHING and pair not in found:
                found.add(pair)
                waiting.append(pair)
    return True


def _cuts(*several: Regex) -> set[int]:
    """Characters where something begins or has just ended: those behind each are alike, up to the
    next, and those before the first fit nothing."""
    found, waiting = set[int](), list(several)
    while waiting:
        match waiting.pop():
            case One(ranges):
                found.update(low for low, _ in ranges)
                found.update(high + 1 for _, high in ranges)
            case Then(first, rest):
                waiting += (first, rest)
            case Either(of):
                waiting += of
            case Many(inner):
                waiting.append(inner)
    return found


@lru_cache(_KEPT)
def _null(one: Regex) -> bool:
    """Whether the empty text fits."""
    match one:
        case Empty() | Many():
            return True
        case Then(first, rest):
            return _null(first) and _null(rest)
        case Either(of):
            return any(map(_null, of))
        case _:
            return False


@lru_cache(_KEPT)
def _after(one: Regex, letter: int) -> Regex:
    match one:
        case One(ranges):
            return _EMPTY if any(low <= letter <= high for low, high in ranges) else _NOTHING
        case Then(first, rest):
            left = _then(_after(first, letter), rest)
            return _either((left, _after(rest, letter))) if _null(first) else left
        case Either(of):
            return _either(_after(each, letter) for each in of)
        case Many(inner):
            return _then(_after(inner, letter), one)
        case _:
            return _NOTHING


def _then(first: Regex, rest: Regex) -> Regex:
    if first is _NOTHING:
        return _NOTHING
    if first is _EMPTY:
        return rest
    if isinstance(first, Then):
        return _two(first.first, _then(first.rest, rest))
    return first if rest is _EMPTY else _two(first, rest)


def _either(several: Iterable[Regex]) -> Regex:
    found: set[Regex] = set()
    for one in several:
        found |= branches(one)
    found.discard(_NOTHING)
    if len(found) == 1:
        return found.pop()
    return _several(frozenset(found)) if found else _NOTHING


class _Unread(Exception):
    pass


class _Reader:
    """Of Java's expressions those that mean the same everywhere."""

    def __init__(self, text: str, ignore_case: bool) -> None:
        self._text, self._at = text, 0
        self._ignore_case = ignore_case

    def done(self) -> Regex:
        found = self._alternatives(outermost=True)
        if self._at < len(self._text):
            raise _Unread
        return found

    def _next(self, *wanted: str) -> str:
        """The one that stands here, stepped over."""
        for one in wanted:
            if self._text.startswith(one, self._at):
                self._at += len(one)
                return one
        return ""

    def _alternatives(self, outermost: bool = False) -> Regex:
        found = [self._sequence(outermost)]
        while self._next("|"):
            found.append(self._sequence(outermost))
        return _either(found)

    def _sequence(self, outermost: bool) -> Regex:
        if outermost:
            self._next("^")
        parts: list[Regex] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)$":
            parts.append(self._repeated(self._atom()))
        if outermost:
            self._next("$")
        found: Regex = _EMPTY
        for one in reversed(parts):
            found = _then(one, found)
        return found

    def _repeated(self, one: Regex) -> Regex:
        sign = self._next("*", "+", "?")
        if sign:
            self._next("?")  # less of it first: it fits the same
        match sign:
            case "*":
                return _many(one)
            case "+":
                return _then(one, _many(one))
            case "?":
                return _either((one, _EMPTY))
        return one

    def _atom(self) -> Regex:
        if self._next("(?:", "("):
            found = self._alternatives()
            if not self._next(")"):
                raise _Unread
            return found
        if self._next("."):
            return _one(_without((end, end) for end in _ENDS))
        if self._next("["):
            return self._characters()
        if self._next("\\"):
            return _one(self._escape())
        char = self._text[self._at]
        if char in _SPECIAL:  # also of what is counted or gives nothing back
            raise _Unread
        self._at += 1
        return _one(self._either_case([(ord(char), ord(char))]))

    def _escape(self) -> _Ranges:
        char = self._text[self._at : self._at + 1]
        self._at += 1
        if char in _CLASSES:
            return tuple(_ranges(_CLASSES[char]))
        if char.lower() in _CLASSES:
            return _without(_ranges(_CLASSES[char.lower()]))
        if not char or (char.isascii() and char.isalnum()):
            raise _Unread
        return ((ord(char), ord(char)),)

    def _characters(self) -> Regex:
        negated, found = bool(self._next("^")), list[tuple[int, int]]()
        while not self._next("]"):
            found += self._escaped_ones() if self._next("\\") else [self._range()]
        if not found:
            raise _Unread
        ranges = self._either_case(found)
        return _one(_without(ranges) if negated else ranges)

    def _escaped_ones(self) -> _Ranges:
        """In brackets."""
        found = self._escape()
        if self._to():
            raise _Unread
        return found

    def _range(self) -> tuple[int, int]:
        """In brackets: one character, or two with those between them."""
        low = high = self._plain()
        if self._to():
            self._at += 1
            high = self._plain()
        if high < low:
            raise _Unread
        return low, high

    def _plain(self) -> int:
        char = self._text[self._at : self._at + 1]
        if char in "[&\\":  # or the end
            raise _Unread
        self._at += 1
        return ord(char)

    def _to(self) -> bool:
        """Whether a ``-`` stands here that is not just the last character."""
        return self._text.startswith("-", self._at) and not self._text.startswith("-]", self._at)

    def _either_case(self, ranges: Iterable[tuple[int, int]]) -> _Ranges:
        """With the other case of ASCII letters, if that is ignored."""
        found = list(ranges)
        for low, high in tuple(found) if self._ignore_case else ():
            for first, last, other in _CASES:
                if low <= last and first <= high:
                    found.append((max(low, first) + other, min(high, last) + other))
        return tuple(sorted(found))


def _ranges(pairs: str) -> Iterator[tuple[int, int]]:
    for at in range(0, len(pairs), 2):
        yield ord(pairs[at]), ord(pairs[at + 1])


def _without(ranges: Iterable[tuple[int, int]]) -> _Ranges:
    """All characters but these."""
    found, start = [], 0
    for low, high in sorted(ranges):
        if low > start:
            found.append((start, low - 1))
        start = max(start, high + 1)
    if start <= _LAST:
        found.append((start, _LAST))
    return tuple(found)


ANY_NAME = _Reader(".+", ignore_case=False).done()
