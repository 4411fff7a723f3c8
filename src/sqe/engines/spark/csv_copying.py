"""COPY INTO from CSV: the files become typed Parquet files first, which Spark then loads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from sqe.binding.bound import BoundTable
from sqe.catalog.schemas import current_schema
from sqe.engines.protocol import Run
from sqe.engines.spark.copying import Copy, PlanRunner, Source, columns_to_load
from sqe.engines.spark.json_columns import expression_of_json
from sqe.engines.spark.load_places import LoadPlaces
from sqe.engines.staging import CsvReader, LoadRun, Staged, StagedColumn
from sqe.errors import ErrorCode, UserError
from sqe.files.options import CsvOptions
from sqe.model.names import quote
from sqe.model.query import Column


@dataclass(frozen=True)
class Loading:
    """Which files COPY may read, and what reads those of CSV."""

    places: LoadPlaces = field(default_factory=LoadPlaces)
    csv: CsvReader | None = None

    def csv_reader(self) -> CsvReader:
        if self.csv is None:
            raise UserError(ErrorCode.NOT_SUPPORTED, "CSV files cannot be loaded here.")
        return self.csv


@dataclass(frozen=True)
class StagedCopy(Copy):
    """A COPY whose rows have been read. ``added`` are the columns that the table has to get."""

    staged: Staged = field(kw_only=True)
    added: tuple[Column, ...] = ()

    def source(self, runner: PlanRunner) -> Source:
        urls = [f"file://{path}" for path in self.staged.files]
        relation = runner.connection.read_files("parquet", "", {}, urls)
        expressions = map(self._expression, self.staged.columns)
        return Source(relation, tuple(expressions), self.added)

    def rejects(self) -> Iterator[pa.RecordBatch]:
        """The lines that were left out, with the names of files as people know them."""
        names = {file.path: file.name for file in self.files}
        for batch in self.staged.rejects():
            files = [names.get(path, path) for path in batch.column("file").to_pylist()]
            yield batch.set_column(0, batch.schema.field(0), pa.array(files, pa.string()))

    def file_error(self, error: Exception) -> UserError | None:
        """Of the files' values, Spark reads only the nested ones."""
        if "MALFORMED_RECORD_IN_PARSING" not in str(error):
            return None
        nested = [column.column.name for column in self.staged.columns if self._is_nested(column)]
        paths = ", ".join(file.name for file in self.files)
        return UserError(
            ErrorCode.INVALID_FILE,
            f"{paths}: a list, map or struct in it is not what the table has.",
            hint=f"Nothing was loaded. Look at the JSON in {', '.join(nested)}.",
        )

    def _is_nested(self, staged: StagedColumn) -> bool:
        return not isinstance(self._iceberg_type(staged.column.name), str)

    def _expression(self, staged: StagedColumn) -> str:
        value, name = quote(staged.value), quote(staged.column.name)
        if staged.instant:
            # A timestamp that does not say its zone has the session's, as everywhere in Spark.
            local = f"CAST({value} AS TIMESTAMP)"
            value = f"coalesce(timestamp_micros({quote(staged.instant)}), {local})"
        elif staged.column.type == "timestamp":
            value = f"CAST({value} AS TIMESTAMP)"
        else:
            kind = self._iceberg_type(staged.column.name)
            if not isinstance(kind, str):
                value = expression_of_json(value, kind)
        return f"{value} AS {name}"

    def _iceberg_type(self, name: str) -> Any:
        """A text for a primitive type; columns that the table does not have yet are of such."""
        if not isinstance(self.target, BoundTable) or self.command.create:
            return ""
        fields = current_schema(self.target.metadata)["fields"]
        return next((f["type"] for f in fields if f["name"].lower() == name.lower()), "")


def stage_csv(
    copy: Copy, reader: CsvReader, run: Run, stack: ExitStack, *, rows: bool
) -> StagedCopy:
    """The files are there until ``stack`` closes. Without ``rows``, only their columns are read."""
    command, target = copy.command, copy.target
    options = CsvOptions.of(dict(command.options))
    table = () if command.create or not isinstance(target, BoundTable) else target.columns
    paths = [file.path for file in copy.files]
    known = command.columns or tuple(column.name for column in table)
    told = LoadRun(run.cancellation, run.report)
    load = stack.enter_context(reader.open_csv(paths, options, known, told))
    names = load.names if load.has_header or command.create else known
    added: list[Column] = []
    if command.create:
        columns = [Column(name, kind) for name, kind in zip(names, load.types(), strict=True)]
    else:
        stored = {column.name.lower(): column for column in table}
        wanted = columns_to_load(copy, names, stored)
        if command.merge_schema and any(name.lower() not in stored for name in names):
            typed_columns = [Column(n, kind) for n, kind in zip(names, load.types(), strict=True)]
            added = [column for column in typed_columns if column.name.lower() not in stored]
        stored |= {column.name.lower(): column for column in added}
        columns = [replace(stored[name.lower()], name=name) for name in wanted]
    staged = load.stage(columns, names, rejects=command.rejects, rows=rows)
    return StagedCopy(
        command, target, copy.found, copy.new, copy.view, staged=staged, added=tuple(added)
    )
