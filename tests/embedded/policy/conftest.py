"""The table of users who see some of its rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embedded.pipe.lake import Lake
from tests.embedded.policy.limited import IT, Table, add_schema, limited_table


@pytest.fixture(scope="module")
def checks(shared_lake: Lake) -> Lake:
    add_schema(shared_lake)
    return shared_lake


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", "copy-on-write"))


@pytest.fixture
def limited(checks: Lake, request: pytest.FixtureRequest, mode: str) -> Iterator[Table]:
    with limited_table(checks, getattr(request, "param", IT), mode) as table:
        yield table
