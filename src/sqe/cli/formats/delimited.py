"""CSV by RFC 4180: a header, CRLF, NULL as an empty field and an empty string as ``""``."""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from sqe.cli.formats.cells import Spelling, texts
from sqe.results.months import columns_of
from sqe.results.stream import ResultStream

_SLICE = 10_000
_SPECIAL = frozenset('",\r\n')


class CsvWriter:
    def __init__(self, out: BinaryIO, screen_width: int | None = None) -> None:
        self._out = out
        self.on_screen = screen_width is not None

    def begin(self, result: ResultStream) -> None:
        self._types = [column.type for column in result.columns]
        self._write_rows([[column.name] for column in result.columns])

    def write(self, batch: pa.RecordBatch) -> None:
        for start in range(0, batch.num_rows, _SLICE):
            part = batch.slice(start, _SLICE)
            self._write_rows(
                [
                    texts(array, kind, Spelling.PORTABLE)
                    for array, kind in zip(columns_of(part), self._types, strict=True)
                ]
            )
        self._out.flush()

    def end(self) -> None:
        self._out.flush()

    def _write_rows(self, columns: list[list[str]] | list[list[str | None]]) -> None:
        fields = [[_field(cell) for cell in column] for column in columns]
        lines = [",".join(row) + "\r\n" for row in zip(*fields, strict=True)]
        self._out.write("".join(lines).encode())


def _field(text: str | None) -> str:
    if text is None:
        return ""
    if not text or not _SPECIAL.isdisjoint(text):
        return '"' + text.replace('"', '""') + '"'
    return text
