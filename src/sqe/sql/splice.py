"""Edits to a text that remember where everything came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from sqe.sql.statement import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """``span`` of the old text is replaced by ``text``. An empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Spliced:
    """The new text, and the way back from its offsets to the old text's."""

    text: str
    original: str
    _new_starts: tuple[int, ...]
    _old_starts: tuple[int, ...]
    _copied: tuple[bool, ...]

    def original_offset(self, offset: int) -> int:
        """Where a character of the new text stood; for inserted text, the place of the edit."""
        index = max(0, bisect_right(self._new_starts, offset) - 1)
        if not self._copied[index]:
            return self._old_starts[index]
        return min(len(self.original), self._old_starts[index] + offset - self._new_starts[index])


def splice(text: str, edits: Iterable[Edit]) -> Spliced:
    """Applies the edits, which must not overlap."""
    pieces: list[str] = []
    new_starts: list[int] = []
    old_starts: list[int] = []
    copied: list[bool] = []
    position = 0
    length = 0

    def add(piece: str, old_start: int, is_copy: bool) -> None:
        nonlocal length
        new_starts.append(length)
        old_starts.append(old_start)
        copied.append(is_copy)
        pieces.append(piece)
        length += len(piece)

    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < position:
            raise ValueError("edits overlap")
        add(text[position : edit.span.start], position, True)
        add(edit.text, edit.span.start, False)
        position = edit.span.end
    add(text[position:], position, True)
    return Spliced("".join(pieces), text, tuple(new_starts), tuple(old_starts), tuple(copied))
