"""Every query of this process: its record, its result, its cancel switch."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from sqe.admission.user_limits import UserLimits
from sqe.audit.events import Events, QueryEvent
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.history.profiles import NO_PROFILES, MakeProfile, ProfileRule
from sqe.model.identity import Identity
from sqe.model.query import (
    EMBEDDED,
    Column,
    EngineWork,
    Outcome,
    Progress,
    QueryOrigin,
    QueryRecord,
    QueryRequest,
    QueryState,
    RelationUse,
    Route,
    RowsAffected,
    WrittenSnapshot,
)
from sqe.model.spans import FIRST_ROW, QUEUE, STAGES
from sqe.model.tracing import NO_SPAN, UNTRACED, Span, Tracer, trace
from sqe.results.buffer import BatchBuffer
from sqe.results.cancellation import Cancellation
from sqe.results.sizes import batch_bytes
from sqe.results.stream import ResultStream

_log = logging.getLogger(__name__)
Listener = Callable[[QueryEvent], None]


class TrackedQuery:
    """One query. The thread that runs it writes; whoever fetches it waits and reads."""

    def __init__(
        self,
        record: QueryRecord,
        emit: Listener,
        *,
        translated: bool = False,
        span: Span = NO_SPAN,
        profiles: ProfileRule = NO_PROFILES,
    ) -> None:
        # Places in errors of engines are places in the translation, which its author never saw.
        self.translated = translated
        self.cancellation = Cancellation()
        self.limits = UserLimits()
        self.span = span
        self._in_stage = False
        self._profiles = profiles
        self._make_profile: MakeProfile | None = None
        self._began = time.perf_counter()
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
        self._on_end: Callable[[], None] | None = None
        self._on_begin: list[Callable[[], None]] | None = []  # None: it has begun
        self.cancellation.on_cancel(self._wake)

    @property
    def record(self) -> QueryRecord:
        return self._record

    @property
    def age_s(self) -> float:
        """Since its arrival."""
        return time.perf_counter() - self._began

    def _change(self, name: str, **changes: object) -> None:
        with self._lock:
            if self._record.state.ended:
                return
            self._record = replace(self._record, elapsed_s=self.age_s, **changes)  # type: ignore[arg-type]
            record = self._record
        self._end_span()
        if record.state.ended and self._on_end is not None:
            self._on_end()
        self._emit(QueryEvent(name, time.time(), record))

    def _end_span(self) -> None:
        """Ends the span, once the query and its last stage have ended."""
        record = self._record
        if self.span is NO_SPAN or self._in_stage or not record.state.ended:
            return
        self.span.note(
            state=record.state.value,
            kind=record.kind.replace(" ", "_"),
            engine=record.route.engine.value if record.route is not None else "",
            rows=record.rows,
            bytes=record.bytes,
            reruns=record.reruns,
        )
        self.span.end(record.error_code)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times a stage of the pipe and sees a cancel before it begins."""
        self.cancellation.check()
        started = time.perf_counter()
        self._in_stage = True
        try:
            with trace(STAGES[name], self.span):
                yield
        finally:
            taken = time.perf_counter() - started
            self._in_stage = False
            self._end_span()
            _log.debug("query %s: %s took %.1f ms", self._record.query_id, name, taken * 1000)
            seconds = {**self._record.stage_seconds, name: taken}
            with self._lock:
                self._record = replace(self._record, stage_seconds=seconds)

    def note_waiting(self, resource_group: str, before: int) -> None:
        others = f"{before} other {'query' if before == 1 else 'queries'}"
        phase = f"waiting in the resource group {resource_group}, behind {others}"
        if self._record.state is QueryState.QUEUED:
            self._change("progress", resource_group=resource_group, progress=Progress(phase=phase))

    def note_planning(self, resource_group: str = "") -> None:
        waited = max(0.0, time.time() - self._record.created)
        self.span.start(QUEUE, waited).end()
        self._change(
            "planning",
            state=QueryState.PLANNING,
            stage_seconds={"queue": waited},
            resource_group=resource_group,
            progress=Progress(),
        )
        self._begin()

    def _begin(self) -> None:
        with self._lock:
            callbacks, self._on_begin = self._on_begin, None
        for callback in callbacks or ():
            callback()

    def on_end(self, callback: Callable[[], None]) -> None:
        """Calls back when the query's work has ended, before clients see its end. Must be called
        before the work begins."""
        self._on_end = callback

    def on_begin(self, callback: Callable[[], None]) -> None:
        """Calls back when the query no longer waits (it runs, or has failed), or at once."""
        with self._lock:
            if self._on_begin is not None:
                self._on_begin.append(callback)
                return
        callback()

    def note_statement(
        self, kind: str, *, restricted: bool = False, relations: tuple[RelationUse, ...] = ()
    ) -> None:
        """``restricted``: from now on no progress is reported, for it would tell how much is
        read."""
        self._note(kind=kind, restricted=restricted, relations=relations)

    def note_part(self, relations: tuple[RelationUse, ...], *, restricted: bool) -> None:
        """Notes another text that is run for the same statement."""
        known = self._record.relations
        more = tuple(relation for relation in relations if relation not in known)
        self._note(relations=(*known, *more), restricted=restricted or self._record.restricted)

    def note_replan(self, relations: tuple[RelationUse, ...], restricted: bool) -> None:
        reruns = self._record.reruns + 1
        self._note(restricted=restricted, relations=relations, reruns=reruns)

    def wrote(self, snapshots: Sequence[WrittenSnapshot]) -> None:
        self._note(written=(*self._record.written, *snapshots))

    def note_work(self, work: EngineWork) -> None:
        self._note(work=self._record.work + work)

    def check_scan(self, size: int) -> None:
        self.limits.check_scan(size)

    def offer_profile(self, make: MakeProfile) -> None:
        self._make_profile = make

    def _keep_profile(self, *, failed: bool) -> None:
        """When the work has ended, and the result is no longer waited for."""
        make, self._make_profile = self._make_profile, None
        if make is not None:
            profile = self._profiles.profile_of(self._record, make, self.age_s, failed=failed)
            self._note(profile=profile)

    def _note(self, **changes: object) -> None:
        """Changes what the next event says. Only the thread that runs the query calls it."""
        with self._lock:
            self._record = replace(self._record, **changes)  # type: ignore[arg-type]

    def note_route(self, route: Route) -> None:
        self._make_profile = None  # of an engine that has given up
        self._change("running", state=QueryState.RUNNING, route=route)

    def note_progress(self, progress: Progress) -> None:
        try:
            self.check_scan(progress.bytes_read)
        except SqeError as error:
            self.cancellation.cancel(error)
        says_nothing = progress == Progress(phase=progress.phase)  # of any rows
        if says_nothing or not self._record.restricted:
            self._change("progress", progress=progress)

    def pump(self, result: ResultStream) -> None:
        """Moves the engine's batches to the reader. Returns when all are read or nobody reads."""
        self._columns, self._schema = result.columns, result.schema
        self._outcome = result.outcome
        self._ready.set()
        rows = size = 0
        first = self.span.start(FIRST_ROW)
        with result:
            for batch in result:
                self.cancellation.check()
                if not rows and batch.num_rows:
                    self._note(first_row_s=self.age_s)
                    first.end()
                rows, size = rows + batch.num_rows, size + batch_bytes(batch)
                self.limits.check_result(rows, size)
                if not self._buffer.put(batch):
                    self.cancellation.check()
                    break
            first.end()
            self._affected = result.rows_affected
            self._buffer.finish()  # the reader need not wait until the engine has tidied up
        self._keep_profile(failed=False)
        self._change(
            "finished",
            state=QueryState.FINISHED,
            ended=time.time(),
            rows=rows,
            bytes=size,
            affected=self._affected,
        )

    def finish_description(self) -> None:
        """Ends a query that was only described."""
        self._change("finished", state=QueryState.FINISHED, ended=time.time())

    def fail(self, error: SqeError) -> None:
        cancelled = error.code is ErrorCode.CANCELLED
        self._error = error
        self._keep_profile(failed=not cancelled)
        self._change(
            "cancelled" if cancelled else "failed",
            state=QueryState.CANCELLED if cancelled else QueryState.FAILED,
            ended=time.time(),
            error_code=error.code.name,
            error_message=str(error),
        )
        self._buffer.fail(error)
        self._ready.set()
        self._begin()

    def _wake(self) -> None:
        """A cancel reaches the reader at once, however long the engine takes to notice."""
        error = self.cancellation.error
        if error is not None:
            self._buffer.fail(error)
            self._error = self._error or error
            self._ready.set()

    def check(self) -> None:
        """Raises the query's error, if it has one already."""
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


class QueryTracker:
    """Knows all running queries and the last ended ones."""

    def __init__(
        self,
        events: Events,
        kept: int = 1_000,
        tracer: Tracer = UNTRACED,
        profiles: ProfileRule = NO_PROFILES,
    ) -> None:
        """``kept``: how many queries that have ended are remembered."""
        self._profiles = profiles
        self.events = events
        self._kept = kept
        self._tracer = tracer
        self._lock = threading.Lock()
        self._queries: dict[str, TrackedQuery] = {}
        self._running: dict[str, TrackedQuery] = {}
        self._ended: deque[str] = deque()
        self._coordinator = secrets.token_hex(3)[:5]
        self._count = 0

    def begin(
        self,
        request: QueryRequest,
        identity: Identity,
        listener: Listener | None = None,
        origin: QueryOrigin = EMBEDDED,
    ) -> TrackedQuery:
        """A new query."""
        emit, user = self._emitter(listener), identity.user
        span = self._tracer.begin(request.trace, protocol=origin.protocol, dialect=request.dialect)
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
                groups=tuple(sorted(identity.groups)),
                dialect=request.dialect,
                origin=origin,
                trace_id=span.trace_id,
            )
            translated = request.dialect != "spark"
            query = TrackedQuery(
                record, emit, translated=translated, span=span, profiles=self._profiles
            )
            self._queries[query_id] = query
            self._running[query_id] = query
        span.note(query_id=query_id)
        emit(QueryEvent("queued", now, record))
        return query

    def _emitter(self, listener: Listener | None) -> Listener:
        def emit(event: QueryEvent) -> None:
            if event.record.state.ended:
                self._has_ended(event.record.query_id)
            self.events.emit(event)
            if listener is not None:
                listener(event)

        return emit

    def _has_ended(self, query_id: str) -> None:
        with self._lock:
            self._running.pop(query_id, None)
            self._ended.append(query_id)
            while len(self._ended) > self._kept:
                self._queries.pop(self._ended.popleft(), None)

    def get(self, query_id: str) -> TrackedQuery:
        query = self.find(query_id)
        if query is None:
            raise UserError(ErrorCode.QUERY_NOT_FOUND, f"There is no query {query_id}.")
        return query

    def find(self, query_id: str) -> TrackedQuery | None:
        with self._lock:
            return self._queries.get(query_id)

    def live_records(self) -> list[QueryRecord]:
        with self._lock:
            queries = list(self._running.values())
        return [query.record for query in queries if not query.record.state.ended]

    def cancel_all(self, because: SqeError) -> None:
        """``because`` is the error that their owners get."""
        with self._lock:
            queries = list(self._running.values())
        for query in queries:
            query.cancellation.cancel(because)

    def records(self) -> list[QueryRecord]:
        with self._lock:
            return [query.record for query in self._queries.values()]

    def cancel_session(self, session_id: str, because: SqeError | None = None) -> None:
        """Cancels the session's queries. ``because`` is the error that their owner gets."""
        with self._lock:
            queries = list(self._running.values())
        for query in queries:
            if query.record.session_id == session_id and not query.record.state.ended:
                query.cancellation.cancel(because)
