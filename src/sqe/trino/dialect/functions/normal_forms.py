"""NORMALIZE, which Spark does not have: of the letters that most texts are written with.

Python's tables say what becomes of a letter, alone or with one mark behind it. A text with other
characters that may change, or with marks whose order may, is refused by name when it is read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import fail, string

# Accents above and below, the cedilla, the ogonek, the horn.
_MARKS = (*range(0x0300, 0x0305), *range(0x0306, 0x030D), 0x031B, 0x0323, *range(0x0326, 0x0329))
_LETTERS = (range(0x0250), range(0x0370, 0x0530), range(0x1E00, 0x1F00))
# Punctuation, currencies, arrows; kana, ideographs, Hangul; pictures.
_OTHERS = (
    range(0x2010, 0x205F), range(0x20A0, 0x20C0), range(0x2190, 0x2300), range(0x3041, 0x3097),
    range(0x30A1, 0x30FB), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4), range(0x1F300, 0x1FB00),
)  # fmt: skip
_MOST = 1000  # entries of a block: Hangul taken apart would be more


@cache
def _changes(form: str) -> tuple[dict[str, str], str, str]:
    """What changes and to what; the characters that are known, and those of them that a mark may
    follow, as ranges of a regular expression."""
    changes: dict[str, str] = {}
    known: list[int] = []
    for block in (*_LETTERS, *_OTHERS):
        of_block = {
            chr(code): unicodedata.normalize(form, chr(code))  # type: ignore[arg-type]
            for code in block
            if not unicodedata.combining(chr(code))
        }
        changing = {one: new for one, new in of_block.items() if one != new}
        if len(changing) < _MOST:
            changes |= changing
            known += map(ord, of_block)
    bases = [
        chr(code)
        for block in _LETTERS
        for code in block
        if code in known and unicodedata.normalize("NFKD", chr(code)) == chr(code)
    ]
    for pair in (base + chr(mark) for base in bases for mark in _MARKS):
        new = unicodedata.normalize(form, pair)  # type: ignore[arg-type]
        if new != pair:
            changes[pair] = new
    return changes, _ranges(known), _ranges(map(ord, bases))


def _ranges(codes: Iterable[int]) -> str:
    runs = _runs(sorted(set(codes)))
    return "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in runs)


def _runs(codes: list[int]) -> Iterator[tuple[int, int]]:
    first = last = codes[0]
    for code in codes[1:]:
        if code != last + 1:
            yield first, last
            first = code
        last = code
    yield first, last


def _normalize(call: Bound) -> str:
    form = call.arguments[1].constant
    assert isinstance(form, str)  # noqa: S101  the parser wants one of four words
    changes, known, bases = _changes(form)
    marks = _ranges(_MARKS)
    alone = _ranges(ord(one) for one in changes if len(one) == 1)
    odd = string(f"[^{known}{marks}]|^[{marks}]|[^{bases}][{marks}]")
    wanted = string(f"[{bases}][{marks}]|[{alone}]")
    entries = ", ".join(f"{string(one)}, {string(new)}" for one, new in changes.items())
    message = (
        "normalize of this text is not supported: but for what does not change, it may hold only "
        "letters of Latin, Greek and Cyrillic with one accent each"
    )
    unknown = fail("NOT_SUPPORTED", string(message), call.returns, call.at)

    def write(s: str) -> str:
        new = f"coalesce(try_element_at(map({entries}), c), c)"
        found = f"array_distinct(regexp_extract_all({s}, {wanted}, 0))"
        return (
            f"CASE WHEN {s} NOT RLIKE '[^\\\\x00-\\\\x7F]' THEN {s} WHEN {s} RLIKE {odd} "
            f"THEN {unknown} ELSE aggregate({found}, {s}, (s, c) -> replace(s, c, {new})) END"
        )

    return with_variable(call.sql(0), write)


declare("normalize", "(varchar(x), varchar) -> varchar", null_for_null(_normalize),
        description="Transforms the string to normalized form", hidden=True)  # fmt: skip
