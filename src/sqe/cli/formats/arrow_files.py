"""Parquet files and Arrow IPC streams. Both hold one result."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from sqe.cli.formats.output import Output
from sqe.errors import ErrorCode, UserError
from sqe.results.sizes import batch_bytes
from sqe.results.stream import ResultStream
from sqe.results.texts.names import unique_names

_ROW_GROUP_BYTES = 64 << 20


class ArrowWriter:
    """An Arrow IPC stream, batch by batch as they come."""

    def __init__(self, out: Output) -> None:
        self.out = out
        self._stream: pa.ipc.RecordBatchStreamWriter | None = None

    def begin(self, result: ResultStream) -> None:
        _refuse_second(self._stream, "Arrow")
        self._stream = pa.ipc.new_stream(self.out.file, result.schema)

    def write(self, batch: pa.RecordBatch) -> None:
        assert self._stream is not None  # noqa: S101 - tells mypy
        self._stream.write_batch(batch)

    def end(self) -> None:
        assert self._stream is not None  # noqa: S101 - tells mypy
        self._stream.close()
        self.out.flush()


class ParquetWriter:
    """Batches are gathered into row groups of about 64 MiB."""

    def __init__(self, out: Output) -> None:
        self.out = out
        self._file: pq.ParquetWriter | None = None
        self._pending: list[pa.RecordBatch] = []

    def begin(self, result: ResultStream) -> None:
        _refuse_second(self._file, "Parquet")
        names = unique_names(result.schema.names)
        self._schema = pa.schema(
            [field.with_name(name) for field, name in zip(result.schema, names, strict=True)]
        )
        try:
            self._file = pq.ParquetWriter(self.out.file, self._schema, compression="zstd")
        except pa.ArrowNotImplementedError as error:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Parquet has no type for a column of this result: {error}.",
                hint="Cast it, e.g. to string, or choose another format.",
            ) from error

    def write(self, batch: pa.RecordBatch) -> None:
        self._pending.append(pa.RecordBatch.from_arrays(batch.columns, schema=self._schema))
        if sum(batch_bytes(part) for part in self._pending) >= _ROW_GROUP_BYTES:
            self._write_pending()

    def _write_pending(self) -> None:
        assert self._file is not None  # noqa: S101 - tells mypy
        table = pa.Table.from_batches(self._pending, schema=self._schema)
        self._pending = []
        if table.num_rows:
            self._file.write_table(table, row_group_size=table.num_rows)

    def end(self) -> None:
        assert self._file is not None  # noqa: S101 - tells mypy
        self._write_pending()
        self._file.close()
        self.out.flush()


def _refuse_second(stream: object | None, name: str) -> None:
    if stream is not None:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{name} output holds one result, and this is a second one.",
            hint="Run the statements one by one.",
        )
