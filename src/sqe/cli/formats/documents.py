"""JSON: one array of objects, or one object per line."""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from sqe.cli.formats.json_cells import json_texts, objects
from sqe.cli.formats.writer import unique_names
from sqe.results.months import columns_of
from sqe.results.stream import ResultStream

_SLICE = 10_000


class JsonWriter:
    def __init__(self, out: BinaryIO, screen_width: int | None = None, *, lines: bool) -> None:
        self._out = out
        self.on_screen = screen_width is not None
        self._lines = lines
        self._empty = True

    def begin(self, result: ResultStream) -> None:
        self._names = unique_names([column.name for column in result.columns])
        self._types = [column.type for column in result.columns]
        self._empty = True
        if not self._lines:
            self._out.write(b"[")

    def write(self, batch: pa.RecordBatch) -> None:
        for start in range(0, batch.num_rows, _SLICE):
            part = batch.slice(start, _SLICE)
            columns = [
                json_texts(array, kind)
                for array, kind in zip(columns_of(part), self._types, strict=True)
            ]
            self._write_rows(objects(self._names, columns))
        self._out.flush()

    def _write_rows(self, rows: list[str]) -> None:
        if self._lines:
            self._out.write("".join(row + "\n" for row in rows).encode())
            return
        self._out.write((("\n" if self._empty else ",\n") + ",\n".join(rows)).encode())
        self._empty = False

    def end(self) -> None:
        if not self._lines:
            self._out.write(b"]\n" if self._empty else b"\n]\n")
        self._out.flush()
