"""What ANALYZE writes is used: with cost-based plans on, Spark joins in another order."""

from __future__ import annotations

import re

import pytest

from sqe.settings import Settings
from tests.embedded.conftest import SESSION_CONF, Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

COST_BASED = {"spark.sql.cbo.enabled": "true", "spark.sql.cbo.joinReorder.enabled": "true"}
# Many people have many names, so one name is one row: more is left out than by one of three kinds.
QUERY = (
    "SELECT count(*) FROM fact JOIN kinds ON fact.k = kinds.k JOIN people ON fact.p = people.p"
    " WHERE people.name = 'n7' AND kinds.kind = 'm1'"
)


def _scans(lake: Lake) -> list[str]:
    """The tables in the order of the plan, which is the order of its joins."""
    return re.findall(r"BatchScan lake\.default\.(\w+)", lake.explained(f"EXPLAIN {QUERY}"))


def test_a_join_order_changes_after_analyze(another: Another) -> None:
    lake = another(Settings(), {**SESSION_CONF, **COST_BASED})
    lake.all(
        "CREATE TABLE fact AS SELECT id % 100 AS p, id % 50 AS k FROM range(20000)",
        "CREATE TABLE people AS SELECT id AS p, concat('n', id) AS name FROM range(1000)",
        "CREATE TABLE kinds AS SELECT id AS k, concat('m', id % 3) AS kind FROM range(200)",
    )
    answer = lake.value(QUERY)
    assert _scans(lake) == ["fact", "kinds", "people"]
    lake.all(
        "ANALYZE TABLE people COMPUTE STATISTICS FOR ALL COLUMNS",
        "ANALYZE TABLE kinds COMPUTE STATISTICS FOR ALL COLUMNS",
    )
    assert _scans(lake) == ["fact", "people", "kinds"]
    assert lake.value(QUERY) == answer
