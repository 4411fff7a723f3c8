"""SET of Spark's settings: they reach Spark and change no view and no rule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from tests.embedded.pipe.lake import Lake

pytestmark = pytest.mark.spark

ORDINAL = "spark.sql.groupByOrdinal"


@pytest.fixture
def mine(lake: Lake) -> Iterator[Lake]:
    """A session of its own, whose settings the test may change."""
    lake.all(
        "CREATE SCHEMA IF NOT EXISTS settings",
        "CREATE TABLE settings.t AS SELECT * FROM VALUES (1, 2), (1, 3) v(a, b)",
    )
    other = lake.another_session()
    yield other
    other.close()
    lake.run("DROP TABLE settings.t")


def test_a_setting_holds_in_its_session_alone(lake: Lake, mine: Lake) -> None:
    query = "SELECT a + 0 AS c, count(*) FROM settings.t GROUP BY 1"
    assert mine.rows(query) == [(1, 2)]
    mine.run(f"SET {ORDINAL} = false")
    assert mine.fails(query).code is ErrorCode.USER_ERROR
    assert lake.rows(query) == [(1, 2)]
    mine.run(f"RESET {ORDINAL}")
    assert mine.rows(query) == [(1, 2)]


def test_the_local_engine_is_left_out(mine: Lake) -> None:
    mine.all(f"SET {ORDINAL} = false", "SET SESSION sqe.engine = 'local'")
    error = mine.fails("SELECT a FROM settings.t")
    assert error.code is ErrorCode.NOT_SUPPORTED
    assert f"{ORDINAL} is set" in error.message


def test_rules_and_views_are_not_read_under_a_setting_that_may_change_them(
    lake: Lake, mine: Lake
) -> None:
    lake.run("CREATE VIEW settings.v AS SELECT a, count(*) c FROM settings.t GROUP BY 1")
    mine.run(f"SET {ORDINAL} = false")
    for text in (
        "SELECT * FROM settings.v",
        "EXPLAIN SELECT * FROM settings.v",
        "CREATE VIEW settings.w AS SELECT 1 AS a GROUP BY 1",
        "CREATE TEMPORARY VIEW w AS SELECT 1 AS a GROUP BY 1",
    ):
        assert mine.fails(text).code is ErrorCode.NOT_SUPPORTED
    mine.run("CREATE TEMPORARY VIEW w AS SELECT 1 AS a")
    assert mine.rows("SELECT a FROM w GROUP BY a") == [(1,)]
    with lake.rules.on("lake.settings.t", Restrict("rule", filters=(RowFilter("b > 2"),))):
        error = mine.fails("SELECT * FROM settings.t")
        assert error.code is ErrorCode.NOT_SUPPORTED and ORDINAL in error.message
        mine.run(f"RESET {ORDINAL}")
        assert mine.rows("SELECT * FROM settings.t") == [(1, 3)]
    lake.run("DROP VIEW settings.v")
