"""``connect``: a server by its URL, or a home in this process; and what one gets."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sqe.client import exceptions
from sqe.client.cursor import Cursor
from sqe.client.exceptions import (
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
    translate_errors,
)
from sqe.client.targets import check_home, is_url, refuse_host
from sqe.client.transport import Running, Transport
from sqe.errors import ErrorCode, UserError, check_engine
from sqe.model.names import quote
from sqe.model.query import Parameter

_SOURCE = "sqe-client"


def connect(
    target: str | PathLike[str] | None = None,
    *,
    catalog: str | None = None,
    schema: str | None = None,
    autocommit: bool = True,
    create: bool = False,
    **options: Any,
) -> Connection:
    """Opens a session on a server (``grpc://host:port``, ``grpc+tls://host:port``) or, in this
    process, in a home: the one of that path, or the usual one. With ``create`` a lakehouse is made
    where that path has none yet.

    A server takes ``user`` and ``password``, or ``token``; and, for TLS, the files ``tls_ca``
    (authorities, if not the machine's), ``tls_cert`` and ``tls_key`` (of the client), and
    ``tls_host`` (the name in the server's certificate, if not the URL's). Without ``autocommit``
    nothing is there for others before ``commit()``.
    """
    with translate_errors():
        connection = Connection(
            open_transport(target, _SOURCE, options, create=create), autocommit=autocommit
        )
        try:
            _use(connection.transport, catalog, schema)
        except BaseException:
            connection.close()
            raise
    return connection


def open_transport(
    target: str | PathLike[str] | None,
    source: str,
    options: dict[str, Any],
    *,
    create: bool = False,
) -> Transport:
    """The one place that knows which transport serves which target. Raises ``SqeError``."""
    set_options = {name: value for name, value in options.items() if value is not None}
    where = fspath(target) if target is not None else ""
    if is_url(where):
        from sqe.client.flight.options import FlightOptions
        from sqe.client.flight.transport import FlightTransport

        return FlightTransport(FlightOptions.of(where, set_options), source)
    refuse_host(where)
    if set_options:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"A home in this process takes no {', '.join(sorted(set_options))}: there is no login.",
            hint="For a server, give its URL: grpc+tls://host:port.",
        )
    if where and not create:
        check_home(Path(where).expanduser())
    from sqe.client.embedded import open_home

    try:
        return open_home(where or None, source)
    except ModuleNotFoundError:
        check_engine("A home in this process", "Connect to a server by its URL, or run")
        raise


def _use(transport: Transport, catalog: str | None, schema: str | None) -> None:
    names = [name for name in (catalog, schema) if name]
    if not names:
        return
    if schema is None:
        names.append(transport.schema().path[-1])
    with transport.execute(f"USE {'.'.join(map(quote, names))}").result() as answer:
        answer.read_all()


class Connection:
    """One session. Threads may share it; each needs a cursor of its own.

    With ``autocommit`` every statement is committed when it has run, unless ``begin`` was called.
    """

    Warning = exceptions.Warning
    Error = exceptions.Error
    InterfaceError = exceptions.InterfaceError
    DatabaseError = exceptions.DatabaseError
    DataError = exceptions.DataError
    OperationalError = exceptions.OperationalError
    IntegrityError = exceptions.IntegrityError
    InternalError = exceptions.InternalError
    ProgrammingError = exceptions.ProgrammingError
    NotSupportedError = exceptions.NotSupportedError

    def __init__(self, transport: Transport, *, autocommit: bool = True) -> None:
        self.transport = transport
        self.autocommit = autocommit
        self._transaction = ""
        self._lock = threading.Lock()
        self._closed = False

    def cursor(self) -> Cursor:
        self.check_open()
        return Cursor(self)

    def execute(self, operation: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Cursor:
        """A new cursor that has run the statement."""
        return self.cursor().execute(operation, parameters)

    def begin(self) -> None:
        """Begins a transaction: nobody else sees its changes before ``commit``."""
        self.check_open()
        with self._lock, translate_errors():
            if self._transaction:
                raise ProgrammingError("A transaction is open: commit it or roll it back first.")
            self._transaction = self.transport.begin()

    def commit(self) -> None:
        """Nothing happens where no transaction is open."""
        self.check_open()
        transaction = self._leave_transaction()
        if transaction:
            with translate_errors():
                self.transport.commit(transaction)

    def rollback(self) -> None:
        """Undoes what the transaction has done. What autocommit has committed stays."""
        self.check_open()
        transaction = self._leave_transaction()
        if transaction:
            with translate_errors():
                self.transport.rollback(transaction)
        elif self.autocommit:
            raise NotSupportedError(
                "There is nothing to roll back: every statement is committed when it has run.",
                code=ErrorCode.NOT_SUPPORTED.name,
                hint="Call begin() first, or connect with autocommit=False.",
            )

    def _leave_transaction(self) -> str:
        """However its commit ends, it is over."""
        with self._lock:
            transaction, self._transaction = self._transaction, ""
        return transaction

    def run(self, text: str, parameters: Sequence[Parameter]) -> Running:
        """Starts a statement in the transaction that is open, or must be. For cursors."""
        return self.transport.execute(text, parameters, self._enter_transaction())

    def run_rows(self, text: str, rows: Sequence[Sequence[Parameter]]) -> Running:
        """As ``run``, for each row of parameters."""
        return self.transport.execute_rows(text, rows, self._enter_transaction())

    def _enter_transaction(self) -> str:
        with self._lock:
            if not self._transaction and not self.autocommit:
                self._transaction = self.transport.begin()
            return self._transaction

    def close(self) -> None:
        """Ends the session; what still runs in it is cancelled."""
        if not self._closed:
            self._closed = True
            with translate_errors():
                self.transport.close()

    def check_open(self) -> None:
        if self._closed:
            raise InterfaceError("The connection is closed.")

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
