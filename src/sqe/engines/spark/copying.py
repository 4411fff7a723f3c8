"""COPY INTO on Spark: the files as a view of this query alone, and an INSERT by name from it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqe.catalog.bound import BoundAbsent, BoundTable
from sqe.engines.protocol import Run
from sqe.engines.spark.connection import Connection, new_operation_id
from sqe.engines.spark.errors import translate
from sqe.engines.spark.file_errors import file_error
from sqe.engines.spark.ledger import LedgerEntry, already_loaded
from sqe.engines.spark.load_files import LoadFile, LoadFolders
from sqe.engines.spark.types import columns_of_struct
from sqe.errors import ErrorCode, InternalError, UserError
from sqe.model.names import quote
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.render import Names, dotted
from sqe.sql.copy import CopyInto
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, StatementKind

_CORRUPT = "sqe_corrupt_record"


@dataclass(frozen=True)
class Copy:
    """One COPY: what it reads and where that goes."""

    command: CopyInto
    target: BoundTable | BoundAbsent
    found: tuple[LoadFile, ...]
    new: tuple[LoadFile, ...]  # those of them that the table has not loaded yet
    view: str

    @cached_property
    def entry(self) -> LedgerEntry:
        command = self.command
        return LedgerEntry(
            self.files, again=command.force or command.overwrite, alone=command.overwrite
        )

    @property
    def files(self) -> tuple[LoadFile, ...]:
        return self.new or self.found


def copy_of(statement: GuardedStatement, run: Run, folders: LoadFolders) -> Copy | None:
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
    found = folders.find(command.sources, run.files)
    new = found
    if isinstance(target, BoundTable) and not (command.force or command.overwrite):
        known = already_loaded(target.metadata)
        new = [file for file in found if file.key not in known]
    view = f"files_{secrets.token_hex(16)}"
    return Copy(command, target, tuple(found), tuple(new), view)


def copy_edits(
    copy: Copy, statement: GuardedStatement, names: Names, connection: Connection, stack: ExitStack
) -> list[Edit]:
    """The statement that Spark runs in place of the user's, from a view of the files that is there
    until ``stack`` closes."""
    reader = _Reader(copy, connection)
    table = dotted(names.table(copy.target.name))
    try:
        shape = _Shape() if copy.command.create else reader.shape()
        if shape.new:
            _add_columns(table, shape.new, connection)
        connection.create_view(copy.view, reader.relation(shape.schema))
        stack.callback(connection.drop_view, copy.view)
    except Exception as error:
        raise file_error(error) or translate(error, None) from error
    columns = shape.columns
    listed = ", ".join(quote(name) for name in columns) or "*"
    if not copy.command.create:
        verb = "INSERT OVERWRITE" if copy.command.overwrite else "INSERT INTO"
        head = f"{verb} {table} BY NAME"
    else:
        head = f"CREATE {'OR REPLACE ' if copy.command.overwrite else ''}TABLE {table} AS"
    text = f"{head} SELECT {listed} FROM {quote(copy.view)}"  # noqa: S608  names are quoted
    return [Edit(Span(0, len(statement.bound.statement.text)), text)]


def _add_columns(table: str, columns: Sequence[Column], connection: Connection) -> None:
    """The broker keeps the change to itself until the rows come."""
    listed = ", ".join(f"{quote(column.name)} {column.type}" for column in columns)
    plan = connection.plan(f"ALTER TABLE {table} ADD COLUMNS ({listed})")
    for _ in connection.execute(plan, new_operation_id(), lambda _: None):
        pass


@dataclass(frozen=True)
class _Shape:
    """The schema to read with (empty: the files' own), the columns to take from it (none: all),
    and those of them the table has to get first."""

    schema: str = ""
    columns: tuple[str, ...] = ()
    new: tuple[Column, ...] = ()


@dataclass(frozen=True)
class _Reader:
    """How Spark reads the files of one COPY."""

    copy: Copy
    connection: Connection

    def relation(self, schema: str = "", **options: str) -> Any:
        """The files with ``schema`` (Spark finds one itself if it is empty)."""
        command = self.copy.command
        given = dict(command.options)
        if command.format in ("csv", "json"):
            given["mode"] = "FAILFAST"  # a row that does not fit is an error, never NULLs
        if command.format == "csv":
            given["enforceSchema"] = "false"  # the header must say what the schema says
            given["inferSchema"] = str(not schema).lower()
        if command.format in ("parquet", "orc"):
            given["mergeSchema"] = "true"  # columns of all files, not of one
        given.update(options)
        return self.connection.read_files(
            command.format, schema, given, [file.url for file in self.copy.files]
        )

    def shape(self) -> _Shape:
        """How the files fit the table."""
        target = self.copy.target
        assert isinstance(target, BoundTable)  # noqa: S101  the caller has looked
        command = self.copy.command
        stored = {column.name.lower(): column for column in target.columns}
        if command.format == "csv" and dict(command.options).get("header", "").lower() != "true":
            names = command.columns or tuple(column.name for column in target.columns)
        else:
            names = tuple(column.name for column in self._found(infer=False))
            if not names:  # nothing but broken rows: reading them says what is wrong
                names = tuple(column.name for column in target.columns)
        wanted = self._wanted(names, stored)
        new: list[Column] = []
        if command.merge_schema and any(name.lower() not in stored for name in names):
            new = [c for c in self._found(infer=True) if c.name.lower() not in stored]
            stored |= {column.name.lower(): column for column in new}
        if command.format in ("parquet", "orc"):
            return _Shape("", wanted, tuple(new))
        read = names if command.format == "csv" else wanted
        kinds = (stored.get(name.lower(), Column(name, "string")).type for name in read)
        schema = ", ".join(f"{quote(n)} {kind}" for n, kind in zip(read, kinds, strict=True))
        return _Shape(schema, wanted, tuple(new))

    def _found(self, *, infer: bool) -> list[Column]:
        """The files' own columns. ``infer``: also their types, where that takes a look at rows."""
        struct = self.connection.schema(self.connection.plan_of(self._sample(infer)))
        return [column for column in columns_of_struct(struct) if column.name != _CORRUPT]

    def _sample(self, infer: bool) -> Any:
        """Broken rows are found when they are read."""
        if self.copy.command.format == "csv":
            return self.relation(inferSchema=str(infer).lower())
        if self.copy.command.format == "json":
            return self.relation(mode="PERMISSIVE", columnNameOfCorruptRecord=_CORRUPT)
        return self.relation()

    def _wanted(self, names: Sequence[str], stored: dict[str, Column]) -> tuple[str, ...]:
        """The columns to load, by the files' spelling. One that has no place is an error."""
        target = self.copy.target.name
        listed = {name.lower(): name for name in self.copy.command.columns}
        unknown = [name for key, name in listed.items() if key not in stored]
        if unknown:
            raise UserError(
                ErrorCode.COLUMN_NOT_FOUND, f"{target} has no column {', '.join(unknown)}."
            )
        there = {name.lower() for name in names}
        absent = [name for key, name in listed.items() if key not in there]
        if absent:
            raise UserError(
                ErrorCode.COLUMN_NOT_FOUND, f"The files have no column {', '.join(absent)}."
            )
        extra = [name for name in names if name.lower() not in stored]
        if extra and not listed and not self.copy.command.merge_schema:
            raise UserError(
                ErrorCode.COLUMN_NOT_FOUND,
                f"The files have columns that {target} lacks: {', '.join(extra)}.",
                hint="Name the columns to load, COPY INTO table (…), or add the others:"
                " COPY_OPTIONS ('mergeSchema' = 'true').",
            )
        return tuple(name for name in names if not listed or name.lower() in listed)
