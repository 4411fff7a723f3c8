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
from typing import Any, TypeVar

from sqe.access.other_users import OtherUsers
from sqe.admission.admission import Admission
from sqe.admission.group import Ticket
from sqe.admission.request import AdmissionRequest
from sqe.catalog.configured import no_such_catalog
from sqe.catalog.transaction import Transaction, inside
from sqe.engines.protocol import Run
from sqe.errors import (
    ErrorCode,
    InternalError,
    SqeError,
    UpstreamError,
    UserError,
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
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.identity import Identity
from sqe.model.names import SchemaName, quote
from sqe.model.query import (
    EMBEDDED,
    QueryOrigin,
    QueryRecord,
    QueryRequest,
    QueryState,
    Route,
    RowsAffected,
)
from sqe.model.spans import COMMIT
from sqe.model.tracing import activate, trace
from sqe.other_engines.calls import Recording
from sqe.other_engines.catalog import ServedCatalog
from sqe.other_engines.rights import OutsideRights, OutsideUser
from sqe.other_engines.staged_tables import StagedTables
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_CLOSE_S = 5.0  # how long cancelled queries may take to notice, when everything ends


class Gateway:
    """Thread-safe. Every query runs on a thread of its own, into a bounded buffer; a query that
    waits for its turn has none yet."""

    def __init__(
        self,
        pipeline: Pipeline,
        sessions: SessionStore,
        tracker: QueryTracker,
        uploads: Uploads,
        admission: Admission,
    ) -> None:
        self.uploads = uploads
        self.admission = admission
        self._pipeline = pipeline
        self._sessions = sessions
        self._tracker = tracker
        self._transactions = Transactions()
        self._staged = StagedTables()
        self._threads: set[threading.Thread] = set()
        self._draining = False
        sessions.on_close(lambda session: tracker.cancel_session(session.id, session.expiry))
        sessions.on_close(lambda session: self._transactions.end_session(session.id))
        sessions.on_close(lambda session: uploads.end_session(session.id))

    @property
    def other_users(self) -> OtherUsers:
        return self._pipeline.access.other_users

    def open_session(
        self, identity: Identity, schema: SchemaName | None = None, origin: QueryOrigin = EMBEDDED
    ) -> Session:
        self._check_open()
        return self._sessions.open(identity, schema, origin)

    def submit(self, request: QueryRequest, listener: Listener | None = None) -> str:
        """Starts the statement when it is its turn and returns its id at once. Errors come from
        ``fetch``."""
        self._check_open()
        session, query = self._begin(request, listener)
        query_id = query.record.query_id
        ticket = Ticket(
            _admission_request(request, session),
            start=lambda: self._start_thread(query, session, request, ticket),
            refuse=lambda error: self._refuse(query, session, error),
            longest_wait=lambda: self.admission.limits.limits_of(session.identity).longest_wait,
        )
        query.on_end(lambda: self.admission.leave(ticket))
        try:
            self.admission.limits.count_query(session.identity)
            self.admission.enter(ticket)
        except SqeError as error:
            self._refuse(query, session, error)
            return query_id
        if ticket.waiting:
            query.note_waiting(ticket.group_name, self.admission.position_in_queue(ticket))
        query.cancellation.on_cancel(lambda: self._leave_queue(query, session, ticket))
        return query_id

    def when_begun(self, query_id: str, callback: Callable[[], None]) -> None:
        """Calls back as soon as the query no longer waits for its turn, which may be at once."""
        self._tracker.get(query_id).on_begin(callback)

    def fetch(self, query_id: str) -> ResultStream:
        """The result, as soon as its columns are known. Raises the query's error."""
        return self._tracker.get(query_id).result()

    def run_rows(
        self, request: QueryRequest, started: Callable[[str], None]
    ) -> RowsAffected | None:
        """Runs the statement for each of ``request.rows``, all of them or none, and waits for it.
        ``started`` gets the id of each query that is part of it. None: the number of rows is not
        known."""
        return run_rows(self, request, self._pipeline.parser.limits, started)

    def describe(self, request: QueryRequest) -> Description:
        """What the statement would answer, without running it. Without ``parameters`` its markers
        stay open, and the description has the types that fit them."""
        return self._look(request, self._pipeline.describe)

    def begin(
        self,
        session_id: str,
        *,
        internal: bool = False,
        read_only: bool = False,
        one_statement: bool = False,
    ) -> str:
        """Begins a transaction and returns its id, for the requests that are part of it. Until
        ``commit`` nobody else sees what they change; ``rollback``, or the end of the session,
        undoes it. ``internal``: the front end's own, of which the client does not know.
        ``one_statement``: its statements are one statement of the client."""
        return self._do(
            session_id,
            "START TRANSACTION",
            lambda session, _: self._transactions.begin(
                session, internal, read_only, one_statement
            ),
        )

    def transaction_of(self, session_id: str) -> str:
        """The transaction that the client has begun, for requests that cannot say it; empty if
        there is none, or several."""
        return self._transactions.only(session_id)

    def commit(self, session_id: str, transaction_id: str) -> None:
        """All changes become visible at once, or none: COMMIT_CONFLICT where somebody else has
        changed one of the tables meanwhile."""

        def act(session: Session, query: TrackedQuery) -> None:
            self._check_recorded()
            with trace(COMMIT):
                written = self._transactions.commit(session.id, transaction_id, query.cancellation)
            query.wrote(written)

        self._do(session_id, "COMMIT", act)

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
        """``because`` is the error that the reader gets."""
        self._tracker.get(query_id).cancellation.cancel(because)

    def cancel_using(self, catalog: str, because: SqeError) -> None:
        """Ends the queries that read or write anything of the catalog."""
        for record in self._tracker.live_records():
            if any(use.name.startswith(f"{quote(catalog)}.") for use in record.relations):
                self.cancel(record.query_id, because)

    def kill(
        self,
        identity: Identity,
        query_id: str,
        message: str = "",
        origin: QueryOrigin | None = None,
    ) -> str:
        """Ends a query for a user: their own, or one of a user whose queries they may end. Its
        reader gets an error that says who and why. Returns the state that the query has ended in,
        or ``killed``. QUERY_NOT_FOUND also where the query is none that they may see. ``origin``:
        where the request comes from, if it is not a statement, which is recorded itself."""
        query = self._tracker.find(query_id)
        allowed = query is not None and self.other_users.may_kill(identity, query.record)
        if query is not None and origin is not None:
            self._note_kill(identity, query.record, origin, allowed)
        if query is None or not allowed:
            raise UserError(ErrorCode.QUERY_NOT_FOUND, f"Target query not found: {query_id}")
        if query.record.state.ended:
            return query.record.state.value
        why = f" Message: {message}" if message else ""
        killed = UserError(ErrorCode.KILLED, f"Query killed by {identity.user}.{why}")
        query.cancellation.cancel(killed)
        return "killed"

    def _note_kill(
        self, identity: Identity, record: QueryRecord, origin: QueryOrigin, allowed: bool
    ) -> None:
        kind = AccessKind.KILL if allowed else AccessKind.KILL_REFUSED
        event = AccessEvent(
            kind, time.time(), identity.user, origin, query_id=record.query_id, owner=record.user
        )
        self._tracker.events.note_access(event)

    def transaction(self, session_id: str, transaction_id: str) -> Transaction | None:
        return self._transactions.of(session_id, transaction_id)

    def record(self, query_id: str) -> QueryRecord:
        return self._tracker.get(query_id).record

    def records(self) -> list[QueryRecord]:
        """The records of all users."""
        return self._tracker.records()

    def live_states(self) -> list[QueryState]:
        """The states of the queries that have not ended."""
        return [record.state for record in self._tracker.live_records()]

    @property
    def draining(self) -> bool:
        """Whether it takes no more queries."""
        return self._draining

    def records_for(self, identity: Identity) -> list[QueryRecord]:
        """The records that this user may see."""
        return self.other_users.list_visible(identity, self._tracker.records())

    def drain(self, seconds: float) -> None:
        """Refuses new sessions and queries, and those that wait for their turn. Then waits up to
        ``seconds`` for running ones."""
        self._draining = True
        self.admission.close(_shutdown_error())
        self._join(seconds)

    def close(self) -> None:
        """Cancels what runs and waits for it: Python must not end while a thread is inside of an
        engine, which would end the process by an abort."""
        self._tracker.cancel_all(_shutdown_error())
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
        timer = _start_timer(query, query.limits.longest_run(query.age_s))
        try:
            query.check()
            self._check_recorded()
            self.admission.check(_admission_request(request, session))
            transaction = self._transactions.of(session.id, request.transaction)
            with activate(query.span), inside(transaction):
                planned = self._pipeline.plan(request, session, query.stage, describes=True)
                answer = ask(planned, self._run_of(query, session, request.files))
        except Exception as error:
            raise self._record_failure(query, error) from error
        finally:
            session.end_use()
            if timer is not None:
                timer.cancel()
        query.finish_description()
        return answer

    def _do(self, session_id: str, text: str, act: Callable[[Session, TrackedQuery], _T]) -> _T:
        """Work that a front end asks for without a statement. It is recorded like one."""
        session, query = self._begin(QueryRequest(session_id, text))
        try:
            return self._record(query, lambda: act(session, query))
        finally:
            session.end_use()

    def _record(self, query: TrackedQuery, act: Callable[[], _T]) -> _T:
        try:
            query.check()
            with activate(query.span):
                answer = act()
        except Exception as error:
            raise self._record_failure(query, error) from error
        query.finish_description()
        return answer

    def serve_catalog(self, name: str, user: OutsideUser, origin: QueryOrigin) -> ServedCatalog:
        """A catalog as the user may use it through an engine of their own. Each call is recorded
        like a statement. CATALOG_NOT_FOUND, also for one that they may not know of."""
        access = OutsideRights(self._pipeline.guarding)
        if name not in access.names(user):
            raise no_such_catalog(name, access.names(user))

        def record(text: str, act: Callable[[TrackedQuery], Any]) -> Any:
            self._check_open()
            query = self._tracker.begin(QueryRequest("", text), user.identity, None, origin)
            return self._record(query, lambda: act(query))

        ownership = self._pipeline.runner.ownership
        return ServedCatalog(name, user, access, Recording(record, ownership, self._staged))

    def _check_open(self) -> None:
        """A client in a transaction can still end it."""
        if self._draining:
            raise _shutdown_error()
        self._check_recorded()

    def _check_recorded(self) -> None:
        """Refuses to go on where an event that must be recorded was lost."""
        self._tracker.events.check()

    def _begin(
        self, request: QueryRequest, listener: Listener | None = None
    ) -> tuple[Session, TrackedQuery]:
        """A query of an open session, which is not idle until its ``end_use``."""
        session = self._sessions.get(request.session_id)
        session.begin()
        origin = request.origin or session.origin
        query = self._tracker.begin(request, session.identity, listener, origin)
        query.limits = self.admission.limits.limits_of(session.identity)
        if session.ended:  # just now, and whoever ended it may not have seen this query
            query.cancellation.cancel(session.expiry)
        return session, query

    def _start_thread(
        self, query: TrackedQuery, session: Session, request: QueryRequest, ticket: Ticket
    ) -> None:
        thread = threading.Thread(
            target=self._work,
            args=(query, session, request, ticket),
            name=f"query-{query.record.query_id}",
            daemon=True,
        )
        self._threads.add(thread)
        try:
            thread.start()
        except RuntimeError as error:  # the system gives no more threads
            self._threads.discard(thread)
            self._refuse(query, session, error)

    def _leave_queue(self, query: TrackedQuery, session: Session, ticket: Ticket) -> None:
        if self.admission.withdraw(ticket) and query.cancellation.error is not None:
            self._refuse(query, session, query.cancellation.error)

    def _refuse(self, query: TrackedQuery, session: Session, error: Exception) -> None:
        """Ends a query that has not begun."""
        self._record_failure(query, error)
        session.end_use()

    def _work(
        self, query: TrackedQuery, session: Session, request: QueryRequest, ticket: Ticket
    ) -> None:
        timer = _start_timer(query, query.limits.longest_run(query.age_s))
        try:
            query.note_planning(ticket.group_name)
            transaction = self._transactions.of(session.id, request.transaction)
            with activate(query.span), inside(transaction):
                result = self._start(query, session, request)
                with query.stage("rows"):
                    query.pump(result)
        except BaseException as error:  # noqa: BLE001  whatever happens, the reader must hear of it
            self._record_failure(query, error)
        finally:
            session.end_use()
            if timer is not None:
                timer.cancel()
            self._threads.discard(threading.current_thread())

    def _start(self, query: TrackedQuery, session: Session, request: QueryRequest) -> ResultStream:
        """Plans the statement and runs it up to its first row. Then the plan ends, with what an
        engine prepared for it."""
        pipeline, run = self._pipeline, self._run_of(query, session, request.files)
        planned = self._plan(query, session, request)
        query.note_statement(
            planned.label, restricted=planned.restricted, relations=planned.relations
        )
        query.note_route(planned.route)
        self._check_recorded()  # what it touches, before it does

        def run_text(text: str) -> ResultStream:
            part = pipeline.plan_text(planned, session, text)
            query.note_part(part.relations, restricted=part.restricted)
            self._check_recorded()
            return answer(part)

        def answer(part: Planned) -> ResultStream:
            execution = Execution(
                self,
                request,
                session,
                run=lambda: pipeline.run(part, run),
                run_text=run_text,
                check=run.cancellation.check,
            )
            return part.translation.answer(execution)

        with query.stage("start"):
            return answer(planned)

    def _plan(self, query: TrackedQuery, session: Session, request: QueryRequest) -> Planned:
        timer = _start_timer(query, query.limits.longest_planning)
        try:
            return self._pipeline.plan(request, session, query.stage)
        finally:
            if timer is not None:
                timer.cancel()

    def _run_of(self, query: TrackedQuery, session: Session, files: frozenset[str]) -> Run:
        return Run(
            query.record.query_id,
            session,
            query.cancellation,
            query.note_progress,
            query.note_route,
            query.note_replan,
            query.wrote,
            query.note_work,
            query.check_scan,
            query.offer_profile,
            files=files | self.uploads.of_session(session.id),
            span=query.span,
        )

    def _record_failure(self, query: TrackedQuery, error: BaseException) -> SqeError:
        """Records the failure. An error that is not SQE's own is a defect: it is logged, and shown
        without details."""
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
        known.message = self.uploads.hide_folder(known.message)
        query.fail(known)
        return known


def _start_timer(
    query: TrackedQuery, ends: tuple[float, SqeError] | None
) -> threading.Timer | None:
    """Cancels it after these seconds."""
    if ends is None:
        return None
    timer = threading.Timer(ends[0], query.cancellation.cancel, args=(ends[1],))
    timer.daemon = True
    timer.start()
    return timer


def _shutdown_error() -> SqeError:
    return UpstreamError(
        ErrorCode.SERVER_UNAVAILABLE,
        "This SQE server is stopping.",
        hint="Connect again in a moment, or to another server.",
    )


def _admission_request(request: QueryRequest, session: Session) -> AdmissionRequest:
    client, identity = request.client, session.identity
    if client is None:
        return AdmissionRequest(identity.user, identity.groups, request.source, request.text)
    priority = client.properties.get("query_priority", "1")
    return AdmissionRequest(
        identity.user,
        identity.groups,
        request.source,
        request.text,
        client.tags,
        client.estimates,
        int(priority) if priority.isdecimal() and len(priority) < 10 and int(priority) else 1,
    )
