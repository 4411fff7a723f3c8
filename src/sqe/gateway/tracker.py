"""Every query of this process: its record, its result, its cancel switch."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from sqe.audit.events import Events, QueryEvent
from sqe.errors import ErrorCode, ResourceError, SqeError, UserError
from sqe.model.query import (
    Column,
    Progress,
    QueryRecord,
    QueryRequest,
    QueryState,
    Route,
    RowsAffected,
)
from sqe.results.buffer import BatchBuffer
from sqe.results.cancellation import Cancellation
from sqe.results.stream import ResultStream

Listener = Callable[[QueryEvent], None]


class TrackedQuery:
    """One query. The thread that runs it writes; whoever fetches it waits and reads."""

    def __init__(self, record: QueryRecord, emit: Listener) -> None:
        self.cancellation = Cancellation()
        self._record = record
        self._emit = emit
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._buffer = BatchBuffer()
        self._columns: tuple[Column, ...] = ()
        self._schema: pa.Schema | None = None
        self._affected: RowsAffected | None = None
        self._error: SqeError | None = None
        self.cancellation.on_cancel(self._wake)

    @property
    def record(self) -> QueryRecord:
        return self._record

    def _change(self, name: str, **changes: object) -> None:
        with self._lock:
            if self._record.state.ended:
                return
            self._record = replace(self._record, **changes)  # type: ignore[arg-type]
            record = self._record
        self._emit(QueryEvent(name, time.time(), record))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times a stage of the pipe and sees a cancel before it begins."""
        self.cancellation.check()
        started = time.perf_counter()
        try:
            yield
        finally:
            seconds = {**self._record.stage_seconds, name: time.perf_counter() - started}
            with self._lock:
                self._record = replace(self._record, stage_seconds=seconds)

    def planning(self) -> None:
        self._change("planning", state=QueryState.PLANNING)

    def understood(self, kind: str) -> None:
        with self._lock:
            self._record = replace(self._record, kind=kind)

    def routed(self, route: Route) -> None:
        self._change("running", state=QueryState.RUNNING, route=route)

    def progressed(self, progress: Progress) -> None:
        self._change("progress", progress=progress)

    def pump(self, result: ResultStream) -> None:
        """Moves the engine's batches to the reader. Returns when all are read or nobody reads."""
        self._columns, self._schema = result.columns, result.schema
        self._ready.set()
        rows = size = 0
        with result:
            for batch in result:
                self.cancellation.check()
                rows, size = rows + batch.num_rows, size + batch.nbytes
                if not self._buffer.put(batch):
                    self.cancellation.check()
                    break
            self._affected = result.affected
            self._buffer.finish()  # the reader need not wait until the engine has tidied up
        self._change(
            "finished",
            state=QueryState.FINISHED,
            ended=time.time(),
            rows=rows,
            bytes=size,
            affected=self._affected,
        )

    def described(self) -> None:
        """Ends a query that was only described."""
        self._change("finished", state=QueryState.FINISHED, ended=time.time())

    def fail(self, error: SqeError) -> None:
        cancelled = error.code is ErrorCode.CANCELLED
        self._error = error
        self._change(
            "cancelled" if cancelled else "failed",
            state=QueryState.CANCELLED if cancelled else QueryState.FAILED,
            ended=time.time(),
            error_code=error.code.name,
            error_message=str(error),
        )
        self._buffer.fail(error)
        self._ready.set()

    def _wake(self) -> None:
        """A cancel reaches the reader at once, however long the engine takes to notice."""
        error = self.cancellation.error
        if error is not None:
            self._buffer.fail(error)
            self._error = self._error or error
            self._ready.set()

    def result(self) -> ResultStream:
        """Waits until the columns are known. Raises the query's error."""
        self._ready.wait()
        if self._error is not None:
            raise self._error
        assert self._schema is not None  # noqa: S101  ready without an error means a schema
        return ResultStream(
            self._columns, self._schema, self._buffer, self._close, lambda: self._affected
        )

    def _close(self) -> None:
        self._buffer.close()


class QueryTracker:
    """Knows all running queries and the last ended ones."""

    def __init__(self, events: Events, *, running: int, kept: int) -> None:
        self._events = events
        self._running = running
        self._kept = kept
        self._lock = threading.Lock()
        self._queries: dict[str, TrackedQuery] = {}
        self._coordinator = secrets.token_hex(3)[:5]
        self._count = 0

    def begin(
        self, request: QueryRequest, user: str, listener: Listener | None = None
    ) -> TrackedQuery:
        """A new query, recorded even if it is refused at once for there being too many."""
        with self._lock:
            self._count += 1
            now = time.time()
            stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
            query_id = f"{stamp}_{self._count % 100_000:05d}_{self._coordinator}"
            record = QueryRecord(
                query_id=query_id,
                user=user,
                text=request.text,
                state=QueryState.QUEUED,
                created=now,
                session_id=request.session_id,
                source=request.source,
            )
            query = TrackedQuery(record, self._emitter(listener))
            active = sum(1 for q in self._queries.values() if not q.record.state.ended)
            self._queries[query_id] = query
            self._forget_old()
        self._emitter(listener)(QueryEvent("queued", now, record))
        if active >= self._running:
            query.fail(
                ResourceError(
                    ErrorCode.TOO_MANY_QUERIES,
                    f"{active} queries are running; that is the limit.",
                    hint="Try again later.",
                )
            )
        return query

    def _emitter(self, listener: Listener | None) -> Listener:
        def emit(event: QueryEvent) -> None:
            self._events.emit(event)
            if listener is not None:
                listener(event)

        return emit

    def _forget_old(self) -> None:
        ended = [key for key, query in self._queries.items() if query.record.state.ended]
        for key in ended[: max(0, len(ended) - self._kept)]:
            del self._queries[key]

    def get(self, query_id: str) -> TrackedQuery:
        with self._lock:
            query = self._queries.get(query_id)
        if query is None:
            raise UserError(ErrorCode.QUERY_NOT_FOUND, f"There is no query {query_id}.")
        return query

    def records(self) -> list[QueryRecord]:
        with self._lock:
            return [query.record for query in self._queries.values()]

    def cancel_session(self, session_id: str) -> None:
        with self._lock:
            queries = list(self._queries.values())
        for query in queries:
            if query.record.session_id == session_id and not query.record.state.ended:
                query.cancellation.cancel()
