"""What catalogs of the suite need to be opened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.store.postgresql import installed, place, running


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL of this run's own, on a socket."""
    programs = installed()
    if programs is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with place() as folder, running(programs, folder) as made:
        yield made.url
