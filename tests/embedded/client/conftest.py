"""Both transports, on one server: the suite's tests run over each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from pydantic import SecretStr

import sqe.client
from sqe.auth.configured import authenticators
from sqe.auth.hashing import hash_password, hash_token
from sqe.client.connection import Connection
from sqe.client.embedded import EmbeddedTransport
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import ScryptCost
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.settings.access import AuthSettings, UserSettings
from tests.embedded.pipe.lake import Lake

PASSWORD = "correct horse"
TOKEN = "a-token-of-bens-that-is-long-enough"
Open = Callable[[], Connection]


@dataclass(frozen=True)
class Served:
    """A Flight SQL server with ann (a password) and ben (a token)."""

    port: int

    @property
    def url(self) -> str:
        return f"grpc://127.0.0.1:{self.port}"

    def connect(self) -> Connection:
        return sqe.client.connect(self.url, user="ann", password=PASSWORD)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cancel-cases", type=int, help="how many statements are cancelled")
    parser.addoption("--cancel-seed", type=int, help="which ones, and when")


_cancel_seconds: list[float] = []


@pytest.fixture
def cancel_seconds() -> list[float]:
    """From each cancel to the end of the work."""
    return _cancel_seconds


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found = sorted(_cancel_seconds)
    if found:
        late = sum(seconds > 2 for seconds in found)
        terminalreporter.write_line(
            f"work ended after a cancel: median {found[len(found) // 2]:.2f} s, "
            f"95 % {found[len(found) * 95 // 100]:.2f} s, longest {found[-1]:.2f} s; "
            f"{late} of {len(found)} took more than 2 s"
        )


def users() -> AuthSettings:
    password = hash_password(Secret(PASSWORD), ScryptCost(p=1)).write()
    token = f"sha256:{hash_token(Secret(TOKEN)).hex()}"
    return AuthSettings(
        users={
            "ann": UserSettings(password=SecretStr(password)),
            "ben": UserSettings(tokens=(SecretStr(token),)),
        }
    )


@pytest.fixture(scope="session")
def served(shared_lake: Lake) -> Iterator[Served]:
    server = FlightSqlServer(
        shared_lake.server.gateway, authenticators(users()), FlightOptions(port=0)
    )
    yield Served(server.start())
    server.stop()


def embedded_connection(lake: Lake) -> Connection:
    gateway = lake.server.gateway
    return Connection(EmbeddedTransport(gateway, gateway.open_session(Identity("ann")), "tests"))


@pytest.fixture(params=["embedded", "flight"])
def opened(request: pytest.FixtureRequest, shared_lake: Lake, served: Served) -> Iterator[Open]:
    """Connections of this test, over one of the transports; closed at its end."""
    found: list[Connection] = []

    def new() -> Connection:
        embedded = request.param == "embedded"
        found.append(embedded_connection(shared_lake) if embedded else served.connect())
        return found[-1]

    yield new
    for connection in found:
        connection.close()


@pytest.fixture
def connection(opened: Open) -> Connection:
    return opened()


@pytest.fixture(scope="session")
def tables(shared_lake: Lake) -> Lake:
    """``client.people`` and the view ``client.adults``, which tests do not change."""
    shared_lake.all(
        "CREATE SCHEMA client",
        "CREATE TABLE client.people (id BIGINT NOT NULL COMMENT 'key', name STRING, "
        "height DECIMAL(5, 2), born DATE, seen TIMESTAMP, met TIMESTAMP_NTZ, tags ARRAY<STRING>, "
        "home STRUCT<city: STRING, zip: INT>, marks MAP<STRING, INT>, photo BINARY)",
        "INSERT INTO client.people VALUES (1, 'Ann', 1.70, DATE '1990-05-01', "
        "TIMESTAMP '2024-05-01 12:00:00', TIMESTAMP_NTZ '2024-05-01 12:00:00', array('a', NULL), "
        "named_struct('city', 'Wien', 'zip', 1010), map('x', 1), X'00FF'), "
        "(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        "CREATE VIEW client.adults AS SELECT id, name FROM client.people",
    )
    return shared_lake
