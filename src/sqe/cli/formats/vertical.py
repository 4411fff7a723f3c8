"""One column per line, for rows too wide to read across."""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from sqe.cli.formats.table import rows_of
from sqe.cli.screen import escape_controls, pad, width
from sqe.results.stream import ResultStream

_SLICE = 1000


class VerticalWriter:
    def __init__(self, out: BinaryIO, screen_width: int | None = None) -> None:
        self._out = out
        self.on_screen = screen_width is not None

    def begin(self, result: ResultStream) -> None:
        names = [escape_controls(column.name) for column in result.columns]
        widest = max(map(width, names))
        self._heads = [pad(name, widest, right=False) for name in names]
        self._types = [column.type for column in result.columns]
        self._row = 0

    def write(self, batch: pa.RecordBatch) -> None:
        for start in range(0, batch.num_rows, _SLICE):
            lines = []
            for row in rows_of(batch.slice(start, _SLICE), self._types):
                self._row += 1
                lines.append(f"-[ row {self._row} ]-")
                lines += [f"{head} | {cell}" for head, cell in zip(self._heads, row, strict=True)]
            self._out.write(("\n".join(lines) + "\n").encode())
        self._out.flush()

    def end(self) -> None:
        self._out.flush()
