"""Flight SQL."""

from __future__ import annotations

from dataclasses import replace

from sqe.http.tls import Tls
from sqe.protocols.flight_sql.options import MB, FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.server.listener import Front, host_in_address
from sqe.server.listening import Section
from sqe.settings import Settings


class FlightFront(Front):
    section: Section = "flight"
    schemes = ("grpc", "grpc+tls")

    def make(self, host: str, port: int, tls: Tls | None) -> FlightSqlServer:
        options = _options(self._settings, host_in_address(host), port)
        options = replace(options, tls=tls, logins=self._access.login_methods)
        return FlightSqlServer(self._gateway, self._access.authenticators, options)


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
