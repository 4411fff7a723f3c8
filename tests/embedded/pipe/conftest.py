"""Tables that the tests of the pipe share and do not change."""

from __future__ import annotations

import pytest

from tests.embedded.pipe.lake import Lake


@pytest.fixture(scope="session")
def tables(shared_lake: Lake) -> Lake:
    """``s.t`` and ``s2.t``, of the same name on purpose."""
    shared_lake.all(
        "CREATE SCHEMA s",
        "CREATE SCHEMA s2",
        "CREATE TABLE s.t AS SELECT * FROM VALUES (1, 'x'), (2, 'y'), (3, NULL) AS v(a, b)",
        "CREATE TABLE s2.t AS SELECT 2 AS a, 'zz' AS c",
    )
    return shared_lake
