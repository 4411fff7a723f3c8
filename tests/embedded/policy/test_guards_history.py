"""Older states of a restricted table: today's policy applies to the columns it is about, whatever
they were called then, or the query is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ConstantMask
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def old(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA old",
        "CREATE TABLE old.t AS SELECT * FROM VALUES (1, 'a', 'x'), (2, 'b', 'y') AS v(id, d, s)",
        "ALTER TABLE old.t CREATE TAG first",
        "INSERT INTO old.t VALUES (3, 'a', 'z')",
        "ALTER TABLE old.t ADD COLUMN more STRING",
        "INSERT INTO old.t VALUES (4, 'a', 'w', 'm')",
        "ALTER TABLE old.t CREATE BRANCH side",
        # In renamed, ``s`` is the name of what was ``secret`` when the tag was made.
        "CREATE TABLE old.renamed AS SELECT 1 AS id, 'open' AS s, 'hidden' AS secret",
        "ALTER TABLE old.renamed CREATE TAG first",
        "ALTER TABLE old.renamed DROP COLUMN s",
        "ALTER TABLE old.renamed RENAME COLUMN secret TO s",
        "CREATE TABLE old.dropped AS SELECT 1 AS id, 'gone' AS secret",
        "ALTER TABLE old.dropped CREATE TAG first",
        "ALTER TABLE old.dropped DROP COLUMN secret",
    )
    return shared_lake


@pytest.fixture(params=["spark", "auto"])
def mine(old: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    own = old.another_session(engine=request.param)
    own.run("USE old")
    yield own
    own.close()


PART = Restrict("test", (RowFilter("d = 'a'"),), {"s": ConstantMask("*")})


@pytest.mark.parametrize(
    ("read", "rows"),
    [
        ("t", [(1, "a", "*", None), (3, "a", "*", None), (4, "a", "*", "m")]),
        ("t VERSION AS OF 'first'", [(1, "a", "*")]),
        ("t.tag_first", [(1, "a", "*")]),
        ("t.branch_side", [(1, "a", "*", None), (3, "a", "*", None), (4, "a", "*", "m")]),
    ],
)
def test_todays_policy_applies_to_older_states(
    mine: Lake, read: str, rows: list[tuple[object, ...]]
) -> None:
    with mine.rules.on("lake.old.t", PART):
        assert mine.rows(f"SELECT * FROM {read} ORDER BY id") == rows


def test_a_snapshot_by_its_number_is_read_with_its_own_columns(mine: Lake) -> None:
    first = mine.value("SELECT min_by(snapshot_id, committed_at) FROM t.snapshots")
    with mine.rules.on("lake.old.t", PART):
        assert mine.rows(f"SELECT * FROM t VERSION AS OF {first}") == [(1, "a", "*")]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM renamed VERSION AS OF 'first'",
        "SELECT * FROM renamed.tag_first",
        "SELECT * FROM renamed TIMESTAMP AS OF '2020-01-01'",
        "SELECT * FROM renamed TIMESTAMP AS OF now()",
    ],
)
def test_a_name_that_meant_another_column_is_not_read(mine: Lake, sql: str) -> None:
    masked = Restrict("test", masks={"s": ConstantMask("*")})
    with mine.rules.on("lake.old.renamed", masked):
        assert mine.rows("SELECT * FROM renamed") == [(1, "*")]
        error = mine.fails(sql)
    assert error.code is ErrorCode.ACCESS_DENIED and "hidden" not in str(error)


def test_a_column_that_was_dropped_is_not_read(mine: Lake) -> None:
    with mine.rules.on("lake.old.dropped", Restrict("test", (RowFilter("id = 1"),))):
        assert mine.rows("SELECT * FROM dropped VERSION AS OF 'first'") == [(1,)]
        error = mine.fails("SELECT secret FROM dropped VERSION AS OF 'first'")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND


def test_a_filter_on_a_column_that_was_not_there_yet_refuses_the_query(mine: Lake) -> None:
    with mine.rules.on("lake.old.t", Restrict("test", (RowFilter("more = 'm'"),))):
        assert mine.rows("SELECT id FROM t") == [(4,)]
        assert mine.fails("SELECT id FROM t.tag_first").code is ErrorCode.ACCESS_DENIED


def test_a_query_cannot_choose_the_version(mine: Lake) -> None:
    with mine.rules.on("lake.old.t", PART):
        error = mine.fails("SELECT * FROM t TIMESTAMP AS OF (SELECT max(more) FROM t)")
    assert error.code is ErrorCode.NOT_SUPPORTED
