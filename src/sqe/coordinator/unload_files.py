"""Batches of a result as a file: Parquet, CSV by RFC 4180, or JSON with one object a line."""

from __future__ import annotations

import gzip
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

import pyarrow as pa

from sqe.errors import ErrorCode, UserError
from sqe.results.sizes import batch_bytes
from sqe.results.texts.names import unique_names
from sqe.results.texts.rows import csv_lines, csv_of_batch, json_of_batch

if TYPE_CHECKING:
    from sqe.results.stream import ResultStream
    from sqe.sql.unload import Unload

_ROW_GROUP = 32 * 1024 * 1024  # bytes in memory


class FileWriter(Protocol):
    def write(self, batch: pa.RecordBatch) -> None: ...
    def close(self) -> None:
        """Writes what is left; the file stays open."""
        ...


def writer_of(command: Unload, result: ResultStream, file: BinaryIO) -> FileWriter:
    if command.format == "parquet":
        return _ParquetWriter(result, file, command.compression)
    return _TextWriter(command, result, file)


class _ParquetWriter:
    """Small batches are gathered: however they come, the file has large groups of rows."""

    def __init__(self, result: ResultStream, file: BinaryIO, compression: str) -> None:
        import pyarrow.parquet as pq

        self._schema = _with_unique_names(result.schema)
        self._waiting: list[pa.RecordBatch] = []
        self._size = 0
        try:
            self._writer: Any = pq.ParquetWriter(
                file, self._schema, compression=compression, store_schema=False
            )
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Parquet has no type for a column: {error}.",
                hint="Cast it, for example to a string.",
            ) from error

    def write(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._size += batch_bytes(batch)
        if self._size >= _ROW_GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(
                [batch.rename_columns(self._schema.names) for batch in self._waiting]
            )
            self._writer.write_table(table)
        self._waiting.clear()
        self._size = 0


def _with_unique_names(schema: pa.Schema) -> pa.Schema:
    names = unique_names(schema.names)
    return pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])


class _TextWriter:
    def __init__(self, command: Unload, result: ResultStream, file: BinaryIO) -> None:
        self._command = command
        self._types = [column.type for column in result.columns]
        self._names = unique_names([column.name for column in result.columns])
        self._stack = ExitStack()
        self._file = file
        if command.compression == "gzip":
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
            self._file = cast(BinaryIO, self._stack.enter_context(packed))
        if command.format == "csv" and command.header:
            head = [[column.name] for column in result.columns]
            self._file.write(csv_lines(head, command.delimiter).encode())

    def write(self, batch: pa.RecordBatch) -> None:
        if self._command.format == "json":
            for rows in json_of_batch(batch, self._names, self._types):
                self._file.write("".join(f"{row}\n" for row in rows).encode())
        else:
            for lines in csv_of_batch(batch, self._types, self._command.delimiter):
                self._file.write(lines.encode())

    def close(self) -> None:
        self._stack.close()
