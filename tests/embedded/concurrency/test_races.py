"""Names and columns that come and go while a statement runs, and creations that fail."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sqe.audit.events import QueryEvent
from sqe.errors import ErrorCode, SqeError
from tests.embedded.concurrency.meanwhile import SLOW, bound, run, turns, working
from tests.embedded.pipe.lake import Lake, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

Moment = Callable[[QueryEvent], bool]


def fails(lake: Lake, sql: str, when: Moment, do: Callable[[], None]) -> SqeError:
    with pytest.raises(SqeError) as raised:
        run(lake, sql, when, do)
    return raised.value


def traces(lake: Lake, name: str) -> list[str]:
    """What a table that is not there has left in the warehouse and in the listing."""
    files = (path for path in lake.home.glob(f"warehouse/*/{name}*/**/*") if path.is_file())
    return [str(path) for path in files] + [str(r) for r in lake.rows(f"SHOW TABLES LIKE '{name}'")]


@pytest.mark.parametrize("moment", [bound, working])
def test_a_name_taken_meanwhile_stays_the_others(mine: Lake, lake: Lake, moment: Moment) -> None:
    name = f"race_taken_{moment.__name__}"
    theirs = f"CREATE TABLE {name} AS SELECT 'other' AS b"
    sql = f"CREATE TABLE {name} AS SELECT {SLOW} AS a"
    error = fails(mine, sql, moment, lambda: lake.all(theirs))
    assert error.code is ErrorCode.TABLE_ALREADY_EXISTS
    assert lake.rows(f"SELECT b FROM {name}") == [("other",)]


def test_a_name_taken_meanwhile_is_no_error_if_not_exists(mine: Lake, lake: Lake) -> None:
    sql = f"CREATE TABLE IF NOT EXISTS race_perhaps AS SELECT {SLOW} AS a"
    run(mine, sql, working, lambda: lake.all("CREATE TABLE race_perhaps AS SELECT 'other' AS b"))
    assert lake.rows("SELECT b FROM race_perhaps") == [("other",)]


def test_a_table_dropped_meanwhile_is_created_by_or_replace(mine: Lake, lake: Lake) -> None:
    lake.run("CREATE TABLE race_replaced AS SELECT 1 AS old")
    sql = f"CREATE OR REPLACE TABLE race_replaced AS SELECT {SLOW} AS new"
    run(mine, sql, working, lambda: lake.all("DROP TABLE race_replaced"))
    assert lake.rows("SELECT new FROM race_replaced") == [(0,)]


def test_a_write_to_a_table_dropped_meanwhile_says_so(mine: Lake, lake: Lake) -> None:
    lake.run("CREATE TABLE race_dropped AS SELECT 1L AS a")
    sql = f"INSERT INTO race_dropped SELECT {SLOW}"
    error = fails(mine, sql, working, lambda: lake.all("DROP TABLE race_dropped"))
    assert error.code is ErrorCode.TABLE_NOT_FOUND
    assert "race_dropped" in str(error)


def test_a_write_to_a_table_made_anew_meanwhile_is_in_the_new_one(
    mine: Lake, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.all("CREATE TABLE race_anew AS SELECT 1L AS a", "CREATE TABLE race_next (a BIGINT)")
    turn = turns(monkeypatch)

    def make_anew() -> None:
        with turn:
            lake.all("DROP TABLE race_anew", "ALTER TABLE race_next RENAME TO race_anew")

    run(mine, f"INSERT INTO race_anew SELECT {SLOW}", working, make_anew)
    assert lake.rows("SELECT a FROM race_anew") == [(0,)]


def test_a_schema_dropped_meanwhile_is_said(mine: Lake, lake: Lake) -> None:
    lake.run("CREATE SCHEMA gone")
    sql = f"CREATE TABLE gone.t AS SELECT {SLOW} AS a"
    error = fails(mine, sql, working, lambda: lake.all("DROP SCHEMA gone"))
    assert error.code is ErrorCode.SCHEMA_NOT_FOUND


@pytest.mark.parametrize("engine", ["spark", "local"])
@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE {t} DROP COLUMN b",
        "ALTER TABLE {t} RENAME COLUMN b TO c",
        "DROP TABLE {t}",
        "TRUNCATE TABLE {t}",
    ],
)
def test_a_read_sees_the_table_as_it_was_bound(lake: Lake, engine: str, change: str) -> None:
    table = f"race_read_{engine}_{change.replace(' ', '_')[:20].lower().replace('{t}', '')}"
    lake.run(f"CREATE TABLE {table} AS SELECT 1 AS a, 'x' AS b")
    reader = lake.another_session(engine=engine)
    query = f"SELECT * FROM {table}"
    assert run(reader, query, bound, lambda: lake.all(change.format(t=table))) == [(1, "x")]
    reader.close()


def test_an_insert_fits_the_columns_when_it_runs(mine: Lake, lake: Lake) -> None:
    lake.run("CREATE TABLE race_widened AS SELECT 1 AS a")
    sql = "INSERT INTO race_widened VALUES (2)"
    error = fails(mine, sql, bound, lambda: lake.all("ALTER TABLE race_widened ADD COLUMN b INT"))
    assert error.category.value == "user"
    assert lake.rows("SELECT a, b FROM race_widened") == [(1, None)]


@pytest.mark.parametrize("replacing", [False, True])
def test_a_creation_that_fails_leaves_no_trace(mine: Lake, replacing: bool) -> None:
    name = f"race_failing_{replacing}".lower()
    rows = "SELECT id, 100 / (id - 15000) AS x FROM range(0, 20000, 1, 4)"
    if replacing:
        mine.run(f"CREATE TABLE {name} AS SELECT 1 AS old")
        assert mine.fails(f"CREATE OR REPLACE TABLE {name} AS {rows}").code is (
            ErrorCode.DIVISION_BY_ZERO
        )
        assert mine.rows(f"SELECT old FROM {name}") == [(1,)]
    else:
        assert mine.fails(f"CREATE TABLE {name} AS {rows}").code is ErrorCode.DIVISION_BY_ZERO
        assert traces(mine, name) == []


def test_a_cancelled_creation_leaves_no_trace(mine: Lake) -> None:
    gateway = mine.server.gateway
    query_id = mine.submit(f"CREATE TABLE race_cancelled AS SELECT id, {SLOW} AS x FROM range(100)")
    assert until(lambda: mine.record(query_id).progress.tasks > 0, 200)
    gateway.cancel(query_id)
    with pytest.raises(SqeError, match="cancelled"):
        gateway.fetch(query_id)
    assert until(lambda: mine.record(query_id).state.ended, 30)
    assert until(lambda: traces(mine, "race_cancelled") == [], 30), traces(mine, "race_cancelled")


@pytest.mark.parametrize("engine", ["spark", "auto"])
def test_files_that_vanish_under_a_read_are_said_to_be_missing(lake: Lake, engine: str) -> None:
    table = f"race_purged_{engine}"
    lake.run(f"CREATE TABLE {table} AS SELECT 1 AS a, 'x' AS b")
    reader = lake.another_session(engine=engine)
    error = fails(
        reader, f"SELECT * FROM {table}", bound, lambda: lake.all(f"DROP TABLE {table} PURGE")
    )
    assert error.code is ErrorCode.CORRUPT_DATA
    reader.close()
