"""How rows of texts are laid out for people: as a table, or one column per line.

Nothing is ever cut. A table's columns are as wide as what they show: each chunk of rows makes them
wider where it must, and no chunk makes them narrower. A result of one column, such as a plan, has
nothing to align: its texts are written as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqe.cli.screen import pad, width

_WIDEST_RULE = 98  # the line under the only column's name, off a terminal

Columns = Sequence[Sequence[str]]  # of a chunk of rows: the cells of each column


class Layout(Protocol):
    def head(self) -> str: ...
    def lines(self, columns: Columns) -> str: ...


class TableLayout:
    """``columns`` are the first rows, for the widths; ``right`` says which hold numbers."""

    def __init__(
        self, names: list[str], right: list[bool], columns: Columns, screen_width: int | None
    ) -> None:
        self._names = names
        self._right = right
        self._alone = len(names) == 1
        self._screen_width = screen_width
        self._widths = [width(name) for name in names]
        self._widen(columns)

    def fits(self) -> bool:
        """Whether a row, and the line under the names, takes one line of the screen."""
        if self._screen_width is None or self._alone:
            return True
        return sum(self._widths) + 3 * len(self._widths) - 1 <= self._screen_width

    def head(self) -> str:
        widths = self._widths
        if self._alone:
            room = _WIDEST_RULE if self._screen_width is None else self._screen_width - 2
            widths = [min(widths[0], room)]
        rule = "+".join("-" * (size + 2) for size in widths)
        return self._rows([[name] for name in self._names]) + rule + "\n"

    def lines(self, columns: Columns) -> str:
        if self._alone:
            columns = [[line for cell in columns[0] for line in cell.split("\n")]]
        self._widen(columns)
        if any("\n" in cell for column in columns for cell in column):
            rows = zip(*columns, strict=True)
            return "".join(
                self._tall_row(row) if "\n" in "".join(row) else self._row(row) for row in rows
            )
        return self._rows(columns)

    def _widen(self, columns: Columns) -> None:
        for index, column in enumerate(columns):
            texts = column
            if any("\n" in cell for cell in column):
                texts = [line for cell in column for line in cell.split("\n")]
            self._widths[index] = max(self._widths[index], *map(width, texts), 0)

    def _row(self, cells: Sequence[str]) -> str:
        return self._rows([[cell] for cell in cells])

    def _rows(self, columns: Columns) -> str:
        padded: list[Sequence[str]] = [
            _align(column, size, right=right)
            for column, size, right in zip(columns, self._widths, self._right, strict=True)
        ]
        last = columns[-1]
        if not self._right[-1]:
            padded[-1] = last  # nothing follows that must be aligned
        rows = (" " + " | ".join(row) for row in zip(*padded, strict=True))
        return "".join(
            (row if text else row.rstrip()) + "\n" for row, text in zip(rows, last, strict=True)
        )

    def _tall_row(self, cells: Sequence[str]) -> str:
        """Cells of several lines; as in psql, a ``+`` says that a cell goes on in the next."""
        stacks = [cell.split("\n") for cell in cells]
        lines = []
        for level in range(max(map(len, stacks))):
            parts = []
            for stack, size, right in zip(stacks, self._widths, self._right, strict=True):
                text = stack[level] if level < len(stack) else ""
                mark = "+" if level + 1 < len(stack) else " "
                parts.append(pad(text, size, right=right) + mark)
            lines.append(" " + "| ".join(parts))
        return "".join(line.rstrip(" ") + "\n" for line in lines)


class VerticalLayout:
    def __init__(self, names: list[str]) -> None:
        widest = max(map(width, names))
        self._heads = [pad(name, widest, right=False) for name in names]
        self._below = "\n" + " " * widest + " | "
        self._row = 0

    def head(self) -> str:
        return ""

    def lines(self, columns: Columns) -> str:
        lines = []
        for row in zip(*columns, strict=True):
            self._row += 1
            lines.append(f"-[ row {self._row} ]-")
            lines += [
                f"{head} | {cell}".replace("\n", self._below)
                for head, cell in zip(self._heads, row, strict=True)
            ]
        return "".join(line + "\n" for line in lines)


def _align(cells: Sequence[str], size: int, *, right: bool) -> list[str]:
    if "".join(cells).isascii():  # then every character is one column wide
        return [cell.rjust(size) if right else cell.ljust(size) for cell in cells]
    return [pad(cell, size, right=right) for cell in cells]
