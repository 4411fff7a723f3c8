"""One statement on a server.

A thread of its own talks to the server: pyarrow's calls do not hear Ctrl-C, waiting for a thread
does. Its batches come through a buffer of two, so the server is read no faster than the rows are.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.flight as flight

from sqe.client.flight.errors import foreign_errors
from sqe.client.flight.prepared import Prepared, Sent
from sqe.client.flight.status import Said, status_of
from sqe.client.flight.types import columns_of, without_notes
from sqe.client.flight.wire import parse_message
from sqe.client.transport import Status
from sqe.errors import ErrorCategory, ErrorCode, InternalError, SqeError, UserError
from sqe.flight_messages import Flight_pb2 as messages
from sqe.model.query import Column, QueryState, RowsAffected
from sqe.results.buffer import BatchBuffer
from sqe.results.stream import ResultStream

if TYPE_CHECKING:
    from sqe.client.flight.transport import FlightTransport

_AGAIN_S = 0.05


class FlightQuery:
    def __init__(self, transport: FlightTransport, sent: Sent) -> None:
        self._transport = transport
        self._sent = sent
        self._tag = secrets.token_hex(16)
        self._info: flight.FlightInfo | None = None
        self._columns: tuple[Column, ...] = ()
        self._schema = pa.schema([])
        self._affected: RowsAffected | None = None
        self._error: SqeError | None = None
        self._buffer = BatchBuffer()
        self._lock = threading.Lock()
        self._started = False  # the server was asked to run it
        self._cancelled = False
        self._ready = threading.Event()
        self._ended = threading.Event()
        name = f"flight-{self._tag[:8]}"
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def result(self) -> ResultStream:
        self._ready.wait()
        if self._error is not None:
            raise self._error
        return ResultStream(
            self._columns, self._schema, self._buffer, self._close, lambda: self._affected
        )

    def stop(self) -> None:
        """The connection is about to be closed: whoever reads the rows hears of that, and not of
        what the server then says."""
        self._buffer.fail(_connection_closed())

    def has_left(self, timeout: float) -> bool:
        """Whether no call of it is under way any more."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if not self._started:  # it never will be
                self._fail(UserError(ErrorCode.CANCELLED, "The query was cancelled."))
        while not self._ended.is_set():
            info = self._info
            try:
                self._transport.action("CancelFlightInfo", self._cancellation(info))
                return
            except SqeError as error:
                if info is not None or error.code is not ErrorCode.QUERY_NOT_FOUND:
                    return  # it has ended in the meantime, or the server is gone
            self._ended.wait(_AGAIN_S)  # our statement is on its way to the server

    def _cancellation(self, info: flight.FlightInfo | None) -> bytes:
        if info is None:  # the server knows it by its tag alone
            info_of_statement = messages.FlightInfo(app_metadata=self._tag.encode())
        else:
            info_of_statement = parse_message(messages.FlightInfo, info.serialize())
        return messages.CancelFlightInfoRequest(info=info_of_statement).SerializeToString()

    def progress(self) -> Status:
        try:
            return self._ask_status().status
        except SqeError:
            return Status(QueryState.FINISHED if self._ended.is_set() else QueryState.QUEUED)

    def _ask_status(self) -> Said:
        return status_of(self._transport.action("sqe.QueryStatus", self._tag.encode()))

    def _close(self) -> None:
        self._buffer.close()
        self.cancel()  # nobody reads the rest: the server need not compute it

    def _work(self) -> None:
        try:
            with (
                foreign_errors(self._transport.address),
                Prepared(self._transport, self._sent) as prepared,
            ):
                if self._sent.rows:
                    self._update(prepared)
                    return
                self._start(prepared)
                if all(self._buffer.put(batch) for batch in self._batches()) and not self._columns:
                    self._affected = self._count_affected()
                self._finish()
        except SqeError as error:
            self._fail(error)
        except BaseException as error:  # noqa: BLE001  whatever happens, the reader must hear of it
            kind = type(error).__name__
            self._fail(InternalError(ErrorCode.INTERNAL_ERROR, f"The client failed ({kind})."))

    def _update(self, prepared: Prepared) -> None:
        self._begin()
        self._affected = RowsAffected(updated=prepared.update(self._tag))
        self._finish()

    def _finish(self) -> None:
        self._ended.set()
        self._buffer.finish()
        self._ready.set()

    def _count_affected(self) -> RowsAffected | None:
        """The write has succeeded; that nobody can say how many rows it changed is no error."""
        try:
            return self._ask_status().affected
        except SqeError:
            return None

    def _begin(self) -> None:
        with self._lock:
            if self._cancelled:
                raise UserError(ErrorCode.CANCELLED, "The query was cancelled.")
            self._started = True

    def _start(self, prepared: Prepared) -> None:
        self._begin()
        descriptor = flight.FlightDescriptor.for_command(prepared.command)
        info = self._transport.client.get_flight_info(
            descriptor, self._transport.options(self._tag)
        )
        self._columns = columns_of(info.schema)
        self._schema = without_notes(info.schema)
        self._info = info
        self._ready.set()

    def _fail(self, error: SqeError) -> None:
        gone = error.category is ErrorCategory.INTERNAL or error.code is ErrorCode.QUERY_NOT_FOUND
        if gone and self._transport.closed:
            error = _connection_closed()
        self._ended.set()
        self._error = self._error or error
        self._buffer.fail(error)
        self._ready.set()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        assert self._info is not None  # noqa: S101  _start has set it
        for endpoint in self._info.endpoints:
            reader = self._transport.client.do_get(endpoint.ticket, self._transport.options())
            try:
                while True:
                    yield self._bare(reader.read_chunk().data)
            except StopIteration:
                continue
            finally:
                reader.cancel()  # of one that has ended, nothing is left to cancel

    def _bare(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if batch.schema.equals(self._schema, check_metadata=True):
            return batch
        return pa.record_batch(_Relabelled(batch, self._schema))


def _connection_closed() -> SqeError:
    return UserError(ErrorCode.CANCELLED, "The connection was closed during the query.")


class _Relabelled:
    """A batch under another schema of the same types, by Arrow's own interface: nothing is copied,
    and columns of types that pyarrow cannot open come along."""

    def __init__(self, batch: pa.RecordBatch, schema: pa.Schema) -> None:
        self._batch = batch
        self._schema = schema

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._schema.__arrow_c_schema__(), self._batch.__arrow_c_array__()[1]
