"""The broker: an Iceberg REST endpoint with a token for each Spark session."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sqe.broker.catalog import BrokeredCatalog
from sqe.broker.handles import GrantedTable, HandleGrant, make_grant
from sqe.broker.storage import check
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Secret
from sqe.model.observer import UNOBSERVED, Observer


class BrokerSession:
    """One Spark session's side of the broker."""

    def __init__(self) -> None:
        self.token = Secret(secrets.token_urlsafe(32))
        self.catalog = BrokeredCatalog()

    @contextmanager
    def grant(self, tables: Iterable[GrantedTable]) -> Iterator[HandleGrant]:
        """Handles that answer until the block ends. Then the fate of each table is final.

        Raises before Spark is asked anything, if it cannot be given access to a table's files."""
        grant = make_grant(tables)
        for table in grant.tables.values():
            if table.bound is not None:
                check(table.bound, table.name)
        self.catalog.admit(grant)
        try:
            yield grant
        finally:
            self.catalog.withdraw(grant)
            for table in grant.tables.values():
                table.settle()


class Broker:
    """Starts its HTTP endpoint at the first session; until then it costs nothing."""

    def __init__(
        self, host: str = "127.0.0.1", port: int = 0, observer: Observer = UNOBSERVED
    ) -> None:
        self._host = host
        self._port = port
        self._observer = observer
        self._lock = threading.Lock()
        self._sessions: dict[str, BrokerSession] = {}
        self._server: object | None = None
        self.url = ""

    def open_session(self) -> BrokerSession:
        self.start()
        session = BrokerSession()
        with self._lock:
            self._sessions[session.token.reveal()] = session
        return session

    def close_session(self, session: BrokerSession) -> None:
        with self._lock:
            self._sessions.pop(session.token.reveal(), None)

    def _open_catalog(self, bearer: str | None) -> BrokeredCatalog:
        with self._lock:
            session = self._sessions.get(bearer or "")
        if session is None:
            raise AccessError(
                ErrorCode.AUTHENTICATION_FAILED, "The broker does not know this token."
            )
        return session.catalog

    def start(self) -> None:
        """Listens. Idempotent; the port being taken is a ResourceError."""
        with self._lock:
            if self._server is not None:
                return
            # Imported here: the HTTP stack is not needed before the first Spark session.
            from sqe.catalog.rest.routes import catalog_app
            from sqe.http.serving import HttpThread, ServingOptions

            server = HttpThread(
                catalog_app(self._open_catalog, observer=self._observer),
                self._host,
                self._port,
                ServingOptions(setting="serve.broker_port"),
            )
            port = server.start()
            self._server = server
            self.url = f"http://{self._host}:{port}"

    def close(self) -> None:
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.stop()  # type: ignore[attr-defined]
