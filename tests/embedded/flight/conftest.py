"""A Flight SQL server without Spark: the local engine and the coordinator answer everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.auth.hashing import hash_password
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.flight.serving import Serving, make_lakehouse

PASSWORDS = {"ann": "correct horse", "bob": "battery staple"}


@pytest.fixture(scope="session")
def flight_home(_isolated_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_lakehouse(tmp_path_factory.mktemp("flight home"))


@pytest.fixture(scope="session")
def shared_flight(flight_home: Path) -> Iterator[Serving]:
    users = {
        name: {"password": hash_password(Secret(password), ScryptCost(p=1)).write()}
        for name, password in PASSWORDS.items()
    }
    with Serving.start(flight_home, auth={"anonymous": True, "users": users}) as serving:
        yield serving


@pytest.fixture
def flight(shared_flight: Serving) -> Serving:
    """The server that tests share: what one opens it closes."""
    return shared_flight
