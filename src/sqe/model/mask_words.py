"""Masks in words, as rules of every kind write them: ``partial(0, 4)``, ``hash(pii)``, ``null``."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.model.masks import (
    UNITS,
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from sqe.model.names import quote_text

_CALL = re.compile(r"\s*([A-Za-z]+)\s*(?:\((.*)\)\s*)?\Z", re.DOTALL)
_VALUE = re.compile(r"\s*('(?:[^']|'')*'|-?\d+(?:\.\d+)?|[A-Za-z_][A-Za-z0-9_.-]*)\s*(,|\Z)")
_EXPRESSION = "expression"  # whose brackets hold no values but SQL
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
WORDS = (
    "null, constant('text'), partial(first, last), partial(first, last, 'fill'), truncate(unit),"
    " bucket(size), regex('pattern', 'replacement'), hash, hash(key), expression(sql)"
)


def parse_mask(text: str) -> Mask:
    """ValueError in words for people. A text is in single quotes, in which '' is one quote."""
    call = _CALL.match(text)
    name = call[1].lower() if call else ""
    if call is None or name not in (*_MASKS, _EXPRESSION):
        raise ValueError(f"there is no mask {text.strip()!r}; there are {WORDS}")
    if name == _EXPRESSION:
        if not (call[2] or "").strip():
            raise ValueError("expression(…) needs an expression")
        return ExpressionMask(call[2].strip())
    values = _values(call[2] or "", name)
    try:
        return _MASKS[name](values)
    except ValueError as error:
        raise ValueError(f"{text.strip()!r} is no mask: {error}") from None


def mask_words(mask: Mask) -> str:
    """The same in words: ``parse_mask`` makes the mask of them."""
    match mask:
        case NullMask():
            return "null"
        case ConstantMask(text):
            return f"constant({quote_text(text)})"
        case PartialMask(first, last, "*"):
            return f"partial({first}, {last})"
        case PartialMask(first, last, fill):
            return f"partial({first}, {last}, {quote_text(fill)})"
        case TruncateMask(unit):
            return f"truncate({unit})"
        case BucketMask(size):
            return f"bucket({size})"
        case RegexMask(pattern, replacement):
            return f"regex({quote_text(pattern)}, {quote_text(replacement)})"
        case HashMask(key):
            return f"hash({key if _WORD.match(key) else quote_text(key)})"
        case ExpressionMask(sql):
            return f"expression({sql})"


def _values(text: str, name: str) -> list[str]:
    values: list[str] = []
    at, more = 0, bool(text.strip())
    while more:
        value = _VALUE.match(text, at)
        if value is None:
            raise ValueError(f"what is in the brackets of {name}({text}) cannot be read")
        word = value[1]
        values.append(word[1:-1].replace("''", "'") if word.startswith("'") else word)
        at, more = value.end(), value[2] == ","
    return values


def _only(values: list[str], *counts: int) -> list[str]:
    if len(values) not in counts:
        raise ValueError("another number of values is needed")
    return values


def _partial(values: list[str]) -> Mask:
    first, last = (int(length) for length in _only(values, 2, 3)[:2])
    fill = values[2] if len(values) == 3 else "*"
    if first < 0 or last < 0 or len(fill) != 1:
        raise ValueError("how many are shown is not negative, and what fills is one character")
    return PartialMask(first, last, fill)


def _truncate(values: list[str]) -> Mask:
    (unit,) = _only(values, 1)
    if unit.lower() not in UNITS:
        raise ValueError(f"the unit is one of {', '.join(UNITS)}")
    return TruncateMask(unit.lower())


def _bucket(values: list[str]) -> Mask:
    size = int(_only(values, 1)[0])
    if size <= 0:
        raise ValueError("the size of a bucket is above zero")
    return BucketMask(size)


_MASKS: dict[str, Callable[[list[str]], Mask]] = {
    "null": lambda values: NullMask(*_only(values, 0)),
    "constant": lambda values: ConstantMask(_only(values, 1)[0]),
    "partial": _partial,
    "truncate": _truncate,
    "bucket": _bucket,
    "regex": lambda values: RegexMask(*_only(values, 2)),
    "hash": lambda values: HashMask(*_only(values, 0, 1)),
}
