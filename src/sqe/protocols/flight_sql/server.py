"""The Flight SQL server: gRPC calls in, gateway calls out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.flight as flight

from sqe.auth.chain import Authenticators
from sqe.auth.refusal import credential_error
from sqe.errors import ErrorCode, InternalError, ResourceError, UserError
from sqe.gateway.gateway import Gateway
from sqe.http.tls import Tls
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.commands import Commands
from sqe.protocols.flight_sql.credentials import MIDDLEWARE, CallMiddleware, Calls, Handshake
from sqe.protocols.flight_sql.errors import flight_error, sqe_error
from sqe.protocols.flight_sql.handover import can_listen, hang_up, stop_listening
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.reading import Put, check_size
from sqe.protocols.flight_sql.sessions import FlightSessions, Peer
from sqe.protocols.flight_sql.watch import Watch

_T = TypeVar("_T")
LOGINS = "sqe.Logins"
_STOP_S = 3.0
_TRIES, _TRY_S = 50, 0.1  # to listen on a port that is just becoming free


class FlightSqlServer:
    """Listens from ``start`` to ``stop``, on threads of gRPC's own."""

    def __init__(
        self, gateway: Gateway, authenticators: Authenticators, options: FlightOptions
    ) -> None:
        self._options = options
        self._watch = Watch()
        self._sessions = FlightSessions(gateway, authenticators)
        self._commands = Commands(gateway, options)
        self._lock = threading.Lock()
        self._service: _Service | None = None
        self._port = 0
        self._ending: dict[_Service, threading.Thread] = {}

    def start(self) -> int:
        """The port it listens on. PORT_IN_USE where somebody else has it."""
        with self._lock:
            if not can_listen(self._options.host, self._options.port):
                raise _cannot_listen(self._options)  # without gRPC's own words on stderr
            self._service = self._listen(self._options)
            self._port = int(self._service.port)
            return self._port

    def reload(self, tls: Tls) -> None:
        """New connections get the new certificate; calls under way go on. Raises if it cannot
        listen any more, and may then be called again."""
        with self._lock:
            old = self._service
            if old is None:
                return
            options = replace(self._options, tls=tls, port=self._port)
            if not stop_listening(self._port):
                self._end(old)  # which stops listening, too, though clients may notice
            self._service = self._listen(options, tries=_TRIES)
            self._end(old)

    def drain(self, seconds: float) -> None:
        """A stream goes on until its query's last batch is sent: ending takes care of it."""

    def stop(self) -> None:
        """Cancels what runs, tells clients, and hangs up on those that do not listen."""
        self._commands.close()
        with self._lock:
            if self._service is not None:
                self._end(self._service)
                self._service = None
            threads = list(self._ending.values())
            if not _ended_within(threads, _STOP_S):
                hang_up(self._port)
                _ended_within(threads, _STOP_S)
        self._watch.close()

    def _listen(self, options: FlightOptions, tries: int = 1) -> _Service:
        for left in reversed(range(tries)):
            try:
                return _Service(options, self._sessions, self._commands, self._watch)
            except (pa.ArrowException, OSError) as error:
                if not left:
                    raise _cannot_listen(options) from error
                time.sleep(_TRY_S)
        raise _cannot_listen(options)

    def _end(self, service: _Service) -> None:
        """On a thread: it takes as long as the last call."""
        if service in self._ending:
            return
        for ended in [old for old, thread in self._ending.items() if not thread.is_alive()]:
            del self._ending[ended]
        thread = threading.Thread(target=service.shutdown, name="flight-end", daemon=True)
        self._ending[service] = thread
        thread.start()


class _Service(flight.FlightServerBase):  # type: ignore[misc]
    """gRPC's side: finds out who calls and lets no foreign exception out."""

    def __init__(
        self, options: FlightOptions, sessions: FlightSessions, commands: Commands, watch: Watch
    ) -> None:
        self._sessions = sessions
        self._commands = commands
        self._watch = watch
        self._limit = options.received_bytes
        self._logins = options.logins
        tls = options.tls
        with_certificates = tls is not None and tls.client_authorities is not None
        super().__init__(
            (options.host, options.port),
            # A handler hides the client's certificate from us: one of the two.
            auth_handler=Handshake() if options.handshake else None,
            tls_certificates=[(tls.certificate, tls.key)] if tls is not None else None,
            verify_client=with_certificates,
            root_certificates=tls.client_authorities if tls is not None else None,
            middleware={MIDDLEWARE: Calls(sessions.log_in)},
        )

    def get_flight_info(self, context: Any, descriptor: Any) -> flight.FlightInfo:
        return self._answer(
            context, lambda caller: self._commands.info(caller, descriptor), descriptor.command
        )

    def get_schema(self, context: Any, descriptor: Any) -> flight.SchemaResult:
        return self._answer(
            context, lambda caller: self._commands.schema(caller, descriptor), descriptor.command
        )

    def do_get(self, context: Any, ticket: Any) -> flight.FlightDataStream:
        data = ticket.ticket
        return self._answer(context, lambda caller: self._commands.stream(caller, data), data)

    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        put = Put(reader, writer, context.is_cancelled, self._limit)
        self._answer(
            context, lambda caller: self._commands.put(caller, descriptor, put), descriptor.command
        )

    def do_action(self, context: Any, action: Any) -> list[bytes]:
        if action.type == LOGINS:  # for those who have nothing to show yet
            return [self._logins()]
        body = action.body.to_pybytes()
        return self._answer(
            context, lambda caller: self._commands.actions.act(caller, action.type, body), body
        )

    def list_actions(self, context: Any) -> list[tuple[str, str]]:
        return self._answer(context, lambda caller: self._commands.actions.list_actions())

    def list_flights(self, context: Any, criteria: bytes) -> Iterator[flight.FlightInfo]:
        return self._answer(context, lambda caller: iter(()))

    def do_exchange(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        self._answer(context, _no_exchange)

    def _answer(
        self, context: Any, handle: Callable[[FlightCaller], _T], message: bytes | None = None
    ) -> _T:
        try:
            check_size(len(message or b""), self._limit)
            return handle(self._caller(context))
        except BaseException as error:  # noqa: BLE001  pyarrow would send its traceback
            raise flight_error(sqe_error(error), context.add_trailer) from None

    def _caller(self, context: Any) -> FlightCaller:
        call = context.get_middleware(MIDDLEWARE)
        if not isinstance(call, CallMiddleware):
            raise InternalError(ErrorCode.INTERNAL_ERROR, "A call came without its headers.")
        peer = Peer(context.peer(), _certificate(context.peer_identity()))
        session = self._sessions.of(call, peer, context.add_header)
        return FlightCaller(session, call, context, self._watch, peer.origin)


def _ended_within(threads: list[threading.Thread], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)


def _cannot_listen(options: FlightOptions) -> ResourceError:
    return ResourceError(
        ErrorCode.PORT_IN_USE,
        f"Cannot listen on {options.host}:{options.port} for Flight SQL.",
        hint="Stop the program that uses the port, or choose another one with flight.port.",
    )


def _certificate(identity: bytes) -> str:
    """Strictly: two certificates must never become one text."""
    try:
        return identity.decode("utf-8")
    except UnicodeDecodeError:
        raise credential_error() from None


def _no_exchange(caller: FlightCaller) -> None:
    raise UserError(ErrorCode.NOT_SUPPORTED, "DoExchange is not part of Flight SQL.")
