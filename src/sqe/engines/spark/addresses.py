"""Where Spark is: the server SQE keeps as a child, or a remote one."""

from __future__ import annotations

from sqe.engines.spark.activity import Activity
from sqe.engines.spark.ivy import Tell, tell_nobody
from sqe.engines.spark.room import explain_by_disk
from sqe.engines.spark.server import SparkServer
from sqe.engines.spark.sessions import Address
from sqe.errors import SqeError
from sqe.model.identity import Secret


class EmbeddedAddress:
    """Starts the child when somebody needs it, and again when it has died."""

    def __init__(self, server: SparkServer) -> None:
        self._server = server

    def reach(self, tell: Tell = tell_nobody) -> Address:
        endpoint = self._server.start(tell)
        # "localhost" makes the client use local credentials: the token without TLS, loopback only.
        url = f"sc://localhost:{endpoint.port}/;token={endpoint.token.reveal()}"
        return Address(Secret(url), endpoint.generation)

    @property
    def generation(self) -> int:
        return self._server.generation

    def serves(self, generation: int) -> bool:
        return self._server.serves(generation)

    def activity(self, generation: int) -> Activity | None:
        return self._server.activity(generation)

    def collect_garbage(self, generation: int) -> None:
        self._server.collect_garbage(generation)

    def recycle(self) -> None:
        self._server.recycle()

    def end(self, generation: int) -> None:
        self._server.end(generation)

    def retire(self, generation: int) -> None:
        self._server.retire(generation)

    def why_lost(self) -> SqeError | None:
        return explain_by_disk(
            "Spark ended while it worked on the query", self._server.options.home
        )


class RemoteAddress:
    """A server somebody else runs."""

    def __init__(self, url: Secret) -> None:
        base = url.reveal().rstrip("/;")
        self._address = Address(Secret(base if "/;" in base else base + "/"))

    def reach(self, tell: Tell = tell_nobody) -> Address:
        return self._address

    @property
    def generation(self) -> int:
        return self._address.generation

    def serves(self, generation: int) -> bool:
        return True

    def activity(self, generation: int) -> Activity | None:
        """Its threads are out of sight."""
        return None

    def collect_garbage(self, generation: int) -> None:
        """It does so by itself, in time."""

    def end(self, generation: int) -> None:
        """It is not SQE's to end."""

    def recycle(self) -> None:
        """Whoever runs it sees to that."""

    def retire(self, generation: int) -> None:
        """There is only one."""

    def why_lost(self) -> SqeError | None:
        """Its disk is not ours to look at."""
        return None
