"""All statements of the clients of this server."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress

from sqe.errors import ErrorCode, SqeError
from sqe.gateway.gateway import Gateway
from sqe.model.query import QueryOrigin, QueryRequest
from sqe.trino.http.credentials import TrinoCaller
from sqe.trino.http.errors import BUSY, busy, no_such_query, sqe_error
from sqe.trino.http.headers import CLEARED, Client
from sqe.trino.http.options import TrinoOptions
from sqe.trino.http.reading import read
from sqe.trino.http.results import Results
from sqe.trino.http.segments import choose_packing
from sqe.trino.http.sessions import LeasedSession, TrinoSessions, Wanted
from sqe.trino.http.statement import ServedStatement

_log = logging.getLogger(__name__)
_KEPT_S = 60.0  # how long the last page may be asked for again
_SWEEP_S = 5.0
_STOP_S = 5.0
_LOOK_S = 0.05
_GONE = (ErrorCode.SESSION_NOT_FOUND, ErrorCode.SESSION_EXPIRED)


class Statements:
    """Thread-safe. A statement that nobody asks about any more is ended by ``sweep``."""

    def __init__(self, gateway: Gateway, sessions: TrinoSessions, options: TrinoOptions) -> None:
        self._gateway = gateway
        self._sessions = sessions
        self._options = options
        self._lock = threading.Lock()
        self._statements: dict[str, ServedStatement] = {}

    def submit(self, caller: TrinoCaller, text: str, client: Client) -> ServedStatement:
        """Starts it, or lets it wait for its turn."""
        wanted = Wanted(
            caller.principal,
            caller.identity,
            client.state.properties,
            client.transaction,
            caller.origin,
        )
        lent, query_id = self._start(wanted, text, client)
        try:
            packed = choose_packing(client.encodings, self._options.encodings)
            results = Results(packed, self._options.page_bytes)
            leaves = client.left_by(text)
            statement = ServedStatement(self._gateway, query_id, caller.principal, lent, results)
            statement.if_failed = (CLEARED,) if leaves else ()
            with self._lock:
                self._statements[query_id] = statement
            # A statement that waits for its turn has no thread.
            self._gateway.when_begun(
                query_id, lambda: self._start_reading(statement, client, leaves)
            )
        except BaseException:
            self._forget(query_id)
            self._sessions.give_back(lent)
            with suppress(SqeError):
                self._gateway.cancel(query_id)
            raise
        return statement

    def find(self, query_id: str, caller: TrinoCaller) -> ServedStatement:
        """Another principal's is not there."""
        with self._lock:
            statement = self._statements.get(query_id)
        if statement is None or statement.principal != caller.principal:
            raise no_such_query()
        return statement

    def sweep(self) -> None:
        now = time.monotonic()
        with self._lock:
            over = [
                statement
                for statement in self._statements.values()
                if now - statement.touched
                > (_KEPT_S if statement.over else self._options.client_timeout_s)
            ]
        for statement_over in over:
            self._forget(statement_over.query_id)
            if not statement_over.over:
                _log.info("query %s was abandoned by its client", statement_over.query_id)
                statement_over.cancel()
        self._sessions.sweep()

    def drain(self, seconds: float) -> None:
        """Waits until every client has got its last page, or that long."""
        deadline = time.monotonic() + seconds
        while self._unfetched and time.monotonic() < deadline:
            time.sleep(min(_LOOK_S, max(0.0, deadline - time.monotonic())))

    @property
    def _unfetched(self) -> bool:
        with self._lock:
            return any(not statement.over for statement in self._statements.values())

    def close(self) -> None:
        with self._lock:
            running, self._statements = list(self._statements.values()), {}
        for statement in running:
            statement.cancel()
        self._sessions.close()

    def _forget(self, query_id: str) -> None:
        with self._lock:
            self._statements.pop(query_id, None)

    def _start(self, wanted: Wanted, text: str, client: Client) -> tuple[LeasedSession, str]:
        """A shared session may have ended since it was last used: then the next one."""
        for last in (False, True):
            lent = self._sessions.borrow(wanted)
            try:
                return lent, self._submit(lent, text, client, wanted.origin)
            except SqeError as error:
                self._sessions.give_back(lent)
                if last or error.code not in _GONE or wanted.transaction:
                    raise
            except BaseException:
                self._sessions.give_back(lent)
                raise
        raise AssertionError("the second attempt answers or raises")

    def _submit(self, lent: LeasedSession, text: str, client: Client, origin: QueryOrigin) -> str:
        query_id = self._gateway.submit(
            QueryRequest(
                lent.session.id,
                text,
                source=client.source,
                client=client.state,
                transaction=client.transaction,
                origin=origin,
                trace=client.trace,
            )
        )
        if self._gateway.record(query_id).error_code in {code.name for code in BUSY}:
            try:
                self._gateway.fetch(query_id)
            except SqeError as error:
                raise busy(error) from error
        return query_id

    def _start_reading(self, statement: ServedStatement, client: Client, leaves: bool) -> None:
        thread = threading.Thread(
            target=self._read, args=(statement, client, leaves), name=f"trino-{statement.query_id}"
        )
        thread.daemon = True
        try:
            thread.start()
        except RuntimeError as error:  # the system gives no more threads
            statement.results.fail(sqe_error(error))
            self._sessions.give_back(statement.lent)
            with suppress(SqeError):
                self._gateway.cancel(statement.query_id)

    def _read(self, statement: ServedStatement, client: Client, leaves: bool) -> None:
        results = statement.results
        try:
            read(
                self._gateway,
                statement.query_id,
                results,
                client.state.capabilities,
                lambda: self._keep(statement, client),
            )
            if leaves and results.error is not None:
                self._sessions.abandon(client.transaction)
        finally:
            self._sessions.give_back(statement.lent)

    def _keep(self, statement: ServedStatement, client: Client) -> None:
        """What the server must remember of a statement that has changed its client's session."""
        changes = statement.results.outcome.changes
        if changes.started_transaction is not None:
            self._sessions.note_transaction(
                changes.started_transaction, statement.principal, statement.lent
            )
        if changes.ended_transaction:
            self._sessions.end_transaction(client.transaction)


class Sweeper:
    """Sweeps now and then, on a thread of its own."""

    def __init__(self, statements: Statements, options: TrinoOptions) -> None:
        self._statements = statements
        shortest = min(options.client_timeout_s, options.transaction_idle_s)
        self._every_s = min(_SWEEP_S, max(0.05, shortest / 4))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trino-sweep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            try:
                self._statements.sweep()
            except Exception as error:  # noqa: BLE001  it must go on
                sqe_error(error)
