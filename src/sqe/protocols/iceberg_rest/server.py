"""The server of Iceberg's REST protocol."""

from __future__ import annotations

import threading
from dataclasses import replace

from sqe.auth.chain import Authenticators
from sqe.gateway.gateway import Gateway
from sqe.http.serving import HttpThread, ServingOptions
from sqe.http.tls import Tls, context_of
from sqe.protocols.iceberg_rest.callers import Callers
from sqe.protocols.iceberg_rest.options import IcebergOptions
from sqe.protocols.iceberg_rest.routes import Routes
from sqe.protocols.iceberg_rest.tokens import GivenTokens

_FINISH_S = 4


class IcebergServer:
    """Listens from ``start`` to ``stop``, on a thread of its own."""

    def __init__(
        self, gateway: Gateway, authenticators: Authenticators, options: IcebergOptions
    ) -> None:
        self._options = options
        tokens = GivenTokens(options.token_s)
        self._app = Routes(gateway, Callers(authenticators, tokens, options), tokens, options).app()
        self._lock = threading.Lock()
        self._http: HttpThread | None = None

    def start(self) -> int:
        """The port it listens on. PORT_IN_USE where somebody else has it."""
        options = self._options
        http = HttpThread(self._app, options.host, options.port, _http_options(options))
        port = http.start()
        self._http = http
        return port

    def reload(self, tls: Tls) -> None:
        """New connections get the new certificate; requests under way go on."""
        with self._lock:
            old = self._http
            if old is None:
                return
            new = old.successor(_http_options(replace(self._options, tls=tls)))
            new.start()
            self._http = new
        threading.Thread(target=old.stop, name="iceberg-end", daemon=True).start()

    def drain(self, seconds: float) -> None:
        """A request is answered at once or not at all: there is nothing to fetch later."""

    def stop(self) -> None:
        with self._lock:
            http, self._http = self._http, None
        if http is not None:
            http.stop()


def _http_options(options: IcebergOptions) -> ServingOptions:
    tls = context_of(options.tls) if options.tls is not None else None
    return ServingOptions(tls=tls, finish_s=_FINISH_S, setting="iceberg.port")
