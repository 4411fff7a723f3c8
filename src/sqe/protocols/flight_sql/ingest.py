"""Bulk load: the client's stream of batches into a table, all rows or none.

The stream goes to a private Parquet file first, in memory for one batch at a time. A client that
goes away in the middle has changed nothing then; what is complete is one COPY INTO, and so one
commit. The file is gone when the call ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sqe.errors import ErrorCode, SqeError, UserError, error_of
from sqe.gateway.gateway import Gateway
from sqe.gateway.uploads import Upload, no_room
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import QueryOrigin, QueryRequest
from sqe.model.tracing import NO_TRACE, ClientTrace
from sqe.protocols.flight_sql.ingest_types import Conversion
from sqe.results.sizes import batch_bytes
from sqe.sessions.session import Session

_ROW_GROUP = 32 * 1024 * 1024  # bytes in memory
_FEW = 256  # batches


class IfAbsent(IntEnum):
    """What to do if the table is not there: numbers of Flight SQL's TableNotExistOption."""

    UNSPECIFIED = 0
    CREATE = 1
    FAIL = 2


class IfPresent(IntEnum):
    """And if it is: numbers of TableExistsOption."""

    UNSPECIFIED = 0
    FAIL = 1
    APPEND = 2
    REPLACE = 3


@dataclass(frozen=True)
class Destination:
    """Where the rows go, as CommandStatementIngest says it."""

    table: str
    schema: str | None = None  # levels of a schema are joined by dots, as GetDbSchemas lists them
    catalog: str | None = None
    temporary: bool = False
    if_absent: int = IfAbsent.UNSPECIFIED
    if_present: int = IfPresent.UNSPECIFIED
    options: Mapping[str, str] = field(default_factory=dict)

    def name_in(self, session: Session) -> RelationName:
        """The whole name; what the client leaves out is the session's."""
        catalog = self.catalog or session.schema.catalog
        if not self.table:
            raise UserError(ErrorCode.INVALID_ARGUMENT, "The table has no name.")
        if self.schema:
            path = tuple(self.schema.split("."))
            if not all(path):
                raise UserError(ErrorCode.SCHEMA_NOT_FOUND, f"There is no schema {self.schema}.")
        elif catalog == session.schema.catalog:
            path = session.schema.path
        else:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"Catalog {catalog} is named without a schema.",
                hint="Name the schema too.",
            )
        return RelationName(SchemaName(catalog, path), self.table)


# How each pair of options is tried: with which COPY_OPTIONS, in this order.
_APPEND: tuple[str, ...] = ()
_CREATE = ("create",)
_REPLACE = ("create", "overwrite")
_Tries = tuple[tuple[str, ...], ...]
_Batches = Iterable[pa.RecordBatch]
_TRIES: dict[tuple[int, int], _Tries] = {
    (IfAbsent.FAIL, IfPresent.APPEND): (_APPEND,),
    (IfAbsent.CREATE, IfPresent.FAIL): (_CREATE,),
    (IfAbsent.CREATE, IfPresent.REPLACE): (_REPLACE,),
    # The table may come or go between two tries.
    (IfAbsent.CREATE, IfPresent.APPEND): (_APPEND, _CREATE, _APPEND),
}
_NEXT = (ErrorCode.TABLE_NOT_FOUND, ErrorCode.TABLE_ALREADY_EXISTS)


@dataclass(frozen=True)
class Ingest:
    """One bulk load of a client."""

    gateway: Gateway
    session: Session
    transaction: str = ""
    source: str = ""
    origin: QueryOrigin | None = None
    trace: ClientTrace = NO_TRACE
    # Called with the id of each statement, so that a cancel finds it.
    submitted: Callable[[str], None] = lambda _: None

    def load(self, to: Destination, schema: pa.Schema, batches: _Batches) -> int:
        """The number of rows. ``batches`` raises, rather than ends, where the client goes away."""
        tries = _tries(to)
        if not self.transaction:
            # ADBC's driver does not say it, yet with autocommit off its loads are not to be there
            # before the commit, and must not be in the way of it.
            only = self.gateway.transaction_of(self.session.id)
            if only:
                return replace(self, transaction=only).load(to, schema, batches)
        with self.session.busy():  # a slow client's session is not idle
            return self._load(to.name_in(self.session), tries, schema, batches)

    def _load(self, name: RelationName, tries: _Tries, schema: pa.Schema, batches: _Batches) -> int:
        conversion = Conversion(
            schema, self._table_types(schema, name) if _APPEND in tries else None
        )
        with self.gateway.uploads.new(".parquet") as upload:
            # What would be refused is refused before the rows are sent.
            self._attempt(name, upload.path, tries, self.gateway.route)
            rows = _write_file(upload, conversion, batches)
            self._attempt(name, upload.path, tries, self._run)
        return rows

    def _table_types(self, schema: pa.Schema, name: RelationName) -> dict[str, pa.DataType]:
        """The table's own types, asked for only where a column has none."""
        if not any(pa.types.is_null(column.type) for column in schema):
            return {}
        text = f"SELECT * FROM {name}"  # noqa: S608  the name is quoted
        try:
            described = self.gateway.describe(self._request(text, frozenset())).schema
        except SqeError as error:
            if error.code is ErrorCode.TABLE_NOT_FOUND:
                return {}
            raise _without_place(error) from error
        return {column.name.lower(): column.type for column in described}

    def _attempt(
        self,
        name: RelationName,
        path: Path,
        tries: _Tries,
        run: Callable[[QueryRequest], object],
    ) -> None:
        for number, options in enumerate(tries, start=1):
            request = self._request(_statement(name, path, options), frozenset({str(path)}))
            try:
                run(request)
                return
            except SqeError as error:
                if number == len(tries) or error.code not in _NEXT:
                    raise _without_place(error, path) from error

    def _run(self, request: QueryRequest) -> None:
        query_id = self.gateway.submit(request)
        self.submitted(query_id)
        with self.gateway.fetch(query_id) as result:
            for _ in result:
                pass

    def _request(self, text: str, files: frozenset[str]) -> QueryRequest:
        return QueryRequest(
            self.session.id,
            text,
            self.source,
            files,
            transaction=self.transaction,
            origin=self.origin,
            trace=self.trace,
        )


def _tries(to: Destination) -> _Tries:
    if to.temporary:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "Temporary tables are not supported.",
            hint="Load into a table, and drop it when it is not needed any more.",
        )
    if to.options:
        names = ", ".join(sorted(to.options))
        raise UserError(ErrorCode.NOT_SUPPORTED, f"A load takes no options such as {names}.")
    tries = _TRIES.get((to.if_absent, to.if_present))
    if tries is None:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            "This is not a way to load a table.",
            hint="It is one of append, create, replace and create_append.",
        )
    return tries


def _write_file(upload: Upload, conversion: Conversion, batches: _Batches) -> int:
    """Writes the stream to the file. The rows of it."""
    rows = 0
    with _ParquetFile(upload, conversion.schema) as file:
        for batch in batches:
            rows += batch.num_rows
            file.add(conversion.batch(batch))
    return rows


class _ParquetFile:
    """Small batches are gathered, so that however they come the file has large groups of rows."""

    def __init__(self, upload: Upload, schema: pa.Schema) -> None:
        self._upload = upload
        self._few: list[pa.RecordBatch] = []  # as they came: each costs more than its rows
        self._waiting: list[pa.RecordBatch] = []
        self._size = 0
        with _disk_failures():
            self._file = os.fdopen(
                os.open(upload.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb"
            )
            self._writer = pq.ParquetWriter(
                self._file, schema, compression="zstd", store_schema=False
            )

    def __enter__(self) -> _ParquetFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file, _disk_failures() if kind is None else suppress(Exception):
            if kind is None:
                self._flush()
            self._writer.close()

    def add(self, batch: pa.RecordBatch) -> None:
        if not batch.num_rows:
            return
        self._few.append(batch)
        self._size += batch_bytes(batch)
        if len(self._few) >= _FEW:
            self._gather()
        if self._size >= _ROW_GROUP:
            with _disk_failures():
                self._flush()

    def _gather(self) -> None:
        self._waiting.append(pa.concat_batches(self._few))
        self._few.clear()

    def _flush(self) -> None:
        waiting = [*self._waiting, *self._few]
        if waiting:
            self._writer.write_table(pa.Table.from_batches(waiting))
        self._waiting.clear()
        self._few.clear()
        self._size = 0
        self._upload.check()


@contextmanager
def _disk_failures() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise no_room(error) from error


def _statement(name: RelationName, path: Path, options: tuple[str, ...]) -> str:
    flags = ", ".join(f"'{option}' = 'true'" for option in (*options, "force"))
    place = str(path).replace("\\", "\\\\").replace("'", "\\'")
    return f"COPY INTO {name} FROM '{place}' FILEFORMAT = PARQUET COPY_OPTIONS ({flags})"


def _without_place(error: SqeError, path: Path | None = None) -> SqeError:
    """The error without what the client has not written: a place in a text, a file."""
    hints = {
        ErrorCode.TABLE_NOT_FOUND: "Load with mode create or create_append to make the table.",
        ErrorCode.TABLE_ALREADY_EXISTS: "Load with mode append to add rows, or replace.",
        ErrorCode.COLUMN_NOT_FOUND: "Leave the columns out, or add them to the table first.",
    }
    message = error.message.replace("The files have", "The rows sent have")
    if path is not None:
        message = message.replace(f"upload://{path.name}", "The rows sent")
    hint = hints.get(error.code, error.hint)
    return error_of(error.code, message, hint=hint)
