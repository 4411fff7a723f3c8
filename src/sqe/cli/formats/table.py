"""The table people read.

Widths come from the first rows only, so that memory stays bounded and rows appear at once. A later
cell that is wider is cut on a terminal; elsewhere it is written whole and its row sticks out. A
result of one column, such as a plan, has nothing to align: its texts are written as they are.
"""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa
import pyarrow.types as kinds

from sqe.cli.formats.cells import Spelling, texts
from sqe.cli.screen import cut, escape_controls, pad, width
from sqe.results.months import columns_of
from sqe.results.stream import ResultStream

_SAMPLE_ROWS = 1000
_WIDEST_RULE = 98  # the line under the only column's name, off a terminal
_NARROWEST = 12  # columns are not shrunk below this to fit a terminal


class TableWriter:
    def __init__(self, out: BinaryIO, screen_width: int | None = None) -> None:
        self._out = out
        self._screen_width = screen_width
        self.on_screen = screen_width is not None
        self._first = True
        self._widths: list[int] = []

    def begin(self, result: ResultStream) -> None:
        self._names = [escape_controls(column.name) for column in result.columns]
        self._types = [column.type for column in result.columns]
        self._right = [_is_number(field.type) for field in result.schema]
        self._widths = []
        self._alone = len(self._names) == 1
        if not self._first:
            self._out.write(b"\n")
        self._first = False

    def write(self, batch: pa.RecordBatch) -> None:
        # In slices, because a batch of Python strings takes many times the memory of the batch.
        for start in range(0, batch.num_rows, _SAMPLE_ROWS):
            part = batch.slice(start, _SAMPLE_ROWS)
            rows = rows_of(part, self._types, keep="\n" if self._alone else "")
            if self._alone:
                rows = [[line] for (cell,) in rows for line in cell.split("\n")]
            self._write_rows(rows)
        self._out.flush()

    def _write_rows(self, rows: list[list[str]]) -> None:
        if not self._widths:
            self._write_head(rows)
        self._out.write("".join(self._line(row) for row in rows).encode())

    def end(self) -> None:
        if not self._widths:
            self._write_head([])
        self._out.flush()

    def _write_head(self, rows: list[list[str]]) -> None:
        columns = zip(self._names, *rows, strict=True)
        self._widths = [max(map(width, column)) for column in columns]
        if self._screen_width is not None:
            self._widths = fitted(self._widths, self._screen_width)
        elif self._alone:
            self._widths = [min(self._widths[0], _WIDEST_RULE)]
        rule = "+".join("-" * (size + 2) for size in self._widths)
        self._out.write((self._line(self._names) + rule + "\n").encode())

    def _line(self, cells: list[str]) -> str:
        if self._screen_width is not None and not self._alone:
            cells = [cut(cell, size) for cell, size in zip(cells, self._widths, strict=True)]
        padded = [
            pad(cell, size, right=right)
            for cell, size, right in zip(cells, self._widths, self._right, strict=True)
        ]
        return (" " + " | ".join(padded)).rstrip() + "\n"


def rows_of(batch: pa.RecordBatch, spark_types: list[str], keep: str = "") -> list[list[str]]:
    """The batch's rows as texts that are safe on a terminal; ``keep`` are allowed controls."""
    columns = []
    for array, spark_type in zip(columns_of(batch), spark_types, strict=True):
        cells = texts(array, spark_type, Spelling.SHOWN)
        columns.append(["NULL" if cell is None else escape_controls(cell, keep) for cell in cells])
    return [list(row) for row in zip(*columns, strict=True)]


def fitted(widths: list[int], screen_width: int) -> list[int]:
    """The widths under one cap, the largest that fits the screen but never below the narrowest.

    Columns under the cap keep their width; only the wide ones give way.
    """
    room = screen_width - 3 * len(widths) + 2
    if sum(widths) <= room:
        return widths
    cap = _NARROWEST
    while sum(min(size, cap + 1) for size in widths) <= room:
        cap += 1
    return [min(size, cap) for size in widths]


def _is_number(kind: pa.DataType) -> bool:
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))
