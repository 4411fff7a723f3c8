"""An HTTP server on a thread of its own: for the broker, the health endpoint and protocols."""

from __future__ import annotations

import socket
import threading
import time

import uvicorn
from starlette.types import ASGIApp

from sqe.errors import ErrorCode, InternalError, ResourceError

_START_SECONDS = 10.0
_STOP_SECONDS = 5.0
# Longer than clients keep an idle connection: a server that closes first can lose a POST that is
# just being sent, and nobody would know whether that commit happened.
_KEEP_ALIVE_SECONDS = 600


class HttpThread:
    """``start`` binds the port before it returns; ``stop`` ends open requests and frees it."""

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> None:
        self._app = app
        self._host = host
        self._port = port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._socket: socket.socket | None = None

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    def start(self) -> int:
        """The port that is listened on. HOME_IN_USE where somebody else has it."""
        self._socket = self._bound()
        self._port = self._socket.getsockname()[1]
        config = uvicorn.Config(
            self._app,
            access_log=False,
            log_config=None,
            log_level="warning",
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            server_header=False,
        )
        self._server = uvicorn.Server(config)
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

    def _bound(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((self._host, self._port))
            bound.listen(128)
        except OSError as error:
            bound.close()
            raise ResourceError(
                ErrorCode.HOME_IN_USE,
                f"Cannot listen on {self._host}:{self._port}: {error.strerror or error}.",
                hint="Stop the program that uses the port, or choose another one.",
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
