"""The masks that SQL can name.

``NULL``, ``'a constant'``, ``HASH [KEY k]``, ``PARTIAL(first, last [, 'fill'])``,
``TRUNCATE(month)``, ``BUCKET(10)``, ``REGEX('pattern', 'replacement')``, the name of a column mask,
or an expression over the row in brackets.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.errors import ErrorCode
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
from sqe.sql.access.clauses import read_bracketed, word
from sqe.sql.access.commands import MaskClause
from sqe.sql.cursor import TokenCursor

_KINDS = (
    "NULL, a constant, HASH, PARTIAL, TRUNCATE, BUCKET, REGEX, a mask's name or (an expression)"
)


def read_mask(cursor: TokenCursor, parameter: str = "") -> MaskClause:
    """The mask that stands here, without brackets around it. ``parameter`` is the name of the
    column that is masked, in a mask that is made for many."""
    if cursor.looking_at("("):
        text = read_bracketed(cursor, "an expression", parameter)
        return MaskClause(ExpressionMask(text.sql), text)
    if cursor.at_string():
        return MaskClause(ConstantMask(cursor.string_literal()))
    if cursor.accept("NULL"):
        return MaskClause(NullMask())
    if cursor.looking_at("HASH") and cursor.source(1) != "(":
        cursor.skip()
        key = word(cursor, "a key's name").text if cursor.accept("KEY") else "default"
        return MaskClause(HashMask(key))
    if cursor.source().upper() in _CALLS and cursor.source(1) == "(":
        read = _CALLS[cursor.source().upper()]
        cursor.skip()
        cursor.skip()
        mask = read(cursor)
        cursor.expect(")")
        return MaskClause(mask)
    if cursor.looking_at("-") or cursor.source()[:1].isdigit():
        return MaskClause(ConstantMask(cursor.property_value()))
    if not cursor.at_identifier() or cursor.source(1) == "(":
        cursor.fail(f"Expected a mask: {_KINDS}")
    return MaskClause(word(cursor, "a mask"))


def read_bracketed_mask(cursor: TokenCursor) -> MaskClause:
    """``(mask)``; what is none of the kinds is an expression over the row."""
    if _holds_expression(cursor):
        text = read_bracketed(cursor, "a mask")
        return MaskClause(ExpressionMask(text.sql), text)
    cursor.expect("(")
    mask = read_mask(cursor)
    cursor.expect(")")
    return mask


def _holds_expression(cursor: TokenCursor) -> bool:
    first, behind = cursor.source(1).upper(), cursor.source(2)
    if not cursor.looking_at("(") or first in ("", ")"):
        return False
    if first in _CALLS and behind == "(":
        return False
    if first == "HASH" and behind != "(":
        return False
    if first == "-":
        behind = cursor.source(3)
    return first != "(" and behind != ")"


def _partial(cursor: TokenCursor) -> Mask:
    first = _number(cursor, "how many characters are shown at the beginning")
    cursor.expect(",")
    last = _number(cursor, "how many characters are shown at the end")
    if not cursor.accept(","):
        return PartialMask(first, last)
    fill = cursor.string_literal("one character in quotes")
    if len(fill) != 1:
        cursor.fail("PARTIAL is filled with one character", ErrorCode.INVALID_ARGUMENT)
    return PartialMask(first, last, fill)


def _truncate(cursor: TokenCursor) -> Mask:
    unit = word(cursor, "a unit of time").text.lower()
    if unit not in UNITS:
        cursor.fail(
            f"There is no unit {unit}", ErrorCode.INVALID_ARGUMENT, f"It is {', '.join(UNITS)}."
        )
    return TruncateMask(unit)


def _bucket(cursor: TokenCursor) -> Mask:
    size = _number(cursor, "the size of the buckets")
    if not size:
        cursor.fail("A bucket's size is at least 1", ErrorCode.INVALID_ARGUMENT)
    return BucketMask(size)


def _regex(cursor: TokenCursor) -> Mask:
    pattern = cursor.string_literal("a pattern in quotes")
    cursor.expect(",")
    return RegexMask(pattern, cursor.string_literal("a replacement in quotes"))


def _number(cursor: TokenCursor, what: str) -> int:
    if not cursor.source().isdecimal():
        cursor.fail(f"Expected {what}, as a whole number")
    value = int(cursor.source())
    cursor.skip()
    return value


_CALLS: dict[str, Callable[[TokenCursor], Mask]] = {
    "PARTIAL": _partial,
    "TRUNCATE": _truncate,
    "BUCKET": _bucket,
    "REGEX": _regex,
}
