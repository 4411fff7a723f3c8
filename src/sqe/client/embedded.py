"""A home of this process: the gateway itself, without a server in between."""

from __future__ import annotations

import atexit
import getpass
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqe.client.transport import Status
from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Parameter, QueryRecord, QueryRequest, RowsAffected

if TYPE_CHECKING:
    from sqe.audit.events import QueryEvent
    from sqe.results.stream import ResultStream
    from sqe.server.build import Server


class OpenSession(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def schema(self) -> SchemaName: ...
    def close(self) -> None: ...


class EmbeddedGateway(Protocol):
    """What is needed of ``sqe.gateway.gateway.Gateway``."""

    def submit(
        self, request: QueryRequest, listener: Callable[[QueryEvent], None] | None = None
    ) -> str: ...
    def fetch(self, query_id: str) -> ResultStream: ...
    def cancel(self, query_id: str) -> None: ...
    def run_rows(
        self, request: QueryRequest, started: Callable[[str], None]
    ) -> RowsAffected | None: ...
    def record(self, query_id: str) -> QueryRecord: ...
    def begin(self, session_id: str) -> str: ...
    def commit(self, session_id: str, transaction_id: str) -> None: ...
    def rollback(self, session_id: str, transaction_id: str) -> None: ...


class EmbeddedTransport:
    """``files`` are the caller's own: what their statements may load."""

    def __init__(
        self,
        gateway: EmbeddedGateway,
        session: OpenSession,
        source: str,
        files: frozenset[str] = frozenset(),
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._gateway = gateway
        self._session = session
        self._source = source
        self._files = files
        self._on_close = on_close

    def execute(
        self, text: str, parameters: Sequence[Parameter] = (), transaction: str = ""
    ) -> EmbeddedQuery:
        request = QueryRequest(
            self._session.id,
            text,
            self._source,
            self._files,
            tuple(parameters) or None,
            transaction,
        )
        return EmbeddedQuery(self._gateway, request)

    def execute_rows(
        self, text: str, rows: Sequence[Sequence[Parameter]], transaction: str = ""
    ) -> EmbeddedRows:
        request = QueryRequest(
            self._session.id,
            text,
            self._source,
            self._files,
            transaction=transaction,
            rows=tuple(map(tuple, rows)),
        )
        return EmbeddedRows(self._gateway, request)

    def offer(self, path: str, sent: Callable[[int], None]) -> str:
        return path

    def begin(self) -> str:
        return self._gateway.begin(self._session.id)

    def commit(self, transaction: str) -> None:
        self._gateway.commit(self._session.id, transaction)

    def rollback(self, transaction: str) -> None:
        self._gateway.rollback(self._session.id, transaction)

    def schema(self) -> SchemaName:
        return self._session.schema

    def user(self) -> str:
        return current_user()

    def close(self) -> None:
        self._session.close()
        self._on_close()


class EmbeddedQuery:
    def __init__(self, gateway: EmbeddedGateway, request: QueryRequest) -> None:
        self._gateway = gateway
        self._record: QueryRecord | None = None
        self._query_id = gateway.submit(request, self._listen)

    def _listen(self, event: QueryEvent) -> None:
        self._record = event.record

    def result(self) -> ResultStream:
        return self._gateway.fetch(self._query_id)

    def cancel(self) -> None:
        with suppress(SqeError):  # it may have ended in the meantime
            self._gateway.cancel(self._query_id)

    def progress(self) -> Status:
        return _status(self._record)


class EmbeddedRows:
    """A statement for many rows of parameters. It runs while ``result`` is waited for."""

    def __init__(self, gateway: EmbeddedGateway, request: QueryRequest) -> None:
        self._gateway = gateway
        self._request = request
        self._lock = threading.Lock()
        self._query_id = ""  # of the query that is part of it and runs now
        self._cancelled = False

    def result(self) -> ResultStream:
        import pyarrow as pa

        from sqe.results.stream import ResultStream

        counted = self._gateway.run_rows(self._request, self._note_start)
        return ResultStream((), pa.schema([]), (), affected=lambda: counted)

    def _note_start(self, query_id: str) -> None:
        with self._lock:
            self._query_id = query_id
            cancelled = self._cancelled
        if cancelled:
            self.cancel()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            query_id = self._query_id
        if query_id:
            with suppress(SqeError):  # it may have ended in the meantime
                self._gateway.cancel(query_id)

    def progress(self) -> Status:
        try:
            return _status(self._gateway.record(self._query_id) if self._query_id else None)
        except SqeError:
            return Status()


def _status(record: QueryRecord | None) -> Status:
    if record is None:
        return Status()
    route = record.shown_route
    return Status(record.state, route.engine if route is not None else None, record.progress)


@dataclass
class _Home:
    server: Server
    users: int = 0


_homes: dict[Path, _Home] = {}
_lock = threading.Lock()


def open_home(home: str | None, source: str) -> EmbeddedTransport:
    """A session in the home. Connections to one home share what runs there, Spark above all."""
    from sqe.server.build import build
    from sqe.settings import load_settings

    settings = load_settings(flags={"home": home} if home else None)
    key = settings.home.resolve()
    with _lock:
        if key not in _homes:
            server = build(settings.for_command())
            server.start(warm_spark=False)
            _homes[key] = _Home(server)
        opened = _homes[key]
        opened.users += 1
    leave = _Once(lambda: _leave(key))
    try:
        session = opened.server.gateway.open_session(Identity(user=current_user()))
    except BaseException:
        leave()
        raise
    return EmbeddedTransport(opened.server.gateway, session, source, on_close=leave)


def _leave(key: Path) -> None:
    with _lock:
        opened = _homes.get(key)
        if opened is None:
            return  # the process is ending
        opened.users -= 1
        if opened.users:
            return
        del _homes[key]
        opened.server.close()  # under the lock: who opens the home again finds it closed


class _Once:
    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Callable[[], None] | None = act

    def __call__(self) -> None:
        act, self._act = self._act, None
        if act is not None:
            act()


@atexit.register
def _close_all() -> None:
    """Scripts that end without closing their connection must not leave Spark behind."""
    with _lock:
        left = list(_homes.values())
        _homes.clear()
    for home in left:
        home.server.close()


def current_user() -> str:
    # A user id without a passwd entry (containers) is an OSError or, up to 3.12, a KeyError.
    with suppress(OSError, KeyError):
        return getpass.getuser()
    return "sqe"
