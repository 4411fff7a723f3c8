"""A whole result as a file, written as it is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sqe.console.result_file import ResultFile
from sqe.errors import ErrorCode, UserError
from sqe.results.months import columns_of
from sqe.results.texts.cells import Spelling, texts
from sqe.results.texts.names import unique_names
from sqe.results.texts.rows import csv_lines, json_of_batch

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_TEXT_TYPES = ("string", "char", "varchar")


def write_result(result: ResultFile, kind: str) -> Iterator[bytes]:
    """INVALID_ARGUMENT for a format that is not there."""
    if kind not in MEDIA_TYPES:
        known = ", ".join(MEDIA_TYPES)
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"There is no format {kind}; there are {known}."
        )
    return {"csv": _csv, "json": _json, "parquet": _parquet, "arrow": _arrow}[kind](result)


def _csv(result: ResultFile) -> Iterator[bytes]:
    """A text that a spreadsheet would run gets an apostrophe before it, as spreadsheets do."""
    yield csv_lines([[_harmless(column.name)] for column in result.columns]).encode()
    for batch in result.batches():
        cells = []
        for array, column in zip(columns_of(batch), result.columns, strict=True):
            column_texts = texts(array, column.type, Spelling.PORTABLE)
            if column.type.startswith(_TEXT_TYPES):
                column_texts = [None if text is None else _harmless(text) for text in column_texts]
            cells.append(column_texts)
        yield csv_lines(cells).encode()


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _json(result: ResultFile) -> Iterator[bytes]:
    names = unique_names([column.name for column in result.columns])
    separator = "[\n"
    for batch in result.batches():
        for rows in json_of_batch(batch, names, [column.type for column in result.columns]):
            yield (separator + ",\n".join(rows)).encode()
            separator = ",\n"
    yield b"[]\n" if separator == "[\n" else b"\n]\n"


class _Sink:
    """What a writer of Arrow's writes to; ``take`` gives what came since."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is held."""

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _arrow(result: ResultFile) -> Iterator[bytes]:
    sink = _Sink()
    with pa.ipc.new_stream(pa.PythonFile(sink, "w"), result.schema) as stream:
        for batch in result.batches():
            stream.write_batch(batch)
            yield sink.take()
    yield sink.take()


def _parquet(result: ResultFile) -> Iterator[bytes]:
    names = unique_names(result.schema.names)
    fields = [field.with_name(name) for field, name in zip(result.schema, names, strict=True)]
    schema = pa.schema(fields)
    sink = _Sink()
    try:
        writer = pq.ParquetWriter(pa.PythonFile(sink, "w"), schema, compression="zstd")
    except pa.ArrowNotImplementedError as error:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"Parquet has no type for a column of this result: {error}.",
            hint="Cast it, e.g. to string, or choose another format.",
        ) from error
    with writer:
        for batch in result.batches():
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
            yield sink.take()
    yield sink.take()
