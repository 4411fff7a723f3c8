"""``auto``: the local engine where it is proven, Spark for the rest, and the record says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.model.query import EngineKind, QueryRequest, Route
from sqe.settings import Settings
from sqe.settings.settings import LocalSettings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture
def auto(tables: Lake) -> Iterator[Lake]:
    own = tables.another_session(engine="auto")
    yield own
    own.close()


@pytest.fixture(scope="module")
def tables(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA auto",
        "CREATE TABLE auto.t AS SELECT * FROM VALUES (1, 'x'), (2, 'y'), (3, NULL) AS v(a, b)",
    )
    return shared_lake


def route_of(lake: Lake, sql: str) -> Route:
    lake.run(sql)
    route = lake.last_record().route
    assert route is not None
    return route


def test_a_proven_query_is_answered_locally_and_as_spark_does(auto: Lake, tables: Lake) -> None:
    sql = "SELECT b, a + 1 AS n FROM auto.t WHERE a < 3 ORDER BY a"
    here = auto.run(sql)
    route = auto.last_record().route
    assert route is not None
    assert route.engine is EngineKind.LOCAL
    assert here.equals(tables.run(sql))


def test_the_rest_is_sparks_and_the_reason_names_it(auto: Lake) -> None:
    route = route_of(auto, "SELECT soundex(b) FROM auto.t")
    assert route.engine is EngineKind.SPARK
    assert "soundex" in route.reason


def test_a_write_is_seen_by_the_next_query(auto: Lake) -> None:
    auto.run("CREATE TABLE auto.fresh AS SELECT 1 AS a")
    for count in (1, 2, 3):
        assert auto.value("SELECT count(*) FROM auto.fresh") == count
        last = auto.last_record().route
        assert last is not None
        assert last.engine is EngineKind.LOCAL
        auto.run("INSERT INTO auto.fresh VALUES (1)")


def test_explain_shows_the_engine_the_reason_and_the_operators(auto: Lake) -> None:
    plan = auto.explained("EXPLAIN SELECT b FROM auto.t WHERE a = 1")
    assert "Engine: local" in plan
    assert "Reason: everything in it is proven" in plan
    analyzed = auto.explained("EXPLAIN ANALYZE SELECT b FROM auto.t WHERE a >= 2")
    assert "Engine: local" in analyzed
    assert "2 rows" in analyzed


def test_the_route_is_told_before_anything_runs(auto: Lake) -> None:
    def why(sql: str) -> Route:
        return auto.server.gateway.route(QueryRequest(auto.session.id, sql))

    assert why("SELECT a FROM auto.t").engine is EngineKind.LOCAL
    found = why("SELECT soundex(b) FROM auto.t")
    assert (found.engine, bool(found.remedy)) == (EngineKind.SPARK, True)
    assert why("INSERT INTO auto.t VALUES (9, 'z')").engine is EngineKind.SPARK
    assert auto.value("SELECT count(*) FROM auto.t") == 3


def test_a_users_error_is_the_users(auto: Lake) -> None:
    auto.run("CREATE TABLE auto.zero AS SELECT 0 AS z")
    error = auto.fails("SELECT 1 / z FROM auto.zero")
    assert error.code is ErrorCode.DIVISION_BY_ZERO
    route = auto.last_record().route
    assert route is not None
    assert route.engine is EngineKind.LOCAL


def test_a_query_without_memory_enough_runs_on_spark_and_the_record_says_so(
    another: Another,
) -> None:
    small = LocalSettings(memory_mb=128, query_memory_mb=128, spill_mb=0)
    lake = another(Settings(local=small))
    lake.run("CREATE TABLE big AS SELECT id, concat('key number ', id) AS k FROM range(4000000)")
    lake.session.set_property("sqe.engine", "auto")
    sql = "SELECT count(*) AS n FROM (SELECT k, count(*) AS c FROM big GROUP BY k) WHERE c = 1"
    assert lake.value(sql) == 4_000_000
    route = lake.last_record().route
    assert route is not None
    assert route.engine is EngineKind.SPARK
    assert "the local engine failed" in route.reason


def test_settings_that_change_what_sql_means_leave_everything_to_spark(
    another: Another, tables: Lake
) -> None:
    conf = {"spark.sql.ansi.enabled": "false"}
    lake = another(Settings(), conf)
    lake.session.set_property("sqe.engine", "auto")
    assert lake.value("SELECT 1 / 0") is None
    route = lake.last_record().route
    assert route is not None
    assert "spark.sql.ansi.enabled" in route.reason


def test_turned_off_nothing_is_local(another: Another) -> None:
    lake = another(Settings(local=LocalSettings(enabled=False)))
    lake.session.set_property("sqe.engine", "auto")
    assert route_of(lake, "SELECT 1").engine is EngineKind.SPARK


def test_where_several_things_can_fail_spark_says_which_does(auto: Lake) -> None:
    """Spark does not look at a factor whose other one is NULL."""
    rows = auto.rows("SELECT TRY_CAST(b AS INT) * CAST(b AS INT) AS x FROM auto.t WHERE a < 3")
    assert rows == [(None,), (None,)]
    route = auto.last_record().route
    assert route is not None
    assert route.engine is EngineKind.SPARK
