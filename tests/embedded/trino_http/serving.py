"""A server of Trino's protocol, and Trino's own Python client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import trino

from sqe.server.build import Server, build
from sqe.settings import Settings


@dataclass
class Serving:
    """A server of this process and where it listens."""

    server: Server
    url: str

    @classmethod
    @contextmanager
    def start(cls, home: Path, **given: Any) -> Iterator[Serving]:
        settings = {
            "home": home,
            "spark": {"remote": "sc://127.0.0.1:1"},  # nobody is there, and nobody is needed
            **given,
            "trino": {"port": 0, **given.get("trino", {})},
        }
        server = build(Settings.model_validate(settings))
        try:
            yield cls(server, server.listen_trino())
        finally:
            server.close()

    def connect(self, **options: Any) -> trino.dbapi.Connection:
        address = urlsplit(self.url)
        defaults: dict[str, Any] = {"user": "lab", "catalog": "lake", "schema": "shop"}
        return trino.dbapi.Connection(
            host="localhost" if address.scheme == "https" else "127.0.0.1",
            port=address.port,
            http_scheme=address.scheme,
            **{**defaults, **options},
        )

    def ask(self, text: str, parameters: Any = None, **options: Any) -> list[list[Any]]:
        with self.connect(**options) as connection:
            return ask(connection, text, parameters)


def ask(connection: trino.dbapi.Connection, text: str, parameters: Any = None) -> list[list[Any]]:
    cursor = connection.cursor()
    cursor.execute(text, parameters)
    found: list[list[Any]] = cursor.fetchall()
    return found
