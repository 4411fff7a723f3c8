"""Rows for people. The first rows decide how all of them are laid out, the rest follow in chunks:
memory stays bounded however large the result is."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as kinds

from sqe.cli.formats import Expanded
from sqe.cli.formats.layouts import Layout, TableLayout, VerticalLayout
from sqe.cli.formats.output import Output
from sqe.cli.screen import escape_controls
from sqe.results.months import columns_of
from sqe.results.stream import ResultStream
from sqe.results.texts.cells import Spelling, texts

CHUNK_ROWS = 1000


class TextWriter:
    def __init__(self, out: Output, expanded: Expanded = Expanded.AUTO) -> None:
        self.out = out
        self._expanded = expanded
        self._first = True

    def begin(self, result: ResultStream) -> None:
        self._names = [escape_controls(column.name) for column in result.columns]
        self._types = [column.type for column in result.columns]
        self._right = [_is_number(field.type) for field in result.schema]
        # Lines inside of a cell are for eyes; where programs may read along, a row is one line.
        on_screen = self.out.width is not None
        self._keep = "\n" if on_screen or len(self._names) == 1 else ""
        self._layout: Layout | None = None
        self._pending: list[list[str]] = [[] for _ in self._names]

    def write(self, batch: pa.RecordBatch) -> None:
        # In slices, because a batch of Python strings takes many times the memory of the batch.
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, CHUNK_ROWS - len(self._pending[0]))
            start += part.num_rows
            cells = _texts_of(part, self._types, self._keep)
            for column, more in zip(self._pending, cells, strict=True):
                column += more
            if len(self._pending[0]) >= CHUNK_ROWS:
                self._show()
        if self._layout is not None:  # how rows look is decided: nothing is gained by waiting
            self._show()

    def end(self) -> None:
        self._show()

    def _show(self) -> None:
        if self._layout is None:
            self._layout = self._choose_layout()
            between = "" if self._first or self._expanded is Expanded.ON else "\n"
            self.out.write((between + self._layout.head()).encode())
            self._first = False
        if self._pending[0]:
            self.out.write(self._layout.lines(self._pending).encode())
            self._pending = [[] for _ in self._names]
        self.out.flush()

    def _choose_layout(self) -> Layout:
        if self._expanded is not Expanded.ON:
            table = TableLayout(self._names, self._right, self._pending, self.out.width)
            if self._expanded is Expanded.OFF or table.fits():
                self.out.scrolls_sideways = len(self._names) > 1
                return table
        self.out.scrolls_sideways = False
        return VerticalLayout(self._names)


def _texts_of(batch: pa.RecordBatch, spark_types: list[str], keep: str) -> list[list[str]]:
    """The batch's columns as texts that are safe on a terminal; ``keep`` are allowed controls."""
    return [
        [
            "NULL" if cell is None else escape_controls(cell, keep)
            for cell in texts(array, spark_type, Spelling.SHOWN)
        ]
        for array, spark_type in zip(columns_of(batch), spark_types, strict=True)
    ]


def _is_number(kind: pa.DataType) -> bool:
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))
