"""Each kind of database that SQE may keep its things in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.model.identity import Secret
from sqe.store.database import Database
from tests.unit.store.postgresql import installed, place, running, schema_in


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL of this run's own, on a socket."""
    programs = installed()
    if programs is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with place() as folder, running(programs, folder) as made:
        yield made.url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> Secret | None:
    """None: the file in the home. A PostgreSQL has a schema of this test's own."""
    if request.param == "sqlite":
        return None
    address: str = request.getfixturevalue("postgresql")
    return Secret(schema_in(address))


@pytest.fixture
def database(tmp_path: Path, url: Secret | None) -> Iterator[Database]:
    made = Database(tmp_path, url)
    yield made
    made.close()
