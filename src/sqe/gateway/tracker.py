"""Every query of this process: its record, its result, its cancel switch."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pyarrow as pa

from sqe.audit.events import Events, QueryEvent
from sqe.errors import ErrorCode, ResourceError, SqeError, UserError
from sqe.model.query import (
    Column,
    Outcome,
    Progress,
    QueryRecord,
    QueryRequest,
    QueryState,
    RelationUse,
    Route,
    RowsAffected,
)
from sqe.results.buffer import BatchBuffer
from sqe.results.cancellation import Cancellation
from sqe.results.sizes import batch_bytes
from sqe.results.stream import ResultStream

_log = logging.getLogger(__name__)
Listener = Callable[[QueryEvent], None]


class TrackedQuery:
    """One query. The thread that runs it writes; whoever fetches it waits and reads."""

    def __init__(self, record: QueryRecord, emit: Listener, *, translated: bool = False) -> None:
        # Places in errors of engines are places in the translation, which its author never saw.
        self.translated = translated
        self.cancellation = Cancellation()
        self._record = record
        self._emit = emit
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._buffer = BatchBuffer()
        self._columns: tuple[Column, ...] = ()
        self._schema: pa.Schema | None = None
        self._outcome = Outcome()
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
            taken = time.perf_counter() - started
            _log.debug("query %s: %s took %.1f ms", self._record.query_id, name, taken * 1000)
            seconds = {**self._record.stage_seconds, name: taken}
            with self._lock:
                self._record = replace(self._record, stage_seconds=seconds)

    def planning(self) -> None:
        self._change("planning", state=QueryState.PLANNING)

    def understood(
        self, kind: str, *, restricted: bool = False, relations: tuple[RelationUse, ...] = ()
    ) -> None:
        """``restricted``: from now on nothing is told of how much is read."""
        with self._lock:
            self._record = replace(
                self._record, kind=kind, restricted=restricted, relations=relations
            )

    def routed(self, route: Route) -> None:
        self._change("running", state=QueryState.RUNNING, route=route)

    def progressed(self, progress: Progress) -> None:
        says_nothing = progress == Progress(phase=progress.phase)  # of any rows
        if says_nothing or not self._record.restricted:
            self._change("progress", progress=progress)

    def pump(self, result: ResultStream) -> None:
        """Moves the engine's batches to the reader. Returns when all are read or nobody reads."""
        self._columns, self._schema = result.columns, result.schema
        self._outcome = result.outcome
        self._ready.set()
        rows = size = 0
        with result:
            for batch in result:
                self.cancellation.check()
                rows, size = rows + batch.num_rows, size + batch_bytes(batch)
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

    def check(self) -> None:
        """Raises the error if there is one already."""
        if self._error is not None:
            raise self._error

    def result(self) -> ResultStream:
        """Waits until the columns are known. Raises the query's error."""
        self._ready.wait()
        self.check()
        assert self._schema is not None  # noqa: S101  ready without an error means a schema
        return ResultStream(
            self._columns,
            self._schema,
            self._buffer,
            self._close,
            lambda: self._affected,
            self._outcome,
        )

    def _close(self) -> None:
        self._buffer.close()


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How many queries may run at once, and how many that ended are remembered."""

    running: int = 200
    per_user: int = 150
    kept: int = 1_000

    def exceeded(self, running: int, of_user: int) -> ResourceError | None:
        """Why there may not be one more."""
        if of_user >= self.per_user:
            return ResourceError(
                ErrorCode.TOO_MANY_QUERIES,
                f"{of_user} of your queries are running; limits.running_queries_per_user "
                "allows no more.",
                hint="Wait until one has ended, or cancel one.",
            )
        if running >= self.running:
            return ResourceError(
                ErrorCode.TOO_MANY_QUERIES,
                f"{running} queries are running; limits.running_queries allows no more.",
                hint="Try again later.",
            )
        return None


class QueryTracker:
    """Knows all running queries and the last ended ones."""

    def __init__(self, events: Events, limits: QueryLimits) -> None:
        self._events = events
        self._limits = limits
        self._lock = threading.Lock()
        self._queries: dict[str, TrackedQuery] = {}
        self._running: dict[str, TrackedQuery] = {}
        self._ended: deque[str] = deque()
        self._coordinator = secrets.token_hex(3)[:5]
        self._count = 0

    def begin(
        self, request: QueryRequest, user: str, listener: Listener | None = None
    ) -> TrackedQuery:
        """A new query, recorded even if it is refused at once for there being too many."""
        emit = self._emitter(listener)
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
            query = TrackedQuery(record, emit, translated=request.dialect != "spark")
            running = [one.record for one in self._running.values()]
            running = [one for one in running if not one.state.ended]
            mine = sum(1 for one in running if one.user == user)
            exceeded = self._limits.exceeded(len(running), mine)
            self._queries[query_id] = query
            if exceeded is None:  # a refused one never runs, and must not count for the next
                self._running[query_id] = query
        emit(QueryEvent("queued", now, record))
        if exceeded is not None:
            query.fail(exceeded)
        return query

    def _emitter(self, listener: Listener | None) -> Listener:
        def emit(event: QueryEvent) -> None:
            if event.record.state.ended:
                self._has_ended(event.record.query_id)
            self._events.emit(event)
            if listener is not None:
                listener(event)

        return emit

    def _has_ended(self, query_id: str) -> None:
        with self._lock:
            self._running.pop(query_id, None)
            self._ended.append(query_id)
            while len(self._ended) > self._limits.kept:
                self._queries.pop(self._ended.popleft(), None)

    def get(self, query_id: str) -> TrackedQuery:
        with self._lock:
            query = self._queries.get(query_id)
        if query is None:
            raise UserError(ErrorCode.QUERY_NOT_FOUND, f"There is no query {query_id}.")
        return query

    def records(self) -> list[QueryRecord]:
        with self._lock:
            return [query.record for query in self._queries.values()]

    def cancel_session(self, session_id: str, because: SqeError | None = None) -> None:
        """Cancels the session's queries; ``because`` is what their owner is told."""
        with self._lock:
            queries = list(self._running.values())
        for query in queries:
            if query.record.session_id == session_id and not query.record.state.ended:
                query.cancellation.cancel(because)
