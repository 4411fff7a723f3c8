"""Real clients, and the servers they are tried on: one without Spark, one that writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sqe.auth.chain import Authenticators
from sqe.auth.hashing import hash_password, hash_token
from sqe.auth.static_users import StaticUsers
from sqe.auth.user_table import StaticUser, constant_users
from sqe.engines.spark.java import Java
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from tests.embedded.flight.serving import Serving, make_lakehouse
from tests.embedded.pipe.lake import Lake
from tests.flight_clients.jdbc import Jdbc

PASSWORD = "Grüße & 100% = ?"  # what has to be written differently in a URL
TOKEN = "sqe_a-token-that-nobody-would-guess"
SCHEMA = "clients"


@dataclass(frozen=True)
class Reachable:
    """A server that ``ann`` can log in to."""

    port: int
    tls: bool = False

    @property
    def uri(self) -> str:
        return f"grpc{'+tls' if self.tls else ''}://127.0.0.1:{self.port}"


def ann() -> StaticUser:
    password = hash_password(Secret(PASSWORD), ScryptCost(p=1))
    return StaticUser("ann", password, (hash_token(Secret(TOKEN)),))


def users() -> dict[str, Any]:
    """The same user as settings say it."""
    user = ann()
    assert user.password is not None
    token = f"sha256:{user.tokens[0].hex()}"
    return {"ann": {"password": user.password.write(), "tokens": [token]}}


@pytest.fixture(scope="session")
def clients_home(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_lakehouse(tmp_path_factory.mktemp("clients home"))


@pytest.fixture(scope="session")
def reading(clients_home: Path) -> Iterator[Reachable]:
    """Without Spark. It has the tables of ``make_lakehouse``."""
    with Serving.start(clients_home, auth={"users": users()}) as serving:
        yield Reachable(serving.port)


@pytest.fixture(scope="session")
def writing(shared_lake: Lake) -> Iterator[Reachable]:
    """With Spark, and an empty schema ``clients``."""
    shared_lake.run(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    who = Authenticators([StaticUsers(constant_users({"ann": ann()}))])
    server = FlightSqlServer(shared_lake.server.gateway, who, FlightOptions())
    yield Reachable(server.start())
    server.stop()


@pytest.fixture(scope="session")
def jdbc(java: Java) -> Iterator[Jdbc]:
    opened = Jdbc(java)
    yield opened
    opened.close()
