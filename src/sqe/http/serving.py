"""An HTTP server on a thread of its own: for the broker, the health endpoint and protocols."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from sqe.errors import ErrorCode, InternalError, ResourceError

_START_SECONDS = 10.0
_STOP_SECONDS = 5.0
# Longer than clients keep an idle connection: a server that closes first can lose a POST that is
# just being sent, and nobody would know whether that commit happened.
_KEEP_ALIVE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """What not every server wants as it is by default."""

    tls: ssl.SSLContext | None = None
    protocol: type[asyncio.Protocol] | None = None  # a subclass of uvicorn's for h11
    header_bytes: int | None = None  # of all headers of a request; more is refused
    backlog: int = 128
    finish_s: int = 1  # how long open requests may go on after ``stop``
    setting: str = ""  # the one that names the port, for errors


class _Server(uvicorn.Server):
    """Leaves no connection behind, however little its client does for it."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            transport: asyncio.Transport = connection.transport
            transport.abort()
        await asyncio.sleep(0)


class HttpThread:
    """``start`` binds the port before it returns; ``stop`` ends open requests and frees it."""

    def __init__(
        self,
        app: ASGIApp,
        host: str = "127.0.0.1",
        port: int = 0,
        options: ServingOptions | None = None,
    ) -> None:
        self._app = app
        self._host = host
        self._port = port
        self._options = options or ServingOptions()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._socket: socket.socket | None = None

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http{'s' if self._options.tls is not None else ''}://{host}:{self._port}"

    def start(self) -> int:
        """The port that is listened on. PORT_IN_USE where somebody else has it."""
        self._socket = self._socket or self._bind()
        self._port = self._socket.getsockname()[1]
        options = self._options
        tls = options.tls
        config = uvicorn.Config(
            self._app,
            http=options.protocol or "auto",
            h11_max_incomplete_event_size=options.header_bytes,
            ssl_context_factory=(lambda *_: tls) if tls is not None else None,
            backlog=options.backlog,
            access_log=False,
            log_config=None,
            log_level="warning",
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=options.finish_s,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            server_header=False,
            proxy_headers=False,  # uvicorn would believe what anyone on this machine says
        )
        self._server = _Server(config)
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [self._socket]},
            name=f"http-{self._port}",
            daemon=True,
        )
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise InternalError(ErrorCode.INTERNAL_ERROR, "The HTTP server did not start.")
            time.sleep(0.005)
        return self._port

    def successor(self, options: ServingOptions) -> HttpThread:
        """Another one on the same port, which listens there without a gap if it is started before
        this one is stopped."""
        other = HttpThread(self._app, self._host, self._port, options)
        other._socket = self._socket.dup() if self._socket is not None else None
        return other

    def _bind(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        # asyncio switches Nagle's delay off only where the protocol is named: without it, an answer
        # waits 40 ms between its headers and its body for the client's acknowledgement.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((self._host, self._port))
            bound.listen(self._options.backlog)
        except OSError as error:
            bound.close()
            setting = self._options.setting
            raise ResourceError(
                ErrorCode.PORT_IN_USE,
                f"Cannot listen on {self._host}:{self._port}: {error.strerror or error}.",
                hint="Stop the program that uses the port, or choose another one"
                f"{f' with {setting}' if setting else ''}.",
            ) from error
        return bound

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(_STOP_SECONDS)
            if self._thread.is_alive():
                self._server.force_exit = True
                self._thread.join(_STOP_SECONDS)
        if self._socket is not None:
            self._socket.close()
        self._server = self._thread = self._socket = None
