"""Trino's protocol."""

from __future__ import annotations

from dataclasses import replace

from sqe.http.tls import Tls
from sqe.server.listener import Front
from sqe.server.listening import Section
from sqe.settings import Settings
from sqe.trino.http.options import Impersonation, TrinoOptions
from sqe.trino.http.server import TrinoServer

KB = 1024


class TrinoFront(Front):
    section: Section = "trino"
    schemes = ("http", "https")

    def make(self, host: str, port: int, tls: Tls | None) -> TrinoServer:
        access = self._access
        options = _options(self._settings, host, port)
        impersonation = replace(options.impersonation, known=access.user_of_settings)
        options = replace(options, tls=tls, impersonation=impersonation)
        return TrinoServer(self._gateway, access.authenticators, options, access.browser)


def _options(settings: Settings, host: str, port: int) -> TrinoOptions:
    trino, limits = settings.trino, settings.limits
    options = TrinoOptions(
        host=host,
        port=port,
        plain_credentials=trino.allow_plain_http_credentials,
        forwarded=trino.process_forwarded,
        impersonation=Impersonation(trino.impersonation_rules),
        page_bytes=trino.page_kb * KB,
        client_timeout_s=trino.client_timeout_s,
        transaction_idle_s=trino.transaction_idle_s,
        statement_bytes=limits.statement_bytes,
        header_bytes=trino.max_header_kb * KB,
    )
    return options if trino.spooling else replace(options, encodings=())
