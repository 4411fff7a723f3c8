"""A server of SQE's with Trino's protocol, for recorded questions."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.auth.anonymous import ANONYMOUS
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.trino.asking import USER, Answer, Client
from tests.trino.tpch import make_tiny

# As many as keep both engines busy: while one statement is planned, another one runs.
_AT_ONCE = 4


@dataclass(frozen=True)
class Served:
    """A server and where it listens. ``engine`` of its methods is ``sqe.engine``."""

    server: Server
    address: str

    def client(self, catalog: str = "", engine: str = "auto") -> Client:
        return Client(self.address, catalog, properties={"sqe.engine": engine})

    def answers(self, texts: Iterable[str], engine: str = "auto") -> list[Answer]:
        """In the order of the texts, which must not depend on each other."""
        mine = threading.local()
        clients: list[Client] = []

        def connect() -> None:
            mine.client = self.client(engine=engine)
            clients.append(mine.client)

        with ThreadPoolExecutor(_AT_ONCE, initializer=connect) as threads:
            found = list(threads.map(lambda text: mine.client.ask(text), texts))
        for client in clients:
            client.close()
        return found


@contextmanager
def serving(home: Path, given: dict[str, Any], loadable: Path | None = None) -> Iterator[Served]:
    """With ``tpch.tiny`` if there is a folder it can be loaded from. Clients are the user of the
    recordings, whom nobody knows otherwise."""
    settings = {"home": home, "trino": {"port": 0, "impersonation": [f"{ANONYMOUS} -> {USER}"]}}
    if loadable is not None:
        settings["load"] = {"folders": [loadable]}
    server = build(Settings.model_validate({**settings, **given}))
    try:
        if loadable is not None:
            make_tiny(server.gateway, loadable)
        yield Served(server, server.listen_trino())
    finally:
        server.close()
