"""What front ends call: sessions, queries, transactions, cancels.

session = gateway.open_session(identity)          # session.close() ends it
query_id = gateway.submit(QueryRequest(session.id, "SELECT 1"))
with gateway.fetch(query_id) as result: ...
description = gateway.describe(QueryRequest(session.id, "SELECT 1"))
gateway.cancel(query_id)
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sqe.access.other_users import OtherUsers
from sqe.catalog.transaction import Transaction, inside
from sqe.engines.protocol import Run
from sqe.errors import (
    ErrorCode,
    InternalError,
    ResourceError,
    SqeError,
    UpstreamError,
    disk_full,
    is_disk_full,
)
from sqe.gateway.batches import run_rows
from sqe.gateway.dialects import Execution
from sqe.gateway.pipeline import Pipeline
from sqe.gateway.runner import Planned
from sqe.gateway.tracker import Listener, QueryTracker, TrackedQuery
from sqe.gateway.transactions import Transactions
from sqe.gateway.uploads import Uploads
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import QueryRecord, QueryRequest, Route, RowsAffected
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_CLOSE_S = 5.0  # how long cancelled queries may take to notice, when everything ends


class Gateway:
    """Thread-safe. Every query runs on a thread of its own, into a bounded buffer."""

    def __init__(
        self,
        pipeline: Pipeline,
        sessions: SessionStore,
        tracker: QueryTracker,
        uploads: Uploads,
        query_timeout_s: float = 0.0,
    ) -> None:
        self.uploads = uploads
        self._pipeline = pipeline
        self._sessions = sessions
        self._tracker = tracker
        self._timeout = query_timeout_s
        self._transactions = Transactions()
        self._threads: set[threading.Thread] = set()
        self._draining = False
        sessions.on_close(lambda session: tracker.cancel_session(session.id, session.expiry))
        sessions.on_close(lambda session: self._transactions.end_session(session.id))
        sessions.on_close(lambda session: uploads.end_session(session.id))

    @property
    def other_users(self) -> OtherUsers:
        return self._pipeline.access.other_users

    def open_session(self, identity: Identity, schema: SchemaName | None = None) -> Session:
        return self._sessions.open(identity, schema)

    def submit(self, request: QueryRequest, listener: Listener | None = None) -> str:
        """Starts the statement and answers its id at once; errors come from ``fetch``."""
        self._check_open()
        session, query = self._begin(request, listener)
        query_id = query.record.query_id
        if query.record.state.ended:
            session.done()
            return query_id
        thread = threading.Thread(
            target=self._work,
            args=(query, session, request),
            name=f"query-{query_id}",
            daemon=True,
        )
        self._threads.add(thread)
        try:
            thread.start()
        except RuntimeError as error:  # the system gives no more threads
            self._threads.discard(thread)
            session.done()
            self._failed(query, error)
        return query_id

    def fetch(self, query_id: str) -> ResultStream:
        """The result, as soon as its columns are known. Raises the query's error."""
        return self._tracker.get(query_id).result()

    def run_rows(
        self, request: QueryRequest, started: Callable[[str], None]
    ) -> RowsAffected | None:
        """Runs a statement for each of ``request.rows``, all of them or none, and waits for it.
        ``started`` is told the id of each query that is part of it. None: nobody has counted."""
        return run_rows(self, request, self._pipeline.parser.limits, started)

    def describe(self, request: QueryRequest) -> Description:
        """What the statement would answer, without running it. Without ``parameters`` its markers
        are left open, and the types are told that fit them."""
        return self._look(request, self._pipeline.describe)

    def begin(self, session_id: str, *, internal: bool = False, read_only: bool = False) -> str:
        """A new transaction: its id, for the requests that are part of it. Until ``commit`` nobody
        else sees what they change; ``rollback``, or the end of the session, undoes it.
        ``internal``: the front end's own, of which the client does not know."""
        return self._do(
            session_id,
            "START TRANSACTION",
            lambda session, _: self._transactions.begin(session, internal, read_only),
        )

    def transaction_of(self, session_id: str) -> str:
        """The transaction that the client has begun, for requests that cannot say it; empty if
        there is none, or several."""
        return self._transactions.only(session_id)

    def commit(self, session_id: str, transaction_id: str) -> None:
        """All of it becomes visible at once, or nothing: COMMIT_CONFLICT where a table that the
        transaction has changed was changed by someone else meanwhile."""
        self._do(
            session_id,
            "COMMIT",
            lambda session, query: self._transactions.commit(
                session.id, transaction_id, query.cancellation
            ),
        )

    def rollback(self, session_id: str, transaction_id: str) -> None:
        self._do(
            session_id,
            "ROLLBACK",
            lambda session, _: self._transactions.rollback(session.id, transaction_id),
        )

    def route(self, request: QueryRequest) -> Route:
        """Which engine would run the statement, and why. Nothing is run."""
        return self._look(request, lambda planned, run: planned.route)

    def cancel(self, query_id: str, because: SqeError | None = None) -> None:
        """``because`` is what its reader is told."""
        self._tracker.get(query_id).cancellation.cancel(because)

    def transaction(self, session_id: str, transaction_id: str) -> Transaction | None:
        return self._transactions.of(session_id, transaction_id)

    def record(self, query_id: str) -> QueryRecord:
        return self._tracker.get(query_id).record

    def records(self) -> list[QueryRecord]:
        """Of everybody."""
        return self._tracker.records()

    def records_for(self, identity: Identity) -> list[QueryRecord]:
        """Those that this user may see."""
        return self.other_users.viewed(identity, self._tracker.records())

    def drain(self, seconds: float) -> None:
        """Refuses new queries, and waits that long for those that run."""
        self._draining = True
        self._join(seconds)

    def close(self) -> None:
        """Cancels what runs and waits for it: Python must not end while a thread is inside of an
        engine, which would end the process by an abort."""
        self._sessions.close_all()
        self._join(_CLOSE_S)
        self.uploads.close()

    def _join(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))

    def _look(self, request: QueryRequest, ask: Callable[[Planned, Run], _T]) -> _T:
        """Plans the statement and asks about it; recorded like one that runs."""
        self._check_open()
        session, query = self._begin(request)
        timer = self._start_timer(query)
        try:
            query.check()
            with inside(self._transactions.of(session.id, request.transaction)):
                planned = self._pipeline.plan(request, session, query.stage, describes=True)
                answer = ask(planned, self._run_of(query, session, request.files))
        except Exception as error:
            raise self._failed(query, error) from error
        finally:
            session.done()
            if timer is not None:
                timer.cancel()
        query.described()
        return answer

    def _do(self, session_id: str, text: str, act: Callable[[Session, TrackedQuery], _T]) -> _T:
        """What a front end asks for without a statement; recorded like one."""
        session, query = self._begin(QueryRequest(session_id, text))
        try:
            query.check()
            answer = act(session, query)
        except Exception as error:
            raise self._failed(query, error) from error
        finally:
            session.done()
        query.described()
        return answer

    def _check_open(self) -> None:
        """Who is in a transaction can still end it."""
        if self._draining:
            raise UpstreamError(
                ErrorCode.SERVER_UNAVAILABLE, "SQE is stopping.", hint="Connect again in a moment."
            )

    def _begin(
        self, request: QueryRequest, listener: Listener | None = None
    ) -> tuple[Session, TrackedQuery]:
        """A query of an open session, which is not idle until its ``done``."""
        session = self._sessions.get(request.session_id)
        session.begin()
        query = self._tracker.begin(request, session.identity.user, listener)
        if session.ended:  # just now, and whoever ended it may not have seen this query
            query.cancellation.cancel(session.expiry)
        return session, query

    def _work(self, query: TrackedQuery, session: Session, request: QueryRequest) -> None:
        timer = self._start_timer(query)
        try:
            query.planning()
            with inside(self._transactions.of(session.id, request.transaction)):
                planned = self._pipeline.plan(request, session, query.stage)
                query.understood(
                    planned.label, restricted=planned.restricted, relations=planned.relations
                )
                query.routed(planned.route)
                with query.stage("start"):
                    result = self._start(planned, query, session, request)
                with query.stage("rows"):
                    query.pump(result)
        except BaseException as error:  # noqa: BLE001  whatever happens, the reader must hear of it
            self._failed(query, error)
        finally:
            session.done()
            if timer is not None:
                timer.cancel()
            self._threads.discard(threading.current_thread())

    def _start(
        self, planned: Planned, query: TrackedQuery, session: Session, request: QueryRequest
    ) -> ResultStream:
        pipeline, run = self._pipeline, self._run_of(query, session, request.files)
        execution = Execution(
            self,
            request,
            session,
            run=lambda: pipeline.run(planned, run),
            run_text=lambda text: pipeline.run(pipeline.plan_text(planned, session, text), run),
        )
        return planned.translation.answer(execution)

    def _run_of(self, query: TrackedQuery, session: Session, files: frozenset[str]) -> Run:
        return Run(
            query.record.query_id,
            session,
            query.cancellation,
            query.progressed,
            query.routed,
            files=files | self.uploads.of_session(session.id),
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
            if query.translated and (not known.subcode or query.record.route is not None):
                known.position = None  # it counts in the translated text
        elif is_disk_full(error):
            known = disk_full("what the query writes")
        else:
            query_id = query.record.query_id
            _log.error("query %s failed unexpectedly", query_id, exc_info=error)
            known = InternalError(
                ErrorCode.INTERNAL_ERROR,
                f"SQE failed on this query ({type(error).__name__}).",
                hint=f"The log has details under {query_id}.",
            )
        known.message = self.uploads.shown(known.message)
        query.fail(known)
        return known
