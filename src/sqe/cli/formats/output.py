"""Where rows are written, and what is known of the screen there."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO


def _do_nothing() -> None:
    return None


class Output:
    """``width`` is the columns of the terminal behind the file, None where there is none."""

    def __init__(self, file: BinaryIO, width: int | None = None) -> None:
        self.file = file
        self.width = width
        self.before_rows: Callable[[], None] = _do_nothing  # takes away what is in their place
        self.before_pager: Callable[[], None] = _do_nothing  # gives it the terminal
        self.scrolls_sideways = False  # the lines are a table's: a pager should not wrap them
        self.reader_left = False  # nobody reads what else is written

    def write(self, data: bytes) -> None:
        if self.width is not None:
            self.before_rows()
        self._write_all(data)

    def _write_all(self, data: bytes) -> None:
        """An unbuffered stdout (PYTHONUNBUFFERED) stops in the middle where a signal comes."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.file.write(rest) :]

    def flush(self) -> None:
        self.file.flush()
