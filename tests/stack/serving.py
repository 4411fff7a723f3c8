"""An SQE server on the stack, and people who ask it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqe.client
from dev.stack.keycloak import password_grant
from dev.stack.people import MANY, PEOPLE, SQE, Client
from dev.stack.places import Places
from dev.stack.summary import settings as stack_settings
from sqe.server.build import Server, build
from sqe.settings import Settings

PASSWORDS = {person.name: person.password for person in PEOPLE + MANY}


def access_token(places: Places, user: str, client: Client = SQE) -> str:
    """A new token of that user, at the realm ``sqe``."""
    known = {"client_id": client.name, "client_secret": client.secret}
    given = {"username": user, "password": PASSWORDS[user]}
    return password_grant(places.issuer, {**known, **given})


@dataclass(frozen=True)
class Serving:
    """A server in this process, listening for Flight SQL and Trino's protocol."""

    server: Server
    places: Places
    flight: str
    trino: str

    @contextmanager
    def connected(self, user: str, /, **options: Any) -> Iterator[sqe.client.Connection]:
        """As that user, by a bearer token unless ``options`` say otherwise."""
        given = options or {"token": access_token(self.places, user)}
        with sqe.client.connect(self.flight, **given) as connection:
            yield connection

    def rows(self, user: str, sql: str) -> list[tuple[Any, ...]]:
        """The answer to that user, in a session of its own."""
        with self.connected(user) as connection:
            return connection.execute(sql).fetchall()


@contextmanager
def serving(places: Places, home: Path, changes: Mapping[str, Any]) -> Iterator[Serving]:
    """A server with the stack's settings, and these over them (by section)."""
    values = tomllib.loads(stack_settings(places))
    for section, value in changes.items():
        old = values.get(section)
        values[section] = {**old, **value} if isinstance(old, dict) else value
    server = build(Settings.model_validate({**values, "home": home}))
    try:
        server.start()
        flight = server.listen("127.0.0.1", 0)
        yield Serving(server, places, flight, server.listen_trino("127.0.0.1", 0))
    finally:
        server.close()
