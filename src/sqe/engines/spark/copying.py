"""COPY INTO on Spark: the files as a view of this query alone, and an INSERT by name from it."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote as url_quote

from sqe.binding.bound import BoundAbsent, BoundTable
from sqe.engines.protocol import Run
from sqe.engines.spark.connection import Connection
from sqe.engines.spark.errors import translate
from sqe.engines.spark.file_errors import file_error
from sqe.engines.spark.ledger import LedgerEntry, already_loaded
from sqe.engines.spark.load_files import LoadFile
from sqe.engines.spark.load_places import LoadPlaces
from sqe.engines.spark.types import columns_of_struct
from sqe.errors import ErrorCode, InternalError, SqeError, UserError
from sqe.files.contents import HEAD, check_contents
from sqe.model.names import quote
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.rendering import Names, quote_parts
from sqe.sql.copy import CopyInto
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, StatementKind

_CORRUPT = "sqe_corrupt_record"
_PACKED = (".gz", ".bz2", ".zst", ".snappy", ".deflate", ".lz4")


@dataclass(frozen=True)
class PlanRunner:
    """Makes plans, and runs them before the statement's own: a cancel of the query ends them."""

    connection: Connection
    execute: Callable[[Any], Iterable[Any]]

    def run(self, plan: Any) -> list[Any]:
        return list(self.execute(plan))


@dataclass(frozen=True)
class Source:
    """What Spark takes the rows from: the files as a relation, SQL for each of the table's columns
    (none: all columns as they are), and those of them that the table has to get first."""

    relation: Any
    expressions: tuple[str, ...] = ()
    added: tuple[Column, ...] = ()


@dataclass(frozen=True)
class Copy:
    """One COPY: what it reads and where that goes."""

    command: CopyInto
    target: BoundTable | BoundAbsent
    found: tuple[LoadFile, ...]
    new: tuple[LoadFile, ...]  # those of them that the table has not loaded yet
    view: str

    def file_error(self, error: Exception) -> UserError | None:
        """The error in terms of a file, if it is about reading one."""
        return file_error(error)

    def source(self, runner: PlanRunner) -> Source:
        return _Reader(self, runner).source()

    @cached_property
    def entry(self) -> LedgerEntry:
        command = self.command
        return LedgerEntry(
            self.files, again=command.force or command.overwrite, alone=command.overwrite
        )

    @property
    def files(self) -> tuple[LoadFile, ...]:
        return self.new or self.found

    def name_objects(self, text: str) -> str:
        """A text with the names of objects in place of where their copies lie."""
        names = {
            spelled: file.name
            for file in self.files
            if file.remote is not None
            for spelled in (file.path, url_quote(file.path))
        }
        if not names:
            return text
        listed = "|".join(map(re.escape, names))
        return re.sub(f"(?:file:(?://)?)?({listed})", lambda found: names[found[1]], text)

    @contextmanager
    def name_errors(self) -> Iterator[None]:
        try:
            yield
        except SqeError as error:
            self.name_error(error)
            raise

    def name_error(self, error: SqeError) -> SqeError:
        error.message, error.hint = self.name_objects(error.message), self.name_objects(error.hint)
        return error


def copy_of(statement: GuardedStatement, run: Run, places: LoadPlaces) -> Copy | None:
    """The COPY that the statement is, its files found and allowed; None for other statements."""
    source = statement.bound.statement
    if source.kind is not StatementKind.COPY:
        return None
    target = statement.bound.references[0].target
    if not isinstance(source.command, CopyInto) or not isinstance(target, BoundTable | BoundAbsent):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "COPY without a table.")
    command = source.command
    if isinstance(target, BoundTable) and target.suffix:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "COPY INTO a branch is not supported.",
            hint="INSERT INTO the branch from a table that holds the files' rows.",
        )
    files = places.find(command.sources, run)
    new = files
    if isinstance(target, BoundTable) and not (command.force or command.overwrite):
        known = already_loaded(target.metadata)
        new = [file for file in files if file.key not in known]
    view = f"files_{secrets.token_hex(16)}"
    return Copy(command, target, tuple(files), tuple(new), view)


def copy_edits(
    copy: Copy, statement: GuardedStatement, names: Names, runner: PlanRunner, stack: ExitStack
) -> list[Edit]:
    """The statement that Spark runs in place of the user's, from a view of the files that is there
    until ``stack`` closes."""
    table, connection = quote_parts(names.table(copy.target.name)), runner.connection
    try:
        source = copy.source(runner)
        if source.added:
            runner.run(connection.plan(_add_columns(table, source.added)))
        stack.callback(connection.drop_view, copy.view)
        runner.run(connection.plan_of_view(copy.view, source.relation))
    except Exception as error:
        raise file_error(error) or translate(error, None) from error
    listed = ", ".join(source.expressions) or "*"
    if not copy.command.create:
        verb = "INSERT OVERWRITE" if copy.command.overwrite else "INSERT INTO"
        head = f"{verb} {table} BY NAME"
    else:
        head = f"CREATE {'OR REPLACE ' if copy.command.overwrite else ''}TABLE {table} AS"
    text = f"{head} SELECT {listed} FROM {quote(copy.view)}"  # noqa: S608  names are quoted
    return [Edit(Span(0, len(statement.bound.statement.text)), text)]


def _add_columns(table: str, columns: Sequence[Column]) -> str:
    """The broker keeps the change to itself until the rows come."""
    listed = ", ".join(f"{quote(column.name)} {column.type}" for column in columns)
    return f"ALTER TABLE {table} ADD COLUMNS ({listed})"


@dataclass(frozen=True)
class _Reader:
    """How Spark itself reads the files of one COPY."""

    copy: Copy
    runner: PlanRunner

    def source(self) -> Source:
        """How the files fit the table."""
        command, target = self.copy.command, self.copy.target
        if command.create:
            return Source(self.relation())
        assert isinstance(target, BoundTable)  # noqa: S101  the caller has looked
        stored = {column.name.lower(): column for column in target.columns}
        columns = self._infer_columns()
        # Nothing but broken rows: reading them says what is wrong.
        names = tuple(c.name for c in columns) or tuple(c.name for c in target.columns)
        wanted = columns_to_load(self.copy, names, stored)
        added: list[Column] = []
        if command.merge_schema:
            added = [column for column in columns if column.name.lower() not in stored]
            stored |= {column.name.lower(): column for column in added}
        schema = ""
        if command.format == "json":
            kinds = (stored[name.lower()].type for name in wanted)
            schema = ", ".join(f"{quote(n)} {kind}" for n, kind in zip(wanted, kinds, strict=True))
        return Source(self.relation(schema), tuple(map(quote, wanted)), tuple(added))

    def relation(self, schema: str = "", **options: str) -> Any:
        """The files with ``schema`` (Spark finds one itself if it is empty)."""
        command = self.copy.command
        reader_options = dict(command.options)
        if command.format == "json":
            reader_options["mode"] = "FAILFAST"  # a row that does not fit is an error, never NULLs
        else:
            reader_options["mergeSchema"] = "true"  # columns of all files, not of one
        reader_options.update(options)
        return self.runner.connection.read_files(
            command.format, schema, reader_options, [file.url for file in self.copy.files]
        )

    def _infer_columns(self) -> list[Column]:
        """The files' own columns. Broken rows are found when they are read."""
        sample = self.relation()
        if self.copy.command.format == "json":
            sample = self.relation(mode="PERMISSIVE", columnNameOfCorruptRecord=_CORRUPT)
        items = self.runner.run(self.runner.connection.plan_of_schema(sample))
        struct = next(item for item in items if hasattr(item, "fields"))
        return [column for column in columns_of_struct(struct) if column.name != _CORRUPT]


def columns_to_load(copy: Copy, names: Sequence[str], stored: dict[str, Column]) -> tuple[str, ...]:
    """Those of ``names``, which the files have. One that has no place is an error."""
    target = copy.target.name
    listed = {name.lower(): name for name in copy.command.columns}
    unknown = [name for key, name in listed.items() if key not in stored]
    if unknown:
        raise UserError(ErrorCode.COLUMN_NOT_FOUND, f"{target} has no column {', '.join(unknown)}.")
    there = {name.lower() for name in names}
    absent = [name for key, name in listed.items() if key not in there]
    if absent:
        raise UserError(
            ErrorCode.COLUMN_NOT_FOUND, f"The files have no column {', '.join(absent)}."
        )
    extra = [name for name in names if name.lower() not in stored]
    if extra and not listed and not copy.command.merge_schema:
        hint = (
            "Name the columns to load, COPY INTO table (…), or add the others:"
            " COPY_OPTIONS ('mergeSchema' = 'true')."
        )
        if copy.command.format == "csv":
            hint += " If the first line is no header: header=false."
        raise UserError(
            ErrorCode.COLUMN_NOT_FOUND,
            f"The files have columns that {target} lacks: {', '.join(extra)}.",
            hint=hint,
        )
    return tuple(name for name in names if not listed or name.lower() in listed)


def check_files(files: Sequence[LoadFile], file_format: str) -> None:
    """CSV files are looked at when they are read, as they may be packed."""
    if file_format == "csv":
        return
    for file in files:
        if not file.size:
            head = b""
        elif os.path.splitext(file.path.lower())[1] in _PACKED:
            continue
        else:
            with open(file.path, "rb") as opened:
                head = opened.read(HEAD)
        check_contents(file.name, file_format, head)
