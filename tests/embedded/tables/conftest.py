"""A schema of each test's own, and two sessions in it: one per engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embedded.pipe.lake import Lake
from tests.embedded.tables.desk import Desk


@pytest.fixture
def desk(mine: Lake, request: pytest.FixtureRequest) -> Iterator[Desk]:
    schema = "".join(c if c.isalnum() else "_" for c in request.node.name)[:60]
    mine.run(f"CREATE SCHEMA {schema}")
    local = mine.another_session(engine="local")
    for lake in (mine, local):
        lake.run(f"USE {schema}")
    yield Desk(mine, local, schema)
    mine.run(f"DROP SCHEMA {schema} CASCADE")
    local.close()
