"""One kept answer, and its file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from sqe.model.query import Column


@dataclass(frozen=True)
class Answer:
    """``made`` counts as the cache's clock does."""

    columns: tuple[Column, ...]
    schema: pa.Schema
    batches: tuple[pa.RecordBatch, ...] = field(repr=False)
    size: int
    made: float

    @property
    def rows(self) -> int:
        return sum(batch.num_rows for batch in self.batches)


@dataclass(frozen=True)
class FiledAnswer:
    """An answer without its rows, which are in ``path``."""

    answer: Answer
    path: Path
    rows: int
    bytes: int


def write_answer(answer: Answer, path: Path, without_rows: Answer) -> FiledAnswer:
    """OSError: it could not be written, and nothing is left of it."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file, pa.ipc.new_file(file, answer.schema) as writer:
            for batch in answer.batches:
                writer.write_batch(batch)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return FiledAnswer(without_rows, path, answer.rows, path.stat().st_size)


def read_batches(filed: FiledAnswer) -> Sequence[pa.RecordBatch]:
    """OSError, pa.ArrowInvalid: it is not as it was written."""
    if filed.path.stat().st_size != filed.bytes:
        raise OSError("the file of an answer has another size than it was given")
    with filed.path.open("rb") as file, pa.ipc.open_file(file) as reader:
        batches = [reader.get_batch(at) for at in range(reader.num_record_batches)]
    if sum(batch.num_rows for batch in batches) != filed.rows:
        raise OSError("the file of an answer has other rows than it was given")
    return batches
