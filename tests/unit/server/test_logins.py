"""What a server tells those who have nothing to show yet, and tokens that change meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.flight as flight
import pytest

import sqe.client
from sqe.client.flight.logins import LoginIssuer, issuers_of
from sqe.client.flight.options import FlightOptions
from sqe.model.identity import Secret
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.unit.auth.oidc.issuer import CLIENT, LocalIssuer, issuing


@pytest.fixture
def issuer() -> Iterator[LocalIssuer]:
    with issuing() as made:
        yield made


@pytest.fixture
def server(issuer: LocalIssuer, tmp_path: Path) -> Iterator[Server]:
    known = {"issuer": issuer.url, "audience": [CLIENT], "user_prefix": "", "skew_s": 0}
    given = {
        "home": tmp_path / "lake",
        "flight": {"port": 0},
        "auth": {
            "oidc": {
                "one": {**known, "cli_client_id": "sqe-cli", "client_id": "sqe"},
                "two": {**known, "issuer": f"{issuer.url}2", "user_prefix": "two-"},
            }
        },
    }
    made = build(Settings.model_validate(given))
    yield made
    made.close()


def test_it_says_where_to_log_in_and_nothing_else(server: Server, issuer: LocalIssuer) -> None:
    address = server.listen()
    assert issuers_of(FlightOptions.of(address, {})) == [
        LoginIssuer(issuer.url, "sqe-cli", ("openid",))
    ]
    with flight.FlightClient(address) as client:
        for action in ("sqe.WhoAmI", "GetSessionOptions", "sqe.Logins "):
            with pytest.raises(flight.FlightUnauthenticatedError):
                list(client.do_action(flight.Action(action, b"")))


def test_a_session_goes_on_with_the_newer_token_of_its_login(
    server: Server, issuer: LocalIssuer
) -> None:
    shown: list[str] = []

    def token() -> Secret:
        shown.append(issuer.token("alice", sid="one login"))
        return Secret(shown[-1])

    with sqe.client.connect(server.listen(), token=token) as connection:
        connection.execute("SET SESSION sqe.engine = 'local'")
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
        assert connection.transport.user() == "alice"
    assert len(set(shown)) > 2
    assert server.status()["sessions"] == 0
