"""``executemany`` of an INSERT: many rows in one statement, as every row alone is a commit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

# INSERT INTO … VALUES (?, ?): nothing but markers in the last parentheses, which end the text.
_INSERT = re.compile(
    r"\s*INSERT\s+INTO\b[^?;]*\bVALUES\s*(?P<row>\(\s*\?\s*(?:,\s*\?\s*)*\))\s*;?\s*\Z",
    re.IGNORECASE,
)
_MARKERS = 5_000  # in one statement: what engines plan in about a second


def as_few(text: str, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Statements with their parameters, in order: as few as possible."""
    match = _INSERT.match(text)
    if match is None:
        yield from ((text, row) for row in rows)
        return
    row_text = match["row"]
    markers = row_text.count("?")
    remaining = iter(rows)
    while taken := list(islice(remaining, max(1, _MARKERS // markers))):
        if any(len(row) != markers for row in taken):
            yield from ((text, row) for row in taken)  # the engine says what is wrong
            continue
        head, tail = text[: match.start("row")], text[match.end("row") :]
        values = ", ".join([row_text] * len(taken))
        yield head + values + tail, [value for row in taken for value in row]
