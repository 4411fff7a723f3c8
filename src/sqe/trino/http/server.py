"""The server of Trino's protocol: HTTP requests in, gateway calls out."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from sqe.auth.chain import Authenticators
from sqe.gateway.gateway import Gateway
from sqe.http.serving import HttpThread, ServingOptions
from sqe.http.tls import Tls, context_of
from sqe.trino.http.bridge import Bridge
from sqe.trino.http.connections import ClientConnection
from sqe.trino.http.credentials import Callers, Origin
from sqe.trino.http.oauth2 import Logins, OAuth2Flow
from sqe.trino.http.oauth2_routes import OAuth2Routes
from sqe.trino.http.options import TrinoOptions
from sqe.trino.http.routes import Routes, app_of
from sqe.trino.http.sessions import TrinoSessions
from sqe.trino.http.statements import Statements, Sweeper

_BACKLOG = 1024
_FINISH_S = 4


class TrinoServer:
    """Listens from ``start`` to ``stop``, on a thread of its own."""

    def __init__(
        self,
        gateway: Gateway,
        authenticators: Authenticators,
        options: TrinoOptions,
        oauth2: OAuth2Flow | None = None,
    ) -> None:
        self._options = options
        self._bridge = Bridge()
        self._logins = Logins(oauth2) if oauth2 is not None else None
        sessions = TrinoSessions(gateway, options.transaction_idle_s)
        self._statements = Statements(gateway, sessions, options)
        self._sweeper = Sweeper(self._statements, options)
        acting = gateway.other_users.may_act_as
        callers = Callers(authenticators, options, self._challenge, acting)
        routes = Routes(gateway, callers, self._statements, self._bridge, options).routes()
        if self._logins is not None:
            routes += OAuth2Routes(self._logins, self._bridge, options).routes()
        self._app = app_of(routes)
        self._lock = threading.Lock()
        self._http: HttpThread | None = None

    def start(self) -> int:
        """The port it listens on. PORT_IN_USE where somebody else has it."""
        options = self._options
        http = HttpThread(self._app, options.host, options.port, self._http_options(options))
        port = http.start()
        self._http = http
        self._sweeper.start()
        return port

    def reload(self, tls: Tls) -> None:
        """New connections get the new certificate; requests under way go on."""
        with self._lock:
            old = self._http
            if old is None:
                return
            new = old.successor(self._http_options(replace(self._options, tls=tls)))
            new.start()
            self._http = new
        threading.Thread(target=old.stop, name="trino-end", daemon=True).start()

    def drain(self, seconds: float) -> None:
        """Waits that long for clients to fetch the pages of statements that have ended."""
        self._statements.drain(seconds)

    def stop(self) -> None:
        """Ends what runs, then listening: clients that wait hear of it."""
        with self._lock:
            http, self._http = self._http, None
        if http is None:
            return
        self._sweeper.stop()
        self._statements.close()
        http.stop()
        self._bridge.close()

    def _http_options(self, options: TrinoOptions) -> ServingOptions:
        return ServingOptions(
            tls=context_of(options.tls) if options.tls is not None else None,
            protocol=ClientConnection,
            header_bytes=options.header_bytes,
            backlog=_BACKLOG,
            finish_s=_FINISH_S,
            setting="trino.port",
        )

    def _challenge(self, origin: Origin) -> Mapping[str, str]:
        """Clients that can do both log in through a browser."""
        if self._logins is not None:
            return {"WWW-Authenticate": self._logins.challenge(origin.base)}
        return {"WWW-Authenticate": 'Basic realm="Trino", Bearer realm="Trino"'}
