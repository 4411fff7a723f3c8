"""What people see of a copy: how far it is, on a terminal, and what was copied."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from sqe.errors import ErrorCode, UserError, is_disk_full
from sqe.model.sizes import size_words

if TYPE_CHECKING:
    from sqe.backup.manifest import Contents

_PATIENCE_S = 1.0
_REFRESH_S = 0.2
_CLEAR = "\r\x1b[K"


class CopyLine:
    """One line of a terminal, from the second second on. Elsewhere nothing is shown."""

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen
        self._next = time.monotonic() + _PATIENCE_S
        self._shown = False

    def of_all(self, files: int, all_files: int, size: int) -> None:
        self._show(f"{files:,} of {all_files:,} files, {size_words(size)}")

    def so_far(self, files: int, size: int) -> None:
        self._show(f"{files:,} files, {size_words(size)}")

    def clear(self) -> None:
        if self._shown:
            self._screen.write(_CLEAR)
            self._screen.flush()

    def _show(self, words: str) -> None:
        if self._screen.isatty() and time.monotonic() >= self._next:
            self._screen.write(f"{_CLEAR}{words}")
            self._screen.flush()
            self._shown, self._next = True, time.monotonic() + _REFRESH_S


@contextmanager
def show_copying() -> Iterator[CopyLine]:
    """What the system refuses is the caller's to see to, not a defect."""
    line = CopyLine(sys.stderr)
    try:
        yield line
    except OSError as error:
        if is_disk_full(error):
            raise
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{error.filename}: {error.strerror}."
        ) from error
    finally:
        line.clear()


def contents_words(contents: Contents) -> str:
    parts = [
        _count(contents.tables, "table"),
        _count(contents.views, "view"),
        _count(len(contents.files), "file"),
        size_words(contents.size),
    ]
    return f"{', '.join(parts)}, as of {contents.made_at}"


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
