"""Names in every position: what the user wrote means what it would mean in Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

JOINED = [("y", "zz")]
QUERIES: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("SELECT lake.s.t.a, s.t.b FROM lake.s.t WHERE t.a = 1", [(1, "x")]),
    ("SELECT s.t.b, s2.t.c FROM s.t JOIN s2.t ON s.t.a = s2.t.a", JOINED),
    (
        "SELECT lake.s.t.b, lake.s2.t.c FROM lake.s.t, lake.s2.t WHERE lake.s.t.a = lake.s2.t.a",
        JOINED,
    ),
    ("SELECT x.b, y.c FROM s.t x JOIN s2.t AS y USING (a)", JOINED),
    ("SELECT t.a, u.a FROM s.t JOIN s.t u ON t.a = u.a + 2", [(3, 1)]),
    ("SELECT A, `B` FROM S.T WHERE T.A = 2", [(2, "y")]),
    ("WITH t AS (SELECT 42 AS a) SELECT * FROM t", [(42,)]),
    ("WITH t AS (SELECT max(a) AS a FROM s.t) SELECT t.a FROM t", [(3,)]),
    (
        "WITH x AS (WITH y AS (SELECT a FROM s.t) SELECT sum(a) AS n FROM y)"
        " SELECT n, q FROM x, (WITH y AS (SELECT 7 AS q) SELECT * FROM y)",
        [(6, 7)],
    ),
    (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5)"
        " SELECT sum(n) FROM r",
        [(15,)],
    ),
    ("FROM s.t SELECT max(a)", [(3,)]),
    ("FROM s.t |> WHERE a = 2 |> SELECT a, b", [(2, "y")]),
    ("TABLE s.t |> EXTEND a + 1 AS c |> DROP a |> WHERE b = 'y' |> SET c = c * 2", [("y", 6)]),
    ("SELECT IDENTIFIER('x.b') FROM IDENTIFIER('s' || '.t') AS x WHERE a = 2", [("y",)]),
    ("EXECUTE IMMEDIATE 'SELECT a, ? FROM s.t WHERE a = ?' USING 'v', 2", [(2, "v")]),
    ("TABLE s2.t", [(2, "zz")]),
    ("VALUES (1, 'a'), (2, 'b')", [(1, "a"), (2, "b")]),
    ("SELECT a, e FROM s2.t LATERAL VIEW explode(array(5, 6)) x AS e ORDER BY e", [(2, 5), (2, 6)]),
    ("SELECT t.a, q.m FROM s2.t, LATERAL (SELECT t.a * 2 AS m) q", [(2, 4)]),
    ("SELECT * FROM s.t PIVOT (sum(a) FOR b IN ('x', 'y'))", [(1, 2)]),
    ("SELECT * FROM s2.t UNPIVOT (v FOR k IN (a)) AS u", [("zz", "a", 2)]),
    ("SELECT count(*) FROM s.t TABLESAMPLE (100 PERCENT)", [(3,)]),
    ("SELECT a FROM s.t WHERE a = (SELECT min(a) FROM s2.t)", [(2,)]),
    ("SELECT a FROM s.t WHERE EXISTS (SELECT 1 FROM s2.t WHERE s2.t.a = s.t.a)", [(2,)]),
    ("SELECT a AS a, a AS a FROM s2.t", [(2, 2)]),
    ("SELECT operation FROM s.t.snapshots", [("append",)]),
    ("SELECT sum(record_count) FROM lake.s.t.files", [(3,)]),
    ("SELECT count(*) FROM s.t.branch_main", [(3,)]),
    ("SELECT count(*) FROM s.t VERSION AS OF 'main'", [(3,)]),
    ("SELECT count(*) FROM s.t FOR SYSTEM_TIME AS OF now() AS q", [(3,)]),
    (
        "SELECT current_user(), current_user, upper(current_user()) AS u, current_catalog(),"
        " CASE WHEN current_schema() = 'default' THEN 1 END AS c, session_user"
        " FROM s2.t WHERE current_user() = 'ann' GROUP BY ALL HAVING current_user = 'ann'"
        " ORDER BY current_user()",
        [("ann", "ann", "ANN", "lake", 1, "ann")],
    ),
    (
        "SELECT c.table_name, t.a FROM information_schema.columns c JOIN s2.t"
        " ON c.column_name = 'c' WHERE table_schema = 's2'",
        [("t", 2)],
    ),
]


@pytest.mark.parametrize(("sql", "expected"), QUERIES, ids=[sql[:60] for sql, _ in QUERIES])
def test_a_query_means_what_it_means_in_spark(
    tables: Lake, sql: str, expected: list[tuple[Any, ...]]
) -> None:
    assert tables.rows(sql) == expected


@pytest.fixture(scope="module")
def session(tables: Lake) -> Iterator[Lake]:
    own = tables.another_session()
    own.run("USE s")
    yield own
    own.close()


def test_a_temporary_view_over_a_temporary_view(session: Lake) -> None:
    session.run("CREATE TEMP VIEW v1 AS SELECT a, b FROM t WHERE a > 1")
    session.run("CREATE TEMP VIEW v2 AS SELECT a * 10 AS z FROM v1")
    assert session.rows("SELECT v2.z FROM v2 ORDER BY z") == [(20,), (30,)]


def test_a_temporary_view_hides_a_table_until_it_is_dropped(session: Lake) -> None:
    session.run("CREATE TEMP VIEW t AS SELECT 'shadow' AS a")
    assert session.value("SELECT a FROM t") == "shadow"
    assert session.value("SELECT max(a) FROM s.t") == 3
    session.run("DROP VIEW t")
    assert session.value("SELECT max(a) FROM t") == 3


def test_a_view_resolves_where_it_was_made_and_keeps_its_columns(session: Lake) -> None:
    session.all(
        "CREATE TABLE grows AS SELECT 1 AS a",
        "CREATE VIEW s2.w (k COMMENT 'key') COMMENT 'a view' AS\nSELECT * FROM grows -- the end",
        "ALTER TABLE grows ADD COLUMN more INT",
    )
    other = session.another_session()
    other.run("USE s2")
    assert other.run("SELECT * FROM w").to_pylist() == [{"k": 1}]
    assert other.rows("SELECT s2.w.k, w.k FROM s2.w") == [(1, 1)]
    other.close()


def test_a_view_over_what_is_gone_says_so_at_the_users_place(session: Lake) -> None:
    session.all(
        "CREATE TABLE s.gone AS SELECT 1 AS a",
        "CREATE VIEW s.over_gone AS\n\n SELECT a FROM s.gone",
        "DROP TABLE s.gone",
    )
    error = session.fails("SELECT *\nFROM s.over_gone")
    assert str(error).startswith("line 2:6: In view lake.s.over_gone: Table or view lake.s.gone")
    session.run("DROP VIEW s.over_gone")


def test_a_cycle_of_views_is_refused(session: Lake) -> None:
    session.all(
        "CREATE VIEW c1 AS SELECT 1 AS x",
        "CREATE VIEW c2 AS SELECT * FROM c1",
        "CREATE OR REPLACE VIEW c1 AS SELECT * FROM c2",
    )
    assert "refers to itself" in str(session.fails("SELECT * FROM c1"))
    session.all("DROP VIEW c1", "DROP VIEW c2")


def test_names_with_spaces_dots_and_quotes(session: Lake) -> None:
    session.all(
        "CREATE SCHEMA `odd one`",
        "CREATE TABLE `odd one`.`ta.ble x` AS SELECT 1 AS `a.b c`, 2 AS `q``t`",
    )
    sql = "SELECT `a.b c`, `ta.ble x`.`q``t`, `odd one`.`ta.ble x`.`q``t` FROM `odd one`.`ta.ble x`"
    assert session.rows(sql) == [(1, 2, 2)]


def test_schemas_of_several_levels(session: Lake) -> None:
    session.all("CREATE SCHEMA deep", "CREATE SCHEMA deep.er")
    session.run("CREATE TABLE deep.er.x AS SELECT 5 AS v")
    assert session.rows("SELECT deep.er.x.v, x.v FROM lake.deep.er.x") == [(5, 5)]


def test_time_travel_to_versions_tags_and_branches(session: Lake) -> None:
    session.run("CREATE TABLE s.h AS SELECT 1 AS a")
    first = session.value("SELECT snapshot_id FROM s.h.snapshots")
    session.run("INSERT INTO s.h VALUES (2)")
    assert session.value(f"SELECT count(*) FROM s.h VERSION AS OF {first}") == 1
    assert session.value(f"SELECT count(*) FROM s.h FOR VERSION AS OF {first} AS old") == 1
    assert session.value(f"SELECT count(*) FROM s.h.snapshot_id_{first}") == 1
    assert session.value("SELECT count(*) FROM s.h") == 2


def test_use_set_session_and_reset(mine: Lake) -> None:
    mine.run("USE s")
    assert mine.rows("SELECT current_schema(), current_catalog()") == [("s", "lake")]
    mine.run("SET SESSION sqe.time_zone = 'Europe/Vienna'")
    sql = "SELECT current_timezone(), CAST(TIMESTAMP '2024-01-01 00:00:00Z' AS STRING)"
    assert mine.rows(sql) == [("Europe/Vienna", "2024-01-01 01:00:00")]
    mine.run("RESET SESSION sqe.time_zone")
    assert mine.value("SELECT current_timezone()") == "UTC"
