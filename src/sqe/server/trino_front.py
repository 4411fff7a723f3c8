"""Trino's protocol with all that a server needs around it."""

from __future__ import annotations

from dataclasses import replace

from sqe.auth.configured import authenticators
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.protocols.trino_http.options import Impersonation, TrinoOptions
from sqe.protocols.trino_http.server import TrinoServer
from sqe.server.listening import check_listening
from sqe.server.tls import TlsFiles, TlsWatch
from sqe.settings import Settings

KB = 1024


class TrinoFront:
    """Listens from ``start`` to ``stop``; meanwhile changed certificates are taken up."""

    def __init__(self, settings: Settings, gateway: Gateway) -> None:
        self._settings = settings
        self._gateway = gateway
        self._server: TrinoServer | None = None
        self._watch: TlsWatch | None = None

    def start(self, host: str | None = None, port: int | None = None) -> str:
        """Where it listens, as clients write it. INVALID_SETTINGS if it must not or cannot."""
        settings = self._settings
        host = settings.trino.host if host is None else host
        check_listening(settings, host, "trino")
        options = _options(settings, host, settings.trino.port if port is None else port)
        files = TlsFiles(settings.tls, settings.home)
        tls = files.read()
        server = TrinoServer(
            self._gateway, authenticators(settings.auth), replace(options, tls=tls)
        )
        number = server.start()
        self._server = server
        if tls is not None:
            self._watch = TlsWatch(files, tls, server.reload, settings.tls.check_s)
            self._watch.start()
        shown = f"[{host}]" if ":" in host else host
        return f"http{'s' if tls is not None else ''}://{shown}:{number}"

    def stop(self) -> None:
        if self._server is None:
            return
        if self._watch is not None:
            self._watch.stop()
        self._server.stop()
        self._server = None


def _options(settings: Settings, host: str, port: int) -> TrinoOptions:
    trino, limits = settings.trino, settings.limits
    options = TrinoOptions(
        host=host,
        port=port,
        plain_credentials=trino.allow_plain_http_credentials,
        forwarded=trino.process_forwarded,
        impersonation=_impersonation(settings),
        page_bytes=trino.page_kb * KB,
        client_timeout_s=trino.client_timeout_s,
        transaction_idle_s=trino.transaction_idle_s,
        statement_bytes=limits.statement_bytes,
        header_bytes=trino.max_header_kb * KB,
        running=limits.running_queries,
        running_per_user=limits.running_queries_per_user,
    )
    return options if trino.spooling else replace(options, encodings=())


def _impersonation(settings: Settings) -> Impersonation:
    users = settings.auth.users.items()
    known = {
        name: Identity(name, frozenset(user.groups), frozenset(user.roles)) for name, user in users
    }
    return Impersonation(settings.trino.impersonation_rules, known)
