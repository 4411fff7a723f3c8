"""A DoGet and a DoPut under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from google.protobuf.message import Message

from sqe.errors import ErrorCode, UserError
from sqe.protocols.flight_sql.parameters import Row, rows_of
from sqe.results.sizes import batch_bytes


class Reading:
    """A result being read. Whoever leaves before its end stops the query."""

    def __init__(self, finish: Callable[[], None], stop: Callable[[], None]) -> None:
        self._finish = finish
        self._stop = stop
        self._over = False

    def end(self) -> None:
        """Everything was read, or the query failed."""
        self._over = True
        self._finish()

    def over(self) -> None:
        """The call is over, or its client is gone."""
        if not self._over:
            self._stop()
            self.end()


def check_size(size: int, limit: int) -> None:
    """Of a message, before anything is made of it."""
    if size > limit:
        raise UserError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"A message of {size:,} bytes came; {limit:,} is the limit.",
            hint="Send smaller batches, or raise flight.max_received_mb.",
        )


@dataclass(frozen=True, slots=True)
class Put:
    """The two directions of a DoPut."""

    reader: Any
    writer: Any
    gone: Callable[[], bool]
    limit: int  # bytes of a batch

    @property
    def schema(self) -> pa.Schema:
        try:
            return self.reader.schema
        except (pa.ArrowException, OSError) as error:
            raise self._stream_error() from error

    def rows(self) -> list[Row]:
        """The rows of parameters. A client that has none may leave the batches out altogether."""
        return rows_of(self.batches())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Raises where the client goes away; it never just ends there."""
        while True:
            try:
                chunk = self.reader.read_chunk()
            except StopIteration:
                break
            except (pa.ArrowException, OSError) as error:
                raise self._stream_error() from error
            if chunk.data is not None:
                check_size(batch_bytes(chunk.data), self.limit)
                yield chunk.data
        if self.gone():
            raise self._stream_error()

    def answer(self, message: Message) -> None:
        self.writer.write(message.SerializeToString())

    def _stream_error(self) -> UserError:
        if self.gone():
            return UserError(ErrorCode.CANCELLED, "The client went away.")
        return UserError(
            ErrorCode.INVALID_ARGUMENT, "What the client sent is not a stream of Arrow batches."
        )
