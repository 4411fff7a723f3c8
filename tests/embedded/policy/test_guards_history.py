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
        *(
            f"CREATE TABLE old.{name} AS SELECT * FROM VALUES (1, 'x'), (2, 'y') AS v(id, s)"
            for name in ("added", "same")
        ),
        "ALTER TABLE old.added ADD COLUMN mor STRING",
        "ALTER TABLE old.added RENAME COLUMN mor TO more",
        "INSERT INTO old.added VALUES (3, 'z', 'm')",
        "INSERT INTO old.same VALUES (3, 'z')",
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


@pytest.mark.parametrize("read", ["renamed VERSION AS OF 'first'", "renamed.tag_first"])
def test_a_name_that_meant_another_column_means_todays(mine: Lake, read: str) -> None:
    masked = Restrict("test", masks={"s": ConstantMask("*")})
    with mine.rules.on("lake.old.renamed", masked):
        assert mine.rows("SELECT * FROM renamed") == [(1, "*")]
        assert mine.run(f"SELECT * FROM {read}").to_pylist() == [{"id": 1, "s": "*"}]
        error = mine.fails(f"SELECT secret FROM {read}")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND
    filtered = Restrict("test", (RowFilter("s = 'hidden'"),))
    with mine.rules.on("lake.old.renamed", filtered):
        assert mine.rows(f"SELECT * FROM {read}") == [(1, "hidden")]
    by_schema = Restrict("test", (RowFilter("old.renamed.s = 'hidden'"),))
    with mine.rules.on("lake.old.renamed", by_schema):
        assert mine.fails(f"SELECT * FROM {read}").code is ErrorCode.ACCESS_DENIED


def test_a_column_that_was_dropped_is_not_read(mine: Lake) -> None:
    with mine.rules.on("lake.old.dropped", Restrict("test", (RowFilter("id = 1"),))):
        assert mine.rows("SELECT * FROM dropped VERSION AS OF 'first'") == [(1,)]
        error = mine.fails("SELECT secret FROM dropped VERSION AS OF 'first'")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND


def test_a_column_that_a_rule_asks_about_and_was_not_there_yet_is_null(mine: Lake) -> None:
    with mine.rules.on("lake.old.t", Restrict("test", (RowFilter("more = 'm'"),))):
        assert mine.rows("SELECT id FROM t") == [(4,)]
        assert mine.rows("SELECT id FROM t.tag_first") == []
    hidden = Restrict("test", (RowFilter("more IS NULL"),), hidden=frozenset({"more"}))
    with mine.rules.on("lake.old.t", hidden):
        rows = mine.rows("SELECT * FROM t VERSION AS OF 'first' ORDER BY id")
        assert rows == [(1, "a", "x"), (2, "b", "y")]


def test_a_query_cannot_choose_the_version(mine: Lake) -> None:
    with mine.rules.on("lake.old.t", PART):
        error = mine.fails("SELECT * FROM t TIMESTAMP AS OF (SELECT max(more) FROM t)")
    assert error.code is ErrorCode.NOT_SUPPORTED


NEVER = "2001-01-01 00:00:00"
MISSING = [
    "{t} VERSION AS OF 'none'",
    "{t} VERSION AS OF 7",
    "{t}.branch_none",
    "{t}.tag_none",
    "{t}.snapshot_id_7",
    f"{{t}} TIMESTAMP AS OF '{NEVER}'",
    "{t}.at_timestamp_978307200000",
    "{t} TIMESTAMP AS OF now() - INTERVAL 9000 DAYS",
    "{t} TIMESTAMP AS OF concat('2026', '-01-01')",
    "{t}.snapshots",
    "{t} WITH ('start-snapshot-id' = '7')",
]


def test_nothing_tells_that_a_hidden_column_was_added_or_renamed(mine: Lake) -> None:
    """The same rows and errors as of a table whose columns have always been the same."""
    hidden = Restrict("test", (RowFilter("id > 0"),), hidden=frozenset({"more"}))
    same = Restrict("test", (RowFilter("id > 0"),))
    now = ["{t} TIMESTAMP AS OF now()", "{t} FOR SYSTEM_TIME AS OF current_timestamp()", "{t}"]
    answers: dict[str, list[tuple[object, ...]]] = {"added": [], "same": []}
    for name, rule in (("added", hidden), ("same", same)):
        with mine.rules.on(f"lake.old.{name}", rule):
            for read in MISSING:
                error = mine.fails("SELECT id, s FROM " + read.format(t=name))
                words = str(error).replace(name, "t")
                answers[name].append((read, error.code, words))
            for read in now:
                rows = mine.rows("SELECT id, s FROM " + read.format(t=name) + " ORDER BY id")
                answers[name].append((read, *rows))
    assert answers["added"] == answers["same"]
    assert {answer[1] for answer in answers["same"][:6]} == {ErrorCode.SNAPSHOT_NOT_FOUND}


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_a_moment_means_what_it_means_to_everybody(mine: Lake, zone: str) -> None:
    mine.run(f"SET TIME ZONE '{zone}'")
    [(first,)] = mine.rows(
        "SELECT date_format(min(committed_at), 'yyyy-MM-dd HH:mm:ss.SSS') FROM t.snapshots"
    )
    later = f"t TIMESTAMP AS OF '{first}'", f"t TIMESTAMP AS OF TIMESTAMP '{first}'"
    before = f"t TIMESTAMP AS OF TIMESTAMP '{first}' - INTERVAL 1 SECOND"
    whole = [mine.rows(f"SELECT id FROM {read} ORDER BY id") for read in later]
    assert whole == [[(1,), (2,)]] * 2
    assert mine.fails(f"SELECT id FROM {before}").code is ErrorCode.SNAPSHOT_NOT_FOUND
    with mine.rules.on("lake.old.t", PART):
        assert [mine.rows(f"SELECT id FROM {read}") for read in later] == [[(1,)]] * 2
        assert mine.fails(f"SELECT id FROM {before}").code is ErrorCode.SNAPSHOT_NOT_FOUND
