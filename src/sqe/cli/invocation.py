"""One call of ``sqe``: its global options, and the server it talks to."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from sqe.audit.events import QueryEvent
    from sqe.cli.remote import Remote
    from sqe.client.transport import Transport
    from sqe.model.identity import Identity
    from sqe.model.names import SchemaName
    from sqe.model.query import QueryRecord, QueryRequest, Route, RowsAffected
    from sqe.results.description import Description
    from sqe.results.stream import ResultStream
    from sqe.server.state import Part
    from sqe.settings import Settings, SettingsSource


class OpenSession(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def schema(self) -> SchemaName: ...
    def close(self) -> None: ...


class ServerGateway(Protocol):
    """What the commands need of ``sqe.gateway.gateway.Gateway``."""

    def open_session(self, identity: Identity, schema: SchemaName | None = None) -> OpenSession: ...
    def submit(
        self, request: QueryRequest, listener: Callable[[QueryEvent], None] | None = None
    ) -> str: ...
    def fetch(self, query_id: str) -> ResultStream: ...
    def describe(self, request: QueryRequest) -> Description: ...
    def route(self, request: QueryRequest) -> Route: ...
    def cancel(self, query_id: str) -> None: ...
    def run_rows(
        self, request: QueryRequest, started: Callable[[str], None]
    ) -> RowsAffected | None: ...
    def record(self, query_id: str) -> QueryRecord: ...
    def begin(self, session_id: str) -> str: ...
    def commit(self, session_id: str, transaction_id: str) -> None: ...
    def rollback(self, session_id: str, transaction_id: str) -> None: ...


class Server(Protocol):
    """What the commands need of ``sqe.server.build``'s server."""

    @property
    def gateway(self) -> ServerGateway: ...
    def start(self, warm_spark: bool) -> None: ...
    def follow(self, source: SettingsSource) -> None: ...
    def reread_settings(self) -> None: ...
    def listen(self, host: str | None, port: int | None) -> str: ...
    def listen_trino(self, host: str | None, port: int | None) -> str: ...
    def listen_iceberg(self) -> str: ...
    def warm_local(self) -> None: ...
    def drain(self, seconds: float) -> None: ...
    def close(self, within: float | None = None) -> None: ...
    @property
    def listening(self) -> bool: ...
    def status(self) -> dict[str, Any]: ...
    def parts(self) -> Sequence[Part]: ...
    def exposition(self, accept: str = "") -> tuple[bytes, str] | None: ...


def _build(settings: Settings) -> Server:
    from sqe.server.build import build

    return build(settings)


@dataclass(frozen=True)
class Invocation:
    """``build`` is the seam at which tests put a server of their own."""

    home: Path | None = None
    config: Path | None = None
    build: Callable[[Settings], Server] = _build

    def at(self, home: Path | None, config: Path | None) -> Invocation:
        return replace(self, home=home or self.home, config=config or self.config)

    def settings(self) -> Settings:
        return self.settings_source().load()

    def settings_source(self) -> SettingsSource:
        """Where the settings come from, for who reads them again later."""
        from sqe.settings import find_settings

        return find_settings(self.config, {"home": str(self.home)} if self.home else None)

    def settings_in_home(self) -> Settings:
        """For who makes the home, if it is not there. One that was asked for and is new is told
        of: it may be a path that was mistyped."""
        settings = self.settings()
        if self.home is not None:
            from sqe.client.targets import is_home

            if not is_home(settings.home):
                import click

                click.echo(f"sqe: a new lakehouse is made in {settings.home}", err=True)
        return settings

    def open(self) -> Server:
        """The server of this process."""
        return self.build(self.settings_in_home().for_command())

    @contextmanager
    def session(self) -> Iterator[tuple[ServerGateway, OpenSession]]:
        """A gateway in this process, Spark not yet started, and a session of the current user."""
        from sqe.client.embedded import current_user
        from sqe.model.identity import Identity

        server = self.open()
        collect_garbage()
        try:
            server.start(warm_spark=False)
            session = server.gateway.open_session(Identity(user=current_user()))
            try:
                yield server.gateway, session
            finally:
                session.close()
        finally:
            server.close()

    @contextmanager
    def transport(
        self, source: str, files: frozenset[str] = frozenset(), remote: Remote | None = None
    ) -> Iterator[Transport]:
        """Where statements run: on that server, or else in this process. ``files`` are the
        caller's own, which their statements may load."""
        if remote is not None:
            opened = remote.open(source)
            collect_garbage()
            try:
                yield opened
            finally:
                opened.close()
            return
        from sqe.client.embedded import EmbeddedTransport

        with self.session() as (gateway, session):
            yield EmbeddedTransport(gateway, session, source, files)


def collect_garbage() -> None:
    """``main`` turned it off while modules were imported; what they made stays."""
    gc.freeze()
    gc.enable()
