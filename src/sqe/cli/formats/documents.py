"""JSON: one array of objects, or one object per line."""

from __future__ import annotations

import pyarrow as pa

from sqe.cli.formats.output import Output
from sqe.results.stream import ResultStream
from sqe.results.texts.names import unique_names
from sqe.results.texts.rows import json_of_batch


class JsonWriter:
    def __init__(self, out: Output, *, lines: bool) -> None:
        self.out = out
        self._lines = lines
        self._empty = True

    def begin(self, result: ResultStream) -> None:
        self._names = unique_names([column.name for column in result.columns])
        self._types = [column.type for column in result.columns]
        self._empty = True
        if not self._lines:
            self.out.write(b"[")

    def write(self, batch: pa.RecordBatch) -> None:
        for rows in json_of_batch(batch, self._names, self._types):
            self._write_rows(rows)
        self.out.flush()

    def _write_rows(self, rows: list[str]) -> None:
        if self._lines:
            self.out.write("".join(row + "\n" for row in rows).encode())
            return
        self.out.write((("\n" if self._empty else ",\n") + ",\n".join(rows)).encode())
        self._empty = False

    def end(self) -> None:
        if not self._lines:
            self.out.write(b"]\n" if self._empty else b"\n]\n")
        self.out.flush()
