"""A statement as it is sent: by its text, or with parameters prepared, bound and closed again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

import pyarrow.flight as flight

from sqe.client.flight.types import batch_of
from sqe.client.flight.wire import packed, parsed, unpacked
from sqe.errors import SqeError
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.model.query import Parameter

if TYPE_CHECKING:
    from sqe.client.flight.transport import FlightTransport


@dataclass(frozen=True, slots=True)
class Sent:
    text: str
    parameters: tuple[Parameter, ...] = ()
    transaction: bytes = b""


class Prepared:
    """``command`` runs it. Without parameters nothing is prepared: the text is the command."""

    def __init__(self, transport: FlightTransport, sent: Sent) -> None:
        self._transport = transport
        self._sent = sent
        self._handle = b""

    @property
    def command(self) -> bytes:
        if self._handle:
            return packed(sql.CommandPreparedStatementQuery(prepared_statement_handle=self._handle))
        sent = self._sent
        return packed(
            sql.CommandStatementQuery(query=sent.text, transaction_id=sent.transaction or None)
        )

    def __enter__(self) -> Prepared:
        if self._sent.parameters:
            request = sql.ActionCreatePreparedStatementRequest(
                query=self._sent.text, transaction_id=self._sent.transaction or None
            )
            answer = self._transport.action("CreatePreparedStatement", packed(request))
            created = unpacked(sql.ActionCreatePreparedStatementResult, answer)
            self._handle = created.prepared_statement_handle
            try:
                self._bind()
            except BaseException:
                self._close()
                raise
        return self

    def _bind(self) -> None:
        batch = batch_of(self._sent.parameters)
        descriptor = flight.FlightDescriptor.for_command(self.command)
        writer, answers = self._transport.client.do_put(
            descriptor, batch.schema, self._transport.options()
        )
        with writer:
            writer.write_batch(batch)
            writer.done_writing()
            answer = answers.read()
        if answer is not None:
            bound = parsed(sql.DoPutPreparedStatementResult, answer.to_pybytes())
            self._handle = bound.prepared_statement_handle or self._handle

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._handle:
            request = sql.ActionClosePreparedStatementRequest(
                prepared_statement_handle=self._handle
            )
            with suppress(SqeError):  # its session may have ended
                self._transport.action("ClosePreparedStatement", packed(request))
