"""The five methods every front end calls, and nothing else.

session = gateway.open_session(identity)          # session.close() ends it
query_id = gateway.submit(QueryRequest(session.id, "SELECT 1"))
with gateway.fetch(query_id) as result: ...
columns = gateway.describe(QueryRequest(session.id, "SELECT 1"))
gateway.cancel(query_id)
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, InternalError, ResourceError, SqeError
from sqe.gateway.pipeline import Pipeline, Planned
from sqe.gateway.tracker import Listener, QueryTracker, TrackedQuery
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column, QueryRecord, QueryRequest, Route
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Gateway:
    """Thread-safe. Every query runs on a thread of its own, into a bounded buffer."""

    def __init__(
        self,
        pipeline: Pipeline,
        sessions: SessionStore,
        tracker: QueryTracker,
        query_timeout_s: float = 0.0,
    ) -> None:
        self._pipeline = pipeline
        self._sessions = sessions
        self._tracker = tracker
        self._timeout = query_timeout_s
        sessions.on_close(lambda session: tracker.cancel_session(session.id))

    def open_session(self, identity: Identity, schema: SchemaName | None = None) -> Session:
        return self._sessions.open(identity, schema)

    def submit(self, request: QueryRequest, listener: Listener | None = None) -> str:
        """Starts the statement and answers its id at once; errors come from ``fetch``."""
        session = self._sessions.get(request.session_id)
        session.last_used = time.time()
        query = self._tracker.begin(request, session.identity.user, listener)
        query_id = query.record.query_id
        if not query.record.state.ended:
            threading.Thread(
                target=self._work,
                args=(query, session, request.files),
                name=f"query-{query_id}",
                daemon=True,
            ).start()
        return query_id

    def fetch(self, query_id: str) -> ResultStream:
        """The result, as soon as its columns are known. Raises the query's error."""
        return self._tracker.get(query_id).result()

    def describe(self, request: QueryRequest) -> tuple[Column, ...]:
        """The columns the statement would have, without running it."""
        return self._look(request, self._pipeline.describe)

    def route(self, request: QueryRequest) -> Route:
        """Which engine would run the statement, and why. Nothing is run."""
        return self._look(request, lambda planned, run: planned.route)

    def cancel(self, query_id: str) -> None:
        self._tracker.get(query_id).cancellation.cancel()

    def record(self, query_id: str) -> QueryRecord:
        return self._tracker.get(query_id).record

    def records(self) -> list[QueryRecord]:
        return self._tracker.records()

    def close(self) -> None:
        self._sessions.close_all()

    def _look(self, request: QueryRequest, ask: Callable[[Planned, Run], _T]) -> _T:
        """Plans the statement and asks about it; recorded like one that runs."""
        session = self._sessions.get(request.session_id)
        query = self._tracker.begin(request, session.identity.user)
        try:
            planned = self._pipeline.plan(request.text, session, query.stage)
            answer = ask(planned, self._run_of(query, session, request.files))
        except Exception as error:
            raise self._failed(query, error) from error
        query.described()
        return answer

    def _work(self, query: TrackedQuery, session: Session, files: frozenset[str]) -> None:
        timer = self._start_timer(query)
        try:
            query.planning()
            planned = self._pipeline.plan(query.record.text, session, query.stage)
            query.understood(planned.label)
            query.routed(planned.route)
            with query.stage("start"):
                result = self._pipeline.run(planned, self._run_of(query, session, files))
            with query.stage("rows"):
                query.pump(result)
        except BaseException as error:  # noqa: BLE001  whatever happens, the reader must hear of it
            self._failed(query, error)
        finally:
            if timer is not None:
                timer.cancel()

    def _run_of(self, query: TrackedQuery, session: Session, files: frozenset[str]) -> Run:
        return Run(
            query.record.query_id,
            session,
            query.cancellation,
            query.progressed,
            query.routed,
            files=files,
        )

    def _start_timer(self, query: TrackedQuery) -> threading.Timer | None:
        if self._timeout <= 0:
            return None
        timeout = ResourceError(
            ErrorCode.TIMEOUT, f"The query ran longer than {self._timeout:g} s and was stopped."
        )
        timer = threading.Timer(self._timeout, query.cancellation.cancel, args=(timeout,))
        timer.daemon = True
        timer.start()
        return timer

    def _failed(self, query: TrackedQuery, error: BaseException) -> SqeError:
        """Records the failure. What is not ours is a defect: logged, and shown without details."""
        cancelled = query.cancellation.error
        if cancelled is not None:
            known: SqeError = cancelled
        elif isinstance(error, SqeError):
            known = error
        else:
            query_id = query.record.query_id
            _log.error("query %s failed unexpectedly", query_id, exc_info=error)
            known = InternalError(
                ErrorCode.INTERNAL_ERROR,
                f"SQE failed on this query ({type(error).__name__}).",
                hint=f"The log has details under {query_id}.",
            )
        query.fail(known)
        return known
