"""Arrow's own integration client, written in Go, against SQE's wire layer with canned answers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.auth.anonymous import Anonymous
from sqe.auth.chain import Authenticators
from sqe.auth.hashing import hash_password
from sqe.auth.static_users import StaticUsers
from sqe.auth.user_table import StaticUser, constant_users
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.flight.serving import Serving
from tests.flight_clients.canned import canned_server
from tests.flight_clients.golang import NoGo, scenarios

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

# The user the client logs in as, and the only one it knows.
ARROW = StaticUser("arrow", hash_password(Secret("flight"), ScryptCost(p=1)))


@pytest.fixture(scope="module")
def client() -> Path:
    try:
        return scenarios()
    except NoGo as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def serving(clients_home: Path) -> Iterator[Serving]:
    with Serving.start(clients_home, flight={"enabled": False}) as started:
        yield started


@pytest.fixture(scope="module")
def port(serving: Serving) -> Iterator[int]:
    server = canned_server(serving.server.gateway, Authenticators([Anonymous()]))
    yield server.start()
    server.stop()


def run(client: Path, port: int, scenario: str) -> subprocess.CompletedProcess[str]:
    command = [str(client), "-host", "127.0.0.1", "-port", str(port), "-scenario", scenario]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    "scenario",
    [
        "flight_sql",
        "session_options",
        "expiration_time:do_get",
        "expiration_time:cancel_flight_info",
        "expiration_time:renew_flight_endpoint",
        "middleware",
    ],
)
def test_scenario(client: Path, port: int, scenario: str) -> None:
    done = run(client, port, scenario)
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_password_in_the_payload_of_a_handshake_lets_nobody_in(
    client: Path, serving: Serving
) -> None:
    """Drivers of today send it as a header; nothing but that is looked at."""
    who = Authenticators([StaticUsers(constant_users({"arrow": ARROW}))])
    server = canned_server(serving.server.gateway, who)
    port = server.start()
    for _ in range(10):
        done = run(client, port, "auth:basic_proto")
        assert done.returncode != 0
        # Go's client is told of a stream that has ended before it had sent all, and not why.
        if not done.stderr.startswith("panic: EOF"):
            break
    server.stop()
    assert "AUTHENTICATION_FAILED" in done.stderr


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        # It lists what a server of that scenario can do; SQE can do more.
        ("expiration_time:list_actions", "action types aren't expected"),
        # It sends plans of Substrait, and wants savepoints.
        ("flight_sql:extension", "did not match"),
        # It loads a temporary table within a transaction that was never begun.
        ("flight_sql:ingestion", "NOT_SUPPORTED"),
        # pyarrow has no PollFlightInfo.
        ("poll_flight_info", "Unimplemented"),
    ],
)
def test_what_is_not_for_sqe_is_refused_in_words(
    client: Path, port: int, scenario: str, said: str
) -> None:
    done = run(client, port, scenario)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
