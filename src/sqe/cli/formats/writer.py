"""What every output format does with a result, and which class does it."""

from __future__ import annotations

from typing import BinaryIO, Protocol

import pyarrow as pa

from sqe.cli.formats import OutputFormat
from sqe.results.stream import ResultStream


class ResultWriter(Protocol):
    """``begin``, ``write`` for every batch, ``end``; then maybe the next result."""

    on_screen: bool  # rows appear where a progress bar would be

    def begin(self, result: ResultStream) -> None: ...
    def write(self, batch: pa.RecordBatch) -> None: ...
    def end(self) -> None: ...


def writer_for(
    output: OutputFormat, out: BinaryIO, *, screen_width: int | None = None
) -> ResultWriter:
    """``screen_width`` is the columns of the terminal behind ``out``, None where there is none."""
    if output is OutputFormat.TABLE:
        from sqe.cli.formats.table import TableWriter

        return TableWriter(out, screen_width)
    if output is OutputFormat.VERTICAL:
        from sqe.cli.formats.vertical import VerticalWriter

        return VerticalWriter(out, screen_width)
    if output is OutputFormat.CSV:
        from sqe.cli.formats.delimited import CsvWriter

        return CsvWriter(out, screen_width)
    if output.binary:
        from sqe.cli.formats.arrow_files import ArrowWriter, ParquetWriter

        return ParquetWriter(out) if output is OutputFormat.PARQUET else ArrowWriter(out)
    from sqe.cli.formats.documents import JsonWriter

    return JsonWriter(out, screen_width, lines=output is OutputFormat.JSONL)


def unique_names(names: list[str]) -> list[str]:
    """Every name once: a repeated one gets ``_2``, ``_3``, … that nobody else has."""
    taken = set(names)
    seen: set[str] = set()
    unique = []
    for name in names:
        candidate, number = name, 1
        while candidate in seen or (number > 1 and candidate in taken):
            number += 1
            candidate = f"{name}_{number}"
        seen.add(candidate)
        unique.append(candidate)
    return unique
