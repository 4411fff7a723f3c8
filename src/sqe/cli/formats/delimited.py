"""CSV by RFC 4180: a header, CRLF, NULL as an empty field and an empty string as ``""``."""

from __future__ import annotations

import pyarrow as pa

from sqe.cli.formats.output import Output
from sqe.results.stream import ResultStream
from sqe.results.texts.rows import csv_lines, csv_of_batch


class CsvWriter:
    def __init__(self, out: Output) -> None:
        self.out = out

    def begin(self, result: ResultStream) -> None:
        self._types = [column.type for column in result.columns]
        self.out.write(csv_lines([[column.name] for column in result.columns]).encode())

    def write(self, batch: pa.RecordBatch) -> None:
        for lines in csv_of_batch(batch, self._types):
            self.out.write(lines.encode())
        self.out.flush()

    def end(self) -> None:
        self.out.flush()
