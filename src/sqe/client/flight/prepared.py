"""A statement as it is sent: by its text, or with parameters prepared, bound and closed again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.flight as flight

from sqe.client.flight.types import batch_of
from sqe.client.flight.wire import pack, parse_message, unpack
from sqe.errors import SqeError
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.model.query import Parameter

if TYPE_CHECKING:
    from sqe.client.flight.transport import FlightTransport

_ROWS = 5_000  # in one message


@dataclass(frozen=True, slots=True)
class Sent:
    text: str
    parameters: tuple[Parameter, ...] = ()
    transaction: bytes = b""
    rows: tuple[tuple[Parameter, ...], ...] = ()  # in place of ``parameters``: it runs for each


class Prepared:
    """``command`` runs it. Without parameters nothing is prepared: the text is the command."""

    def __init__(self, transport: FlightTransport, sent: Sent) -> None:
        self._transport = transport
        self._sent = sent
        self._handle = b""

    @property
    def command(self) -> bytes:
        if self._handle:
            return pack(sql.CommandPreparedStatementQuery(prepared_statement_handle=self._handle))
        sent = self._sent
        return pack(
            sql.CommandStatementQuery(query=sent.text, transaction_id=sent.transaction or None)
        )

    def __enter__(self) -> Prepared:
        if self._sent.parameters or self._sent.rows:
            request = sql.ActionCreatePreparedStatementRequest(
                query=self._sent.text, transaction_id=self._sent.transaction or None
            )
            answer = self._transport.action("CreatePreparedStatement", pack(request))
            created = unpack(sql.ActionCreatePreparedStatementResult, answer)
            self._handle = created.prepared_statement_handle
            try:
                if self._sent.parameters:
                    self._bind()
            except BaseException:
                self._close()
                raise
        return self

    def _bind(self) -> None:
        answer = self._put(self.command, batch_of([self._sent.parameters]))
        bound = parse_message(sql.DoPutPreparedStatementResult, answer)
        self._handle = bound.prepared_statement_handle or self._handle

    def update(self, tag: str) -> int:
        """Runs it for all of its rows. How many were changed."""
        message = sql.CommandPreparedStatementUpdate(prepared_statement_handle=self._handle)
        answer = self._put(pack(message), batch_of(self._sent.rows), tag)
        return parse_message(sql.DoPutUpdateResult, answer).record_count

    def _put(self, command: bytes, batch: pa.RecordBatch, tag: str = "") -> bytes:
        """The server's one answer."""
        writer, answers = self._transport.client.do_put(
            flight.FlightDescriptor.for_command(command),
            batch.schema,
            self._transport.options(tag),
        )
        with writer:
            for start in range(0, batch.num_rows, _ROWS):
                writer.write_batch(batch.slice(start, _ROWS))
            writer.done_writing()
            answer = answers.read()
        return b"" if answer is None else bytes(answer.to_pybytes())

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._handle:
            request = sql.ActionClosePreparedStatementRequest(
                prepared_statement_handle=self._handle
            )
            with suppress(SqeError):  # its session may have ended
                self._transport.action("ClosePreparedStatement", pack(request))
