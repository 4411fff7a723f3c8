"""Flight SQL with all that a server needs around it."""

from __future__ import annotations

from dataclasses import replace

from sqe.auth.configured import authenticators
from sqe.gateway.gateway import Gateway
from sqe.protocols.flight_sql.options import MB, FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.server.listening import check_listening
from sqe.server.tls import TlsFiles, TlsWatch
from sqe.settings import Settings


class FlightFront:
    """Listens from ``start`` to ``stop``; meanwhile changed certificates are taken up."""

    def __init__(self, settings: Settings, gateway: Gateway) -> None:
        self._settings = settings
        self._gateway = gateway
        self._server: FlightSqlServer | None = None
        self._watch: TlsWatch | None = None

    def start(self, host: str | None = None, port: int | None = None) -> str:
        """Where it listens, as clients write it. INVALID_SETTINGS if it must not or cannot."""
        settings = self._settings
        host = settings.flight.host if host is None else host
        check_listening(settings, host)
        shown = f"[{host}]" if ":" in host else host  # as gRPC and people write it
        options = _options(settings, shown, settings.flight.port if port is None else port)
        files = TlsFiles(settings.tls, settings.home)
        tls = files.read()
        server = FlightSqlServer(
            self._gateway, authenticators(settings.auth), replace(options, tls=tls)
        )
        number = server.start()
        self._server = server
        if tls is not None:
            self._watch = TlsWatch(files, tls, server.reload, settings.tls.check_s)
            self._watch.start()
        return f"grpc{'+tls' if tls is not None else ''}://{shown}:{number}"

    def stop(self) -> None:
        if self._server is None:
            return
        if self._watch is not None:
            self._watch.stop()
        self._server.stop()
        self._server = None


def _options(settings: Settings, host: str, port: int) -> FlightOptions:
    flight = settings.flight
    return FlightOptions(
        host=host,
        port=port,
        message_bytes=flight.max_message_mb * MB,
        received_bytes=flight.max_received_mb * MB,
        compression=flight.compression,
        ticket_s=flight.ticket_s,
        statement_bytes=settings.limits.statement_bytes,
        # A Handshake hides the certificate of a client from us, so it is one or the other.
        handshake=not settings.auth.knows_certificates,
    )
