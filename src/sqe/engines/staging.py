"""What Spark's COPY asks of the reader of CSV files: Parquet files with the rows, typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from sqe.files.options import CsvOptions
from sqe.model.query import Column, Progress
from sqe.results.arrow_types import arrow_schema
from sqe.results.cancellation import Cancellation

# The columns of the rows that a load leaves aside.
REJECTS = (
    Column("file", "string"),
    Column("line", "bigint"),
    Column("reason", "string"),
    Column("text", "string"),
)
REJECTS_SCHEMA = arrow_schema(REJECTS)


@dataclass(frozen=True)
class StagedColumn:
    """A column of the table, and those of the Parquet files that its values are in. ``instant`` is
    for timestamps that say their zone; ``value`` has those that do not. Nested values are JSON."""

    column: Column
    value: str
    instant: str = ""


@dataclass(frozen=True)
class Staged:
    """Rows in files that are there until the load ends."""

    files: tuple[str, ...]
    columns: tuple[StagedColumn, ...]
    rejected: int
    rejects: Callable[[], Iterator[pa.RecordBatch]]


class CsvLoad(Protocol):
    """The CSV files of one load."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the files' columns; _c0, _c1, … where there is no header."""
        ...

    @property
    def has_header(self) -> bool: ...

    def types(self) -> tuple[str, ...]:
        """The narrowest type for all values of each column."""
        ...

    def stage(
        self, columns: Sequence[Column], names: Sequence[str], *, rejects: bool, rows: bool = True
    ) -> Staged:
        """``columns`` are to be loaded, ``names`` those of all fields of the files. A row that does
        not fit is an error, or one of the ``rejects``. Without ``rows``, the files are empty."""
        ...


@dataclass(frozen=True)
class LoadRun:
    """How to stop a load, and whom to tell how far it is."""

    cancellation: Cancellation
    report: Callable[[Progress], None]


class CsvReader(Protocol):
    def open_csv(
        self,
        paths: Sequence[str],
        options: CsvOptions,
        columns: Sequence[str],
        run: LoadRun,
    ) -> AbstractContextManager[CsvLoad]:
        """``columns`` are those of the table, if there is one."""
        ...
