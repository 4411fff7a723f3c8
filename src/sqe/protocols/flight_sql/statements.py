"""Queries, updates and prepared statements."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.gateway.gateway import Gateway
from sqe.model.query import QueryRequest
from sqe.protocols.flight_sql.batches import all_nullable
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.field_metadata import describe_schema
from sqe.protocols.flight_sql.parameters import Row
from sqe.protocols.flight_sql.tagged import TaggedQueries
from sqe.protocols.flight_sql.tickets import Tickets
from sqe.results.description import Description
from sqe.results.stream import ResultStream

PREPARED_S = 86_400.0  # how long a prepared statement lives without being used
_MOST_PREPARED = 5_000  # of one user


class Part(NamedTuple):
    query_id: str
    result: ResultStream


@dataclass(frozen=True, slots=True)
class FlightStatement:
    """A text, the transaction it is part of, and the values of its markers."""

    text: str
    transaction: str = ""
    row: Row = ()


class Waiting:
    """A query's result that waits for its reader: its first part runs, the others, one for each
    further row of parameters, are started when the reader gets there."""

    def __init__(
        self,
        first: Part,
        rest: Sequence[Callable[[], Part]],
        stop: Callable[[str], None],
    ) -> None:
        schema = describe_schema(first.result.schema, first.result.columns)
        # A value may be NULL in a row to come.
        self.schema = all_nullable(schema) if rest else schema
        self._part = first
        self._rest = rest
        self._stop = stop
        self._stopped = False

    @property
    def query_id(self) -> str:
        return self._part.query_id

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        if not self._rest:
            yield from self._part.result
            return
        yield from self._relabel()
        for start in self._rest:
            self._part.result.close()
            self._part = start()
            if self._stopped:
                self.stop()
            yield from self._relabel()

    def _relabel(self) -> Iterator[pa.RecordBatch]:
        # Names may differ: a column without one is called after its value.
        if all_nullable(self._part.result.schema).types != self.schema.types:
            raise UserError(
                ErrorCode.TYPE_MISMATCH,
                "With other values of its parameters the query has other columns.",
                hint="Run it once for each row of parameters.",
            )
        for batch in self._part.result:
            yield pa.ipc.read_record_batch(batch.serialize(), self.schema)

    def stop(self) -> None:
        self._stopped = True
        self._stop(self.query_id)

    def close(self) -> None:
        self._part.result.close()


@dataclass(slots=True)
class Prepared:
    statement: FlightStatement
    session_id: str
    description: Description
    _rows: list[Row] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def bind(self, rows: list[Row]) -> None:
        with self._lock:
            self._rows = rows

    def list_bound_rows(self) -> list[Row]:
        with self._lock:
            return self._rows


class Statements:
    def __init__(self, gateway: Gateway, results: Tickets[Waiting], tagged: TaggedQueries) -> None:
        self._gateway = gateway
        self._results = results
        self._tagged = tagged
        self._prepared: Tickets[Prepared] = Tickets(PREPARED_S, _MOST_PREPARED)

    def query(
        self, caller: FlightCaller, statement: FlightStatement, rows: list[Row]
    ) -> tuple[Waiting, bytes]:
        """Starts it. Its result and the handle to read it by; a failure comes here already. For
        several rows of parameters it runs several times, one answer after the other."""
        first, *others = [replace(statement, row=row) for row in rows or [()]]
        running = _Running(self.stop)
        caller.if_gone(running.stop)
        waiting = Waiting(
            self._start(caller, first, running.note_start),
            [partial(self._start, caller, other) for other in others],
            self.stop,
        )
        try:
            handle = self._results.issue(waiting, caller.user, caller.session.id, _end, once=True)
        except SqeError:
            _end(waiting, being_read=False)
            raise
        return waiting, handle

    def update(self, caller: FlightCaller, statement: FlightStatement, rows: list[Row]) -> int:
        """Runs it for each row of parameters: all of them or, if one fails, none. How many rows
        changed; 0 also where it is not known: of a -1, Flight SQL's word for that, JDBC makes a
        query and runs it again."""
        running = _Running(self.stop)
        caller.if_gone(running.stop)

        def note_start(query_id: str) -> None:
            self._tagged.note_start(caller, query_id)
            running.note_start(query_id)

        request = self._request(caller, statement)
        counted = self._gateway.run_rows(replace(request, rows=tuple(rows)), note_start)
        return 0 if counted is None else counted.total

    def describe(self, caller: FlightCaller, statement: FlightStatement) -> Description:
        """Without running it; its markers have no values yet."""
        return self._gateway.describe(self._request(caller, statement))

    def prepare(
        self, caller: FlightCaller, statement: FlightStatement
    ) -> tuple[bytes, Description]:
        description = self.describe(caller, statement)
        prepared = Prepared(statement, caller.session.id, description)
        handle = self._prepared.issue(
            prepared, caller.user, caller.session.id, lambda *_: None, once=False
        )
        return handle, description

    def find_prepared(self, caller: FlightCaller, handle: bytes) -> Prepared:
        prepared = self._prepared.look(handle, caller.user)
        if prepared.session_id != caller.session.id:
            raise UserError(
                ErrorCode.QUERY_NOT_FOUND,
                "The prepared statement belongs to another session.",
                hint="Prepare it again.",
            )
        self._prepared.renew(handle, caller.user)
        return prepared

    def forget(self, caller: FlightCaller, handle: bytes) -> None:
        self._prepared.drop(handle, caller.user)

    def forget_session(self, session_id: str) -> None:
        self._prepared.drop_session(session_id)

    def close(self) -> None:
        self._prepared.close()

    def stop(self, query_id: str) -> None:
        with suppress(SqeError):  # it may have ended and be forgotten
            self._gateway.cancel(query_id)

    def _start(
        self,
        caller: FlightCaller,
        statement: FlightStatement,
        started: Callable[[str], None] = lambda _: None,
    ) -> Part:
        """Submits and waits for the columns."""
        request = replace(self._request(caller, statement), parameters=statement.row)
        query_id = self._gateway.submit(request)
        self._tagged.note_start(caller, query_id)
        started(query_id)
        return Part(query_id, self._gateway.fetch(query_id))

    def _request(self, caller: FlightCaller, statement: FlightStatement) -> QueryRequest:
        return QueryRequest(
            caller.session.id,
            statement.text,
            caller.source,
            transaction=statement.transaction,
            origin=caller.origin,
            trace=caller.trace,
        )


class _Running:
    """The query that a call waits for: when the client goes away, it and those after it stop."""

    def __init__(self, cancel: Callable[[str], None]) -> None:
        self._cancel = cancel
        self._lock = threading.Lock()
        self._query_id = ""
        self._stopped = False

    def note_start(self, query_id: str) -> None:
        with self._lock:
            self._query_id = query_id
            stopped = self._stopped
        if stopped:
            self._cancel(query_id)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            query_id = self._query_id
        if query_id:
            self._cancel(query_id)


def _end(waiting: Waiting, being_read: bool) -> None:
    waiting.stop()
    if not being_read:  # a reader must see the cancel, not an early end
        waiting.close()
