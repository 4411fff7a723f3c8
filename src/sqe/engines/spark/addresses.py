"""Where Spark is: the server SQE keeps as a child, or a remote one."""

from __future__ import annotations

from sqe.engines.spark.server import SparkServer
from sqe.engines.spark.sessions import Address
from sqe.model.identity import Secret


class EmbeddedAddress:
    """Starts the child when somebody needs it, and again when it has died."""

    def __init__(self, server: SparkServer) -> None:
        self._server = server

    def reach(self) -> Address:
        endpoint = self._server.start()
        # "localhost" makes the client use local credentials: the token without TLS, loopback only.
        url = f"sc://localhost:{endpoint.port}/;token={endpoint.token.reveal()}"
        return Address(Secret(url), endpoint.generation)

    def alive(self) -> bool:
        return self._server.alive


class RemoteAddress:
    """A server somebody else runs."""

    def __init__(self, url: Secret) -> None:
        base = url.reveal().rstrip("/;")
        self._address = Address(Secret(base if "/;" in base else base + "/"))

    def reach(self) -> Address:
        return self._address

    def alive(self) -> bool:
        return True
