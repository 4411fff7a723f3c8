"""What every output format does with a result, and which class does it."""

from __future__ import annotations

from typing import BinaryIO, Protocol

import pyarrow as pa

from sqe.cli.formats import Expanded, OutputFormat
from sqe.cli.formats.output import Output
from sqe.results.stream import ResultStream


class ResultWriter(Protocol):
    """``begin``, ``write`` for every batch, ``end``; then maybe the next result."""

    out: Output

    def begin(self, result: ResultStream) -> None: ...
    def write(self, batch: pa.RecordBatch) -> None: ...
    def end(self) -> None: ...


def writer_for(
    output: OutputFormat, file: BinaryIO, *, screen_width: int | None = None
) -> ResultWriter:
    """``screen_width`` is the columns of the terminal behind it, None where there is none."""
    return writer_to(output, Output(file, screen_width))


def writer_to(
    output: OutputFormat, out: Output, expanded: Expanded = Expanded.AUTO
) -> ResultWriter:
    if output in (OutputFormat.TABLE, OutputFormat.VERTICAL):
        from sqe.cli.formats.text import TextWriter

        return TextWriter(out, Expanded.ON if output is OutputFormat.VERTICAL else expanded)
    if output is OutputFormat.CSV:
        from sqe.cli.formats.delimited import CsvWriter

        return CsvWriter(out)
    if output.binary:
        from sqe.cli.formats.arrow_files import ArrowWriter, ParquetWriter

        return ParquetWriter(out) if output is OutputFormat.PARQUET else ArrowWriter(out)
    from sqe.cli.formats.documents import JsonWriter

    return JsonWriter(out, lines=output is OutputFormat.JSONL)
