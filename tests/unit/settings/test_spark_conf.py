"""Which Spark settings are known to leave answers alone."""

from __future__ import annotations

import pytest

from sqe.settings.spark_conf import MEANING, changes_meaning


@pytest.mark.parametrize(
    "key",
    [
        "spark.executor.memory",
        "spark.sql.shuffle.partitions",
        "spark.sql.adaptive.enabled",
        "spark.sql.cbo.joinReorder.enabled",
    ],
)
def test_how_a_query_is_run_does_not_change_its_answer(key: str) -> None:
    assert changes_meaning([key]) == ""


@pytest.mark.parametrize(
    "key", [*MEANING, "spark.sql.legacy.anything", "spark.SQL.Ansi.Enabled", "spark.sql.newThing"]
)
def test_everything_else_under_sql_may(key: str) -> None:
    assert changes_meaning(["spark.executor.memory", key]) == key
